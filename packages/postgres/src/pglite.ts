import { access, constants, mkdir, rename, rm, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { CallkiteError, type Logger, type Storage, safeLogger, silentLogger } from '@callkite/core';
import type { PGlite } from '@electric-sql/pglite';
import pg from 'pg';
import type { Driver, StorageOptions } from './kernel/database.ts';
import { type DirectoryLock, lockDirectory } from './kernel/directory-lock.ts';
import { surviveBrokenConnections } from './kernel/sessions.ts';
import { createStorage } from './storage.ts';

export interface PGliteOptions extends StorageOptions {
  /** Directory of the database, created when missing, for one process at a time; `'memory'` to keep nothing. */
  dataDir: string;
}

/** Storage on PGlite: Postgres inside this process, for development, tests and small installations. */
export function pglite(options: PGliteOptions): Storage {
  return createStorage(embedded(options), options);
}

interface Opened {
  readonly pool: pg.Pool;
  close(): Promise<void>;
}

function embedded({ dataDir, logger: given = silentLogger }: PGliteOptions): Driver {
  const logger = safeLogger(given);
  let opened: Promise<Opened> | null = null;
  let closed: Promise<void> | null = null;

  const open = () => {
    if (closed !== null) {
      throw new CallkiteError('storage_unavailable', 'The storage is stopped', { retryable: false });
    }
    // A failed opening, such as of a locked directory, may be tried again.
    opened ??= (dataDir === 'memory' ? openMemory(logger) : openDirectory(resolve(dataDir), logger)).catch(
      (error: unknown) => {
        opened = null;
        throw error;
      },
    );
    return opened;
  };
  const pool = async () => (await open()).pool;
  /** The last piece of exclusive work: one process has the database, so taking turns here is enough. */
  let turn: Promise<unknown> = Promise.resolve();

  return {
    pool,
    migrate: async (work) => work(await pool()),
    exclusively(_name, work) {
      const result = turn.then(work, work);
      turn = result.catch(() => undefined);
      return result;
    },
    close() {
      closed ??= (async () => (await opened)?.close())();
      return closed;
    },
  };
}

async function openMemory(logger: Logger): Promise<Opened> {
  return serve(await load('memory://'), logger);
}

async function openDirectory(directory: string, logger: Logger): Promise<Opened> {
  await mkdir(directory, { recursive: true, mode: 0o700 });
  const lock = await lockDirectory(directory);
  try {
    const database = join(directory, 'database');
    if (!(await exists(database))) await initialize(directory, database);
    return await serve(await reopen(database), logger, lock);
  } catch (error) {
    await lock.release();
    throw error;
  }
}

/** Creates the database aside: a process killed half way through must not leave one that cannot be opened. */
async function initialize(directory: string, database: string): Promise<void> {
  const unfinished = join(directory, 'database.unfinished');
  const clean = () => rm(unfinished, { recursive: true, force: true });
  await clean();
  try {
    await (await load(unfinished)).close();
    await rename(unfinished, database);
  } catch (error) {
    // It may be what fills the disk.
    await clean();
    throw error;
  }
}

/** @throws CallkiteError `storage_unavailable`, with `details.dataDir`, when what is there is no database, or no longer */
async function reopen(database: string): Promise<PGlite> {
  const damaged = (cause?: unknown) =>
    new CallkiteError(
      'storage_unavailable',
      `The database in ${database} cannot be opened: its files are damaged. Restore a backup, or begin with another directory.`,
      { details: { dataDir: ['holds a damaged database'] }, cause },
    );
  // Without these PGlite would begin a new database over what is left of the old one.
  for (const file of ['PG_VERSION', 'global/pg_control']) {
    if (!(await exists(join(database, file)))) throw damaged();
    // Of what it may not write, PGlite says no more than that it broke off.
    await access(join(database, file), constants.R_OK | constants.W_OK);
  }
  await access(database, constants.R_OK | constants.W_OK | constants.X_OK);
  try {
    return await load(database);
  } catch (cause) {
    // The file system, or the package that is missing.
    throw CallkiteError.isInstance(cause) || isSystemError(cause) ? cause : damaged(cause);
  }
}

async function load(dataDir: string): Promise<PGlite> {
  const { PGlite } = await pgliteModule();
  return PGlite.create(dataDir);
}

/** Loaded when needed: it is large, and whoever uses a Postgres server does not install it. */
async function pgliteModule() {
  try {
    return await import('@electric-sql/pglite');
  } catch (cause) {
    throw new CallkiteError(
      'storage_unavailable',
      'pglite() needs the package @electric-sql/pglite: install it beside @callkite/postgres (npm install @electric-sql/pglite)',
      { cause },
    );
  }
}

/** PGlite has a single session, so there is a single connection, which is kept. */
async function serve(lite: PGlite, logger: Logger, lock?: DirectoryLock): Promise<Opened> {
  const { createPgConfig } = await import('@electric-sql/pglite/node-postgres');
  const pool = new pg.Pool({
    ...createPgConfig(lite),
    max: 1,
    idleTimeoutMillis: 0,
    connectionTimeoutMillis: 5000,
  } as pg.PoolConfig);
  surviveBrokenConnections(pool, logger);
  return {
    pool,
    async close() {
      await pool.end();
      await lite.close();
      await lock?.release();
    },
  };
}

function isSystemError(error: unknown): boolean {
  return error instanceof Error && 'syscall' in error;
}

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}
