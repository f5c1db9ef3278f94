import { randomUUID } from 'node:crypto';
import { dropDatabase, startPostgres } from './postgres/start-postgres.ts';

/**
 * One Postgres server for a run of all tests, which each get databases of their own on it: a server, like an embedded
 * database, takes seconds to begin with. `TEST_DATABASE_URL` names another one.
 */
export default async function startDatabaseServer(): Promise<() => Promise<void>> {
  const server = await startPostgres();
  const template = `callkite_template_${randomUUID().replaceAll('-', '')}`;
  process.env.TEST_SERVER_URL = server.url;
  process.env.TEST_DATABASE_TEMPLATE = template;
  return async () => {
    await dropDatabase(server.url, template);
    await server.stop();
  };
}
