import { randomUUID } from 'node:crypto';
import type { Storage } from '@callkite/core';
import { pglite, postgres } from '@callkite/postgres';
import pg from 'pg';
import { createDatabase, dropDatabase } from './postgres/start-postgres.ts';

/**
 * Storage in a database of its own, which is gone when it is stopped: on the Postgres server of this run of the tests,
 * or in memory where there is none.
 */
export function testStorage(): Storage {
  const { TEST_SERVER_URL: server, TEST_DATABASE_TEMPLATE: template } = process.env;
  if (!server || !template) return pglite({ dataDir: 'memory' });
  const name = `callkite_test_${randomUUID().replaceAll('-', '')}`;
  // Calls are faster than life here, and the machine is busy: what takes long is no outage.
  const storage = postgres({
    connectionString: urlOf(server, name),
    statementTimeoutMs: 15_000,
    connectionTimeoutMs: 15_000,
  });
  let created: Promise<unknown> | null = null;
  async function create(from: string, like: string): Promise<void> {
    migrated ??= migrateOnce(from, like);
    await migrated;
    await createDatabase(from, { name, template: like });
  }
  return {
    ...storage,
    async start() {
      created ??= create(server, template);
      await created;
      await storage.start();
    },
    async stop() {
      await storage.stop();
      await created?.then(() => dropDatabase(server, name));
    },
  };
}

let migrated: Promise<void> | null = null;

/** Makes the database of which all others are copies, unless another process has made it. */
async function migrateOnce(server: string, template: string): Promise<void> {
  const client = new pg.Client({ connectionString: server });
  await client.connect();
  try {
    await client.query('select pg_advisory_lock(hashtext($1))', [template]);
    const { rowCount } = await client.query('select from pg_database where datname = $1', [template]);
    if (rowCount !== 0) return;
    await createDatabase(server, { name: template });
    const storage = postgres({ connectionString: urlOf(server, template) });
    await storage.start();
    await storage.stop();
  } finally {
    await client.end();
  }
}

function urlOf(server: string, database: string): string {
  const url = new URL(server);
  url.pathname = `/${database}`;
  return url.href;
}
