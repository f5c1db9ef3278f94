import { type Kysely, sql } from 'kysely';

const ddl = `
create table publishable_keys (
  id text primary key,
  organization_id text not null references organizations,
  mode text not null,
  name text not null,
  key text not null unique,
  allowed_origins text[] not null,
  workflow_ids text[] not null,
  daily_calls integer not null,
  callback_countries text[] not null,
  created_at timestamptz(3) not null default clock_timestamp(),
  revoked_at timestamptz(3)
);
create index publishable_keys_newest on publishable_keys (organization_id, created_at, id);

create table visits (
  call_id text primary key,
  organization_id text not null,
  key_id text not null,
  kind text not null,
  workflow_id text not null,
  origin text not null,
  remote_address text,
  page text,
  name text,
  email text,
  context text,
  user_id text,
  user_verified boolean,
  consent jsonb,
  created_at timestamptz(3) not null default clock_timestamp(),
  token_hash text unique,
  token_expires_at timestamptz,
  -- Of a call-back: when it was asked for. Of a web call: when it began.
  counted_at timestamptz,
  media text,
  -- Grows with each owner; 0 before the call began.
  epoch integer not null default 0,
  alive_until timestamptz
) with (fillfactor = 70);
create index visits_counted on visits (key_id, counted_at) where counted_at is not null;

-- A web call goes out on no line.
alter table calls alter column connection_id drop not null;

update workflow_versions set definition = '{"web": {"variables": []}}'::jsonb || definition;
`;

export const webCalls = {
  async up(database: Kysely<unknown>): Promise<void> {
    await sql.raw(ddl).execute(database);
  },
};
