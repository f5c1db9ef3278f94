import { randomUUID } from 'node:crypto';
import type { Storage } from '@callkite/core';
import { pglite, postgres } from '@callkite/postgres';
import { createDatabase, type TestPostgres } from './postgres/start-postgres.ts';

/**
 * Storage in a database of its own, which is gone when it is stopped: on the Postgres server of this run of the tests,
 * or in memory where there is none.
 */
export function testStorage(): Storage {
  const { TEST_SERVER_URL: server, TEST_DATABASE_TEMPLATE: template } = process.env;
  if (!server || !template) return pglite({ dataDir: 'memory' });
  const name = `callkite_test_${randomUUID().replaceAll('-', '')}`;
  const url = new URL(server);
  url.pathname = `/${name}`;
  // Calls are faster than life here, and the machine is busy: what takes long is no outage.
  const storage = postgres({
    connectionString: url.href,
    statementTimeoutMs: 15_000,
    connectionTimeoutMs: 15_000,
  });
  let database: Promise<TestPostgres> | null = null;
  return {
    ...storage,
    async start() {
      database ??= createDatabase(server, { name, template });
      await database;
      await storage.start();
    },
    async stop() {
      await storage.stop();
      await (await database)?.stop();
    },
  };
}
