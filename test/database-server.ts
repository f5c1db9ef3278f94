import { postgres } from '@callkite/postgres';
import { startPostgres } from './postgres/start-postgres.ts';

/**
 * One Postgres server for a run of all tests, which each get databases of their own on it: a server, like an embedded
 * database, takes seconds to begin with. `TEST_DATABASE_URL` names another one.
 */
export default async function startDatabaseServer(): Promise<() => Promise<void>> {
  const server = await startPostgres();
  process.env.TEST_SERVER_URL = server.url;
  const template = await startPostgres();
  const storage = postgres({ connectionString: template.url });
  await storage.start();
  await storage.stop();
  process.env.TEST_DATABASE_TEMPLATE = new URL(template.url).pathname.slice(1);
  return async () => {
    await template.stop();
    await server.stop();
  };
}
