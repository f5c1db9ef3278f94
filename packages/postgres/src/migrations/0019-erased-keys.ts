import { type Kysely, sql } from 'kysely';

const ddl = `
-- Keyed hash of the key, which takes its place when the call is erased. Processes of an earlier version insert none.
alter table idempotency add column key_hash text;
create index idempotency_of_call on idempotency (call_id);
`;

export const erasedKeys = {
  async up(database: Kysely<unknown>): Promise<void> {
    await sql.raw(ddl).execute(database);
  },
};
