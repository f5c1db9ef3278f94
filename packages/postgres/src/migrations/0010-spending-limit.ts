import { type Kysely, sql } from 'kysely';

const ddl = `
-- 'infinity': unlimited. Empty: what the server says.
alter table organizations add column daily_call_minutes double precision;

-- What a leg that ended added to its day.
alter table attempts add column minutes integer not null default 0;
alter table transfer_legs add column minutes integer not null default 0;

-- Legs that ended, by the UTC day in which they began; open ones are looked at. Counts from this migration on.
create table call_minutes (
  organization_id text not null,
  day date not null,
  minutes integer not null default 0,
  -- The highest share of the limit, in percent, that somebody was told of.
  alarm integer not null default 0,
  primary key (organization_id, day)
) with (fillfactor = 50);

create index transfer_legs_of_call on transfer_legs (call_id);
create index attempts_open_of_organization on attempts (organization_id) where state in ('intent', 'placed', 'unknown');
`;

export const spendingLimit = {
  async up(database: Kysely<unknown>): Promise<void> {
    await sql.raw(ddl).execute(database);
  },
};
