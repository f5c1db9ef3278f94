import type { DailyUsage, UsageAlarm, UsageStore } from '@callkite/core';
import { type Kysely, sql } from 'kysely';
import { type Database, only, type TableNames } from '../../kernel/database.ts';
import type { Tables } from '../../schema.ts';
import { limitMinutes, today, usedMinutes } from './call-minutes.ts';

/** What calls cost, to look at. */
export function createUsageStore({ kysely, tables }: Database): UsageStore {
  return {
    today: (organizationId, defaultDailyMinutes) =>
      readToday(kysely, tables, organizationId, defaultDailyMinutes),

    async takeAlarm(organizationId, defaultDailyMinutes): Promise<UsageAlarm | null> {
      const { usedMinutes, limitMinutes } = await readToday(
        kysely,
        tables,
        organizationId,
        defaultDailyMinutes,
      );
      if (limitMinutes === null || usedMinutes < 0.8 * limitMinutes) return null;
      const percent = usedMinutes >= limitMinutes ? 100 : 80;
      const { rows } = await sql`
        insert into ${tables.call_minutes} as d (organization_id, day, alarm)
        values (${organizationId}, ${today}, ${percent})
        on conflict (organization_id, day) do update set alarm = excluded.alarm where d.alarm < excluded.alarm
        returning 1`.execute(kysely);
      return rows.length === 0 ? null : { percent, usedMinutes, limitMinutes };
    },
  };
}

async function readToday(
  executor: Kysely<Tables>,
  tables: TableNames,
  organizationId: string,
  defaultDailyMinutes: number | null,
): Promise<DailyUsage> {
  const { rows } = await sql<{ used: number; limit: number }>`
    select ${usedMinutes(tables, sql`${organizationId}`)} as used, ${limitMinutes(defaultDailyMinutes)} as limit
    from ${tables.organizations} where id = ${organizationId}`.execute(executor);
  const { used, limit } = only(rows);
  return { usedMinutes: used, limitMinutes: limit === Number.POSITIVE_INFINITY ? null : limit };
}
