import { type Kysely, sql } from 'kysely';

const ddl = `
create table conversations (
  call_id text primary key references calls (id),
  holder text not null unique,
  held_until timestamptz
);
alter table calls add column sealed_at timestamptz;
`;

export const sealedCalls = {
  async up(database: Kysely<unknown>): Promise<void> {
    await sql.raw(ddl).execute(database);
  },
};
