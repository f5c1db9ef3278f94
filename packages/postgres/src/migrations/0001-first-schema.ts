import { type Kysely, sql } from 'kysely';

const ddl = `
create table organizations (
  id text primary key,
  name text not null,
  allowed_countries text[] not null,
  created_at timestamptz(3) not null default clock_timestamp()
);
create index organizations_newest on organizations (created_at, id);

create table api_keys (
  id text primary key,
  organization_id text not null references organizations,
  mode text not null,
  name text not null,
  lookup_id text not null unique,
  hash text not null,
  created_at timestamptz(3) not null default clock_timestamp(),
  revoked_at timestamptz(3)
);
create index api_keys_newest on api_keys (organization_id, created_at, id);

create table connections (
  id text primary key,
  organization_id text not null references organizations,
  mode text not null,
  account_id text not null,
  sealed_secret text not null,
  account_name text not null,
  account_type text not null,
  business_profile text not null,
  calls_per_second double precision not null check (calls_per_second > 0),
  maximum_concurrent_calls integer,
  status text not null default 'active',
  down_until timestamptz,
  next_start_at timestamptz,
  reduced_limit integer,
  reduced_at timestamptz,
  created_at timestamptz(3) not null default clock_timestamp(),
  unique (organization_id, mode, account_id)
) with (fillfactor = 50);

create table numbers (
  id text primary key,
  organization_id text not null references organizations,
  connection_id text not null references connections on delete cascade,
  mode text not null,
  phone_number text not null,
  provider_number_id text not null,
  is_default boolean not null,
  created_at timestamptz(3) not null default clock_timestamp(),
  unique (organization_id, mode, phone_number)
);
create unique index numbers_default on numbers (organization_id, mode) where is_default;
create index numbers_of_connection on numbers (connection_id);

create table do_not_call (
  organization_id text not null references organizations,
  phone_number text not null,
  source text not null,
  call_id text,
  created_at timestamptz(3) not null default clock_timestamp(),
  primary key (organization_id, phone_number)
);

create table workflows (
  id text primary key,
  organization_id text not null references organizations,
  source text not null,
  name text not null,
  current_version integer not null,
  created_at timestamptz(3) not null default clock_timestamp(),
  deleted_at timestamptz(3)
);
create index workflows_newest on workflows (organization_id, created_at, id) where deleted_at is null;

create table workflow_versions (
  workflow_id text not null references workflows,
  version integer not null,
  name text not null,
  definition jsonb not null,
  created_at timestamptz(3) not null default clock_timestamp(),
  primary key (workflow_id, version)
);

-- No foreign keys from here on: these rows are written on the hot paths, always together with what they point to.
create table calls (
  id text primary key,
  organization_id text not null,
  mode text not null,
  origin text not null,
  workflow_id text not null,
  workflow_version integer not null,
  workflow_name text not null,
  connection_id text not null,
  from_number text not null,
  to_number text not null,
  recipient_name text,
  recipient_email text,
  recipient_context text,
  prompt text,
  callback_url text,
  sealed_callback_secret text,
  state text not null default 'queued',
  call_status text,
  provider_status text,
  reason text,
  answered_by text,
  cancel_requested boolean not null default false,
  summary text,
  lost_channels integer not null default 0,
  transcript_length integer not null default 0,
  created_at timestamptz(3) not null default clock_timestamp(),
  dialable_at timestamptz,
  deadline_at timestamptz not null,
  answered_at timestamptz(3),
  ended_at timestamptz(3),
  duration_seconds integer,
  check ((state = 'completed') = (call_status is not null and provider_status is not null and ended_at is not null))
) with (fillfactor = 80);
create index calls_newest on calls (organization_id, mode, created_at, id);
create index calls_due on calls (connection_id, dialable_at, id) where state = 'queued';
create index calls_deadline on calls (deadline_at) where state = 'queued';
create index calls_newest_to on calls (organization_id, to_number, created_at, id);
create index calls_newest_of_workflow on calls (workflow_id, created_at, id);
create index calls_live on calls (id) where state not in ('queued', 'completed');
create index calls_unfinished on calls (id) where state = 'completed' and summary is null;

create table attempts (
  id text primary key,
  call_id text not null,
  organization_id text not null,
  connection_id text not null,
  from_number text not null,
  to_number text not null,
  state text not null default 'intent',
  provider_call_id text,
  fruitless_looks integer not null default 0,
  intent_at timestamptz not null default clock_timestamp()
) with (fillfactor = 70);
create unique index attempts_one_live_per_call on attempts (call_id)
  where state in ('intent', 'placed', 'unknown');
create unique index attempts_one_live_per_pair on attempts (connection_id, from_number, to_number)
  where state in ('intent', 'placed', 'unknown');
create unique index attempts_provider_call on attempts (provider_call_id, connection_id)
  where provider_call_id is not null;

create table transcript (
  call_id text not null,
  number integer not null,
  role text not null,
  content text not null,
  interrupted boolean not null,
  at timestamptz(3) not null default clock_timestamp(),
  primary key (call_id, number)
);

create table idempotency (
  organization_id text not null,
  endpoint text not null,
  key text not null,
  fingerprint text not null,
  status integer not null,
  body text not null,
  expires_at timestamptz not null,
  primary key (organization_id, endpoint, key)
);
create index idempotency_expiry on idempotency (expires_at);

create table jobs (
  kind text not null,
  subject_id text not null,
  organization_id text not null,
  due_at timestamptz not null default clock_timestamp(),
  lease_token text,
  tries integer not null default 0,
  buried_at timestamptz(3),
  last_error text,
  primary key (kind, subject_id)
) with (fillfactor = 70);
create index jobs_due on jobs (kind, organization_id, due_at) where buried_at is null;
create index jobs_leased on jobs (kind, organization_id) where lease_token is not null and buried_at is null;

create table integrations (
  id text primary key,
  organization_id text not null references organizations,
  name text not null,
  url text not null,
  sealed_secret text not null,
  created_at timestamptz(3) not null default clock_timestamp()
);
create index integrations_newest on integrations (organization_id, created_at, id);

create table deliveries (
  id text primary key,
  organization_id text not null,
  call_id text,
  kind text not null,
  integration_id text,
  url text not null,
  sealed_bearer text,
  body text not null,
  status text not null default 'pending',
  attempts integer not null default 0,
  created_at timestamptz(3) not null default clock_timestamp()
);
create index deliveries_newest on deliveries (organization_id, created_at, id);
create index deliveries_of_call on deliveries (call_id) where call_id is not null;
create index deliveries_of_integration on deliveries (integration_id, created_at, id)
  where integration_id is not null;

create table delivery_attempts (
  delivery_id text not null references deliveries,
  number integer not null,
  started_at timestamptz(3) not null default clock_timestamp(),
  finished_at timestamptz(3),
  status_code integer,
  error text,
  primary key (delivery_id, number)
);

-- The shape rate-limiter-flexible expects.
create table rate_limits (
  key varchar(255) primary key,
  points integer not null default 0,
  expire bigint
);
`;

export const firstSchema = {
  async up(database: Kysely<unknown>): Promise<void> {
    await sql.raw(ddl).execute(database);
  },
};
