import { type Kysely, sql } from 'kysely';

const ddl = `
create table dialled_prefixes (
  organization_id text not null,
  prefix text not null,
  first_dialled_at timestamptz not null default clock_timestamp(),
  -- Counted as long as the prefix is new to the organization.
  dials integer not null default 1,
  primary key (organization_id, prefix)
) with (fillfactor = 50);

-- Whom organizations have called before is not new to them.
insert into dialled_prefixes (organization_id, prefix, first_dialled_at)
select c.organization_id, left(dialled.to_number, -4), min(dialled.at)
from calls c join (
  select call_id, to_number, intent_at as at from attempts
  union all select call_id, to_number, dialed_at from transfer_legs where dialed_at is not null
) dialled on dialled.call_id = c.id
where c.mode = 'live' and dialled.to_number like '+%'
group by 1, 2;
`;

export const velocity = {
  async up(database: Kysely<unknown>): Promise<void> {
    await sql.raw(ddl).execute(database);
  },
};
