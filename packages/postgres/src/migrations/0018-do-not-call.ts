import { type Kysely, sql } from 'kysely';

const ddl = `
-- Processes of an earlier version go on inserting without these while others are upgraded.
alter table do_not_call
  add column id text not null default 'dnc_' || replace(gen_random_uuid()::text, '-', ''),
  -- Keyed hash of a number that was erased.
  add column number_key text,
  add column reason text,
  add column added_by text,
  add column lifted_at timestamptz(3),
  add column lifted_by text,
  add column lift_reason text;
alter table do_not_call drop constraint do_not_call_pkey;
alter table do_not_call alter column phone_number drop not null, add primary key (id);
create unique index do_not_call_numbers on do_not_call (organization_id, mode, phone_number) where lifted_at is null;
create index do_not_call_keys on do_not_call (organization_id, mode, number_key) where lifted_at is null;
create index do_not_call_newest on do_not_call (organization_id, mode, created_at, id);
create index do_not_call_of_call on do_not_call (call_id) where call_id is not null;

-- Keyed hash of to_number, until the call is erased.
alter table calls add column to_key text;

create table data_keys (
  name text primary key,
  sealed text not null
);
`;

export const doNotCall = {
  async up(database: Kysely<unknown>): Promise<void> {
    await sql.raw(ddl).execute(database);
  },
};
