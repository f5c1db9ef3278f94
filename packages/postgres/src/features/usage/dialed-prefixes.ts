import type { VelocityAlarm } from '@callkite/core';
import { type RawBuilder, sql } from 'kysely';
import type { TableNames } from '../../kernel/database.ts';

/** So many dials to a prefix that is new are an alarm. */
const alarmingDials = 20;

export interface CountedPrefix {
  readonly velocity_alarm: VelocityAlarm | null;
}

/**
 * Counts a dial of a live call by its prefix, as long as that is new; see `VelocityAlarm`. The row it returns has the
 * alarm if this dial is the one that raises it. It locks the prefix: lock nothing else after it.
 * @param dialed a relation with `organization_id`, `mode` and `to_number`
 */
export const countPrefix = (tables: TableNames, dialed: RawBuilder<unknown>) => sql<CountedPrefix>`
  insert into ${tables.dialled_prefixes} as p (organization_id, prefix)
  select organization_id, left(to_number, -4) from ${dialed} where mode = 'live'
  on conflict (organization_id, prefix) do update set dials = p.dials + 1
    where p.first_dialled_at > clock_timestamp() - interval '1 hour'
  returning case when dials = ${alarmingDials} then json_build_object('prefix', prefix, 'dials', dials) end
    as velocity_alarm`;
