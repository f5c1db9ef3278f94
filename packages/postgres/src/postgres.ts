import { CallkiteError, type Storage, safeLogger, silentLogger } from '@callkite/core';
import pg from 'pg';
import type { Driver, StorageOptions } from './kernel/database.ts';
import { surviveBrokenConnections, underLock } from './kernel/sessions.ts';
import { createStorage } from './storage.ts';

/** Callkite opens and closes the connections. */
export interface PostgresConnectionOptions extends StorageOptions {
  /** `postgres://user:password@host:port/database`; add `?sslmode=verify-full` for TLS. */
  connectionString: string;
  /** Connections of this process at most. @default 10 */
  maximumConnections?: number | undefined;
  /**
   * Milliseconds after which the server gives up a statement. A wait for a lock ends a little earlier.
   * @default 3000
   */
  statementTimeoutMs?: number | undefined;
  /** Milliseconds to wait for a free connection, or for a new one. @default 1000 */
  connectionTimeoutMs?: number | undefined;
}

/** The host's own pool of at least two connections, with its own limits and timeouts. `stop` does not close it. */
export interface PostgresPoolOptions extends StorageOptions {
  pool: pg.Pool;
}

export type PostgresOptions = PostgresConnectionOptions | PostgresPoolOptions;

const startConnectionTimeoutMs = 10_000;

/** Storage on a Postgres server, version 14 or newer, shared by any number of processes. */
export function postgres(options: PostgresOptions): Storage {
  return createStorage('pool' in options ? lentPool(options) : ownPool(options), options);
}

function ownPool(options: PostgresConnectionOptions): Driver {
  const { connectionString } = options;
  const logger = safeLogger(options.logger ?? silentLogger);
  const { maximumConnections = 10, statementTimeoutMs = 3000, connectionTimeoutMs = 1000 } = options;
  const common = {
    connectionString,
    connectionTimeoutMillis: connectionTimeoutMs,
    application_name: 'callkite',
  };
  const pool = new pg.Pool({
    ...common,
    max: maximumConnections,
    statement_timeout: statementTimeoutMs,
    // Earlier than the statement's: which of the two ended a statement tells a busy row from a slow database.
    lock_timeout: Math.ceil(statementTimeoutMs * 0.9),
    // Later than the server's own: for a server that no longer answers at all.
    query_timeout: statementTimeoutMs + 500,
    // A process frozen inside a transaction must not keep its locks.
    idle_in_transaction_session_timeout: 2 * statementTimeoutMs,
    keepAlive: true,
  });
  surviveBrokenConnections(pool, logger);
  let closed: Promise<void> | null = null;
  /** Waits as long as another process needs for its migrations, or for what it does exclusively. */
  async function patiently<Result>(work: (patient: pg.Pool) => Promise<Result>): Promise<Result> {
    if (closed !== null) throw stopped();
    const patient = new pg.Pool({
      ...common,
      max: 1,
      idleTimeoutMillis: 0,
      // Where several processes start at once, a connection takes longer than it may later.
      connectionTimeoutMillis: Math.max(connectionTimeoutMs, startConnectionTimeoutMs),
    });
    surviveBrokenConnections(patient, logger);
    try {
      return await work(patient);
    } finally {
      await patient.end();
    }
  }
  return {
    async pool() {
      if (closed !== null) throw stopped();
      return pool;
    },
    migrate: patiently,
    exclusively: (name, work) => patiently((patient) => underLock(patient, name, work)),
    close() {
      closed ??= pool.end();
      return closed;
    },
  };
}

function lentPool({ pool, logger: given = silentLogger }: PostgresPoolOptions): Driver {
  const logger = safeLogger(given);
  surviveBrokenConnections(pool, logger);
  let closed = false;
  const open = async () => {
    if (closed) throw stopped();
    return pool;
  };
  return {
    pool: open,
    migrate: async (work) => work(await open()),
    exclusively: async (name, work) => underLock(await open(), name, work),
    async close() {
      closed = true;
    },
  };
}

function stopped(): CallkiteError {
  return new CallkiteError('storage_unavailable', 'The storage is stopped', { retryable: false });
}
