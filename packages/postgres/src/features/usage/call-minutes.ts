import { type Kysely, type RawBuilder, sql } from 'kysely';
import type { StoredCall } from '../../calls/call-rows.ts';
import { only, type TableNames } from '../../kernel/database.ts';
import type { Tables } from '../../schema.ts';

/*
 * What an organization's day cost is a row for the legs that ended, and the open legs themselves. A leg goes from the one
 * to the other in one step, so a single statement sees each leg exactly once.
 */

const dayStart = sql<Date>`(date_trunc('day', statement_timestamp() at time zone 'UTC') at time zone 'UTC')`;

export const nextDayStart = sql<Date>`(${dayStart} + interval '1 day')`;

/** The current day, by which `call_minutes` are kept. */
export const today = sql<string>`(statement_timestamp() at time zone 'UTC')::date`;

/** Minutes from an answer until now; a leg that may still be answered takes one. */
const openMinutes = (answeredAt: RawBuilder<unknown>) =>
  sql`coalesce(sum(greatest(1, ceil(extract(epoch from clock_timestamp() - ${answeredAt}) / 60))), 0)`;

/** What the day of an organization has cost so far; see `DailyUsage`. */
export const usedMinutes = (tables: TableNames, organizationId: RawBuilder<unknown>) => sql<number>`(
  coalesce((
    select minutes from ${tables.call_minutes} where organization_id = ${organizationId} and day = ${today}), 0)
  + (select ${openMinutes(sql`c.answered_at`)}
    from ${tables.attempts} a join ${tables.calls} c on c.id = a.call_id
    where a.organization_id = ${organizationId} and a.state in ('intent', 'placed', 'unknown')
      and a.intent_at >= ${dayStart} and c.mode = 'live')
  + (select ${openMinutes(sql`l.answered_at`)}
    from ${tables.connections} k
    join ${tables.transfer_legs} l on l.connection_id = k.id
    join ${tables.calls} c on c.id = l.call_id
    where k.organization_id = ${organizationId} and k.mode = 'live' and l.dialed_at is not null
      and l.ended_at is null and l.dialed_at >= ${dayStart} and c.state <> 'completed'))::integer`;

/** The limit of a row of `organizations`: `Infinity` when there is none. */
export const limitMinutes = (defaultDailyMinutes: number | null) =>
  sql<number>`coalesce(daily_call_minutes, ${defaultDailyMinutes ?? Number.POSITIVE_INFINITY}::double precision)`;

/**
 * Whether nothing more may begin today. Locks the organization until the end of the transaction: what begins in it is
 * seen by the next who asks.
 */
export async function isDaySpent(
  executor: Kysely<Tables>,
  tables: TableNames,
  organizationId: string,
  defaultDailyMinutes: number | null,
): Promise<boolean> {
  const { rows: limits } = await sql<{ limit: number }>`
    select ${limitMinutes(defaultDailyMinutes)} as limit from ${tables.organizations}
    where id = ${organizationId} for no key update`.execute(executor);
  const { limit } = only(limits);
  if (limit === Number.POSITIVE_INFINITY) return false;
  // A statement of its own: its snapshot begins after the lock was had.
  const { rows } = await sql<{ used: number }>`
    select ${usedMinutes(tables, sql`${organizationId}`)} as used`.execute(executor);
  return only(rows).used >= limit;
}

/**
 * Adds what the legs of a call cost to their days, as far as they are over and it was not added before. The carrier may
 * tell the seconds of a leg later: then the difference is added. The caller has locked the call.
 */
export async function countMinutes(
  executor: Kysely<Tables>,
  tables: TableNames,
  { id, mode, connection_id }: Pick<StoredCall, 'id' | 'mode' | 'connection_id'>,
): Promise<void> {
  if (mode !== 'live' || connection_id === null) return;
  await sql`
    with attempt as (
      update ${tables.attempts} a set minutes = now.minutes
      from (
        select a.id, a.minutes as before, ceil(coalesce(c.duration_seconds, 0) / 60.0)::integer as minutes
        from ${tables.attempts} a join ${tables.calls} c on c.id = a.call_id
        where a.call_id = ${id} and a.state = 'ended'
      ) now
      where a.id = now.id and now.minutes <> now.before
      returning a.intent_at as begun_at, now.minutes - now.before as added
    ), leg as (
      update ${tables.transfer_legs} l set minutes = now.minutes
      from (
        select id, minutes as before,
          ceil(coalesce(seconds, greatest(0, extract(epoch from ended_at - answered_at)), 0) / 60.0)::integer as minutes
        from ${tables.transfer_legs}
        where call_id = ${id} and dialed_at is not null and ended_at is not null
      ) now
      where l.id = now.id and now.minutes <> now.before
      returning l.dialed_at as begun_at, now.minutes - now.before as added
    )
    insert into ${tables.call_minutes} as d (organization_id, day, minutes)
    select c.organization_id, (ended.begun_at at time zone 'UTC')::date as day, sum(ended.added)
    from ${tables.calls} c cross join (select * from attempt union all select * from leg) ended
    where c.id = ${id}
    group by 1, 2 order by 2
    on conflict (organization_id, day) do update set minutes = d.minutes + excluded.minutes`.execute(
    executor,
  );
}
