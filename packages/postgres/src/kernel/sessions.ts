import type { Logger } from '@callkite/core';
import type { PostgresPool, PostgresPoolClient } from 'kysely';
import type pg from 'pg';
import { isConnectionLost } from './failures.ts';

/**
 * Keeps a broken connection from ending the process. A pool listens for errors of idle clients only: a client whose
 * server dies while it is checked out emits `error` itself, and nobody would hear it.
 */
export function surviveBrokenConnections(pool: pg.Pool, logger: Logger): void {
  const known = new WeakSet<pg.PoolClient>();
  pool.on('error', (error) => logger.warn({ error }, 'idle database connection lost'));
  pool.on('acquire', (client) => {
    if (known.has(client)) return;
    known.add(client);
    client.on('error', (error) => logger.warn({ error }, 'database connection lost'));
  });
}

type OpenPool = () => Promise<pg.Pool>;

/** Runs `work` under an advisory lock that its session holds, so that it is free when this process dies. */
export async function underLock<Result>(
  pool: pg.Pool,
  name: string,
  work: () => Promise<Result>,
): Promise<Result> {
  const client = await pool.connect();
  try {
    await client.query('select pg_advisory_lock(hashtextextended($1, 0))', [name]);
    return await work();
  } finally {
    // Ends the session, and the lock with it.
    client.release(true);
  }
}

/** The pool as Kysely wants it. */
export function kyselyPool(open: OpenPool): PostgresPool {
  return {
    async connect() {
      const session = await openSession(open);
      return {
        // Kysely's second signature of `query` is for cursors, which need another dialect option.
        query: ((text: string, values: readonly unknown[]) =>
          session.query({ text, values: [...values] })) as unknown as PostgresPoolClient['query'],
        release: session.release,
      };
    },
    // Who opened the pool closes it.
    async end() {},
  };
}

/**
 * Runs one statement. Not `pool.query`: that discards the connection after any error, and PGlite, which has just the
 * one, cannot do without it.
 */
export async function runStatement<Row extends pg.QueryResultRow>(
  open: OpenPool,
  statement: pg.QueryConfig,
): Promise<pg.QueryResult<Row>> {
  const session = await openSession(open);
  try {
    return await session.query<Row>(statement);
  } finally {
    session.release();
  }
}

/**
 * A connection until its release. One that was lost, or is silent past the query timeout, is not used again: neither
 * for the rollback, which would wait just as long, nor by the next caller.
 */
async function openSession(open: OpenPool) {
  const client = await (await open()).connect();
  let lost: unknown = null;
  return {
    async query<Row extends pg.QueryResultRow>(statement: pg.QueryConfig): Promise<pg.QueryResult<Row>> {
      if (lost !== null) throw lost;
      try {
        return await client.query<Row>(statement);
      } catch (error) {
        if (isConnectionLost(error)) lost = error;
        throw error;
      }
    },
    release: () => client.release(lost !== null),
  };
}
