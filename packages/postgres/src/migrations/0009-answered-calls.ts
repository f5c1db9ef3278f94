import { type Kysely, sql } from 'kysely';

const ddl = `
-- Empty in answers from before, and in those of processes that still run without it: both are gone in five minutes.
alter table idempotency add column call_id text;
`;

export const answeredCalls = {
  async up(database: Kysely<unknown>): Promise<void> {
    await sql.raw(ddl).execute(database);
  },
};
