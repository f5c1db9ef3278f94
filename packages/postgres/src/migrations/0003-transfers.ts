import { type Kysely, sql } from 'kysely';

const ddl = `
create table transfer_integrations (
  id text primary key,
  organization_id text not null references organizations,
  name text not null,
  mode text not null,
  phone_number text not null,
  transfer_url text,
  fallback_numbers text[] not null,
  ring_seconds integer not null,
  take_messages boolean not null,
  created_at timestamptz(3) not null default clock_timestamp()
);
create index transfer_integrations_newest on transfer_integrations (organization_id, created_at, id);

create table transfers (
  id text primary key,
  call_id text not null,
  integration_id text not null,
  name text not null,
  mode text not null,
  ring_seconds integer not null,
  take_messages boolean not null,
  reason text not null,
  summary text not null,
  outcome text,
  message text,
  requested_at timestamptz not null default clock_timestamp(),
  ended_at timestamptz(3),
  returned_at timestamptz(3)
);
create index transfers_of_call on transfers (call_id, requested_at);
create unique index transfers_one_under_way on transfers (call_id) where ended_at is null;

create table transfer_legs (
  id text primary key,
  transfer_id text not null references transfers,
  call_id text not null,
  connection_id text not null,
  position integer not null,
  to_number text not null,
  source text not null,
  outcome text,
  provider_call_id text,
  dialed_at timestamptz(3),
  answered_at timestamptz(3),
  ended_at timestamptz(3),
  seconds integer,
  unique (transfer_id, position)
);
create index transfer_legs_open on transfer_legs (connection_id) where dialed_at is not null and ended_at is null;

update workflow_versions
set definition = definition || jsonb_build_object(
  'abilities', '{"transfer": []}'::jsonb || coalesce(definition -> 'abilities', '{}'::jsonb));
`;

export const transfers = {
  async up(database: Kysely<unknown>): Promise<void> {
    await sql.raw(ddl).execute(database);
  },
};
