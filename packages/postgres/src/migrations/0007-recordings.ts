import { type Kysely, sql } from 'kysely';

const ddl = `
-- By reference: the sound is at the carrier.
create table recordings (
  call_id text primary key,
  id text not null unique,
  organization_id text not null,
  consent text not null,
  status text not null,
  provider_recording_id text,
  duration_seconds integer,
  created_at timestamptz(3) not null default clock_timestamp(),
  expires_at timestamptz(3),
  deleted_at timestamptz(3)
);

create index attempts_of_call on attempts (call_id);

update workflow_versions set definition = definition || '{"recording": {"mode": "off", "retentionDays": 30}}'
where not definition ? 'recording';
`;

export const recordings = {
  async up(database: Kysely<unknown>): Promise<void> {
    await sql.raw(ddl).execute(database);
  },
};
