import { type Kysely, sql } from 'kysely';

const ddl = `
create table forms (
  id text primary key,
  organization_id text not null references organizations,
  current_version integer not null,
  created_at timestamptz(3) not null default clock_timestamp(),
  deleted_at timestamptz(3)
);
create index forms_newest on forms (organization_id, created_at, id) where deleted_at is null;

create table form_versions (
  form_id text not null references forms,
  version integer not null,
  title text not null,
  fields jsonb not null,
  created_at timestamptz(3) not null default clock_timestamp(),
  primary key (form_id, version)
);

-- The version of each form that a call was accepted with.
create table call_forms (
  call_id text not null,
  form_id text not null,
  version integer not null,
  position integer not null,
  primary key (call_id, form_id)
);

create table form_answers (
  call_id text not null,
  form_id text not null,
  field text not null,
  value jsonb not null,
  confirmed boolean not null,
  quote text not null,
  at timestamptz(3) not null default clock_timestamp(),
  primary key (call_id, form_id, field)
);

create table tool_calls (
  call_id text not null,
  turn integer not null,
  index integer not null,
  name text not null,
  input text not null,
  status text not null default 'running',
  result text,
  at timestamptz(3) not null default clock_timestamp(),
  finished_at timestamptz(3),
  primary key (call_id, turn, index)
);

update workflow_versions
set definition = '{"forms": [], "tools": [], "abilities": {"keypad": false}}'::jsonb || definition;
`;

export const formsAndTools = {
  async up(database: Kysely<unknown>): Promise<void> {
    await sql.raw(ddl).execute(database);
  },
};
