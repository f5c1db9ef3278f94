import type { CallStore } from '@callkite/core';
import { type RawBuilder, sql } from 'kysely';
import { type Database, only } from '../kernel/database.ts';
import { isLive } from './call-rows.ts';
import { effectiveLimit } from './dialing.ts';

type UpkeepPart = Pick<
  CallStore,
  'pauseConnection' | 'setConnectionDown' | 'reduceConcurrency' | 'adoptOrphans' | 'purgeIdempotency'
>;

/** What keeps lines and queues healthy. */
export function createUpkeep({ kysely, tables }: Database): UpkeepPart {
  const updateConnection = async (connectionId: string, change: RawBuilder<unknown>) => {
    await sql`update ${tables.connections} set ${change} where id = ${connectionId}`.execute(kysely);
  };

  return {
    pauseConnection: (connectionId) =>
      updateConnection(connectionId, sql`status = case when status = 'active' then 'paused' else status end`),

    setConnectionDown: (connectionId, forMs) =>
      updateConnection(
        connectionId,
        forMs > 0
          ? sql`down_until = clock_timestamp() + ${forMs} * interval '1 millisecond'`
          : sql`down_until = null`,
      ),

    // Half of what was in use when the carrier refused: an unlimited account has no other number to start from.
    reduceConcurrency: (connectionId) =>
      updateConnection(
        connectionId,
        sql`reduced_at = clock_timestamp(), reduced_limit = greatest(1, least(${effectiveLimit}, (
          select count(*)::integer from ${tables.attempts} where connection_id = ${connectionId} and ${isLive})) / 2)`,
      ),

    async adoptOrphans() {
      const { rows } = await sql<{ adopted: number }>`
        with unwatched as (
          insert into ${tables.jobs} (kind, subject_id, organization_id)
          select 'watch_attempt', a.id, a.organization_id
          from ${tables.calls} c join ${tables.attempts} a on a.call_id = c.id
          where c.state not in ('queued', 'completed') and a.state in ('intent', 'placed', 'unknown')
            and not exists (select from ${tables.jobs} j where j.kind = 'watch_attempt' and j.subject_id = a.id)
          on conflict do nothing returning 1
        ), unwatched_web as (
          insert into ${tables.jobs} (kind, subject_id, organization_id)
          select 'watch_web_call', c.id, c.organization_id from ${tables.calls} c
          where c.state not in ('queued', 'completed') and c.connection_id is null
            and not exists (select from ${tables.jobs} j where j.kind = 'watch_web_call' and j.subject_id = c.id)
          on conflict do nothing returning 1
        ), abandoned as (
          update ${tables.calls} c set
            state = 'completed', call_status = 'not_picked_up', provider_status = 'failed',
            reason = coalesce(reason, 'internal'), ended_at = clock_timestamp()
          where c.state not in ('queued', 'completed') and c.connection_id is not null and not exists (
            select from ${tables.attempts} a
            where a.call_id = c.id and a.state in ('intent', 'placed', 'unknown'))
          returning c.id, c.organization_id
        ), unfinished as (
          insert into ${tables.jobs} (kind, subject_id, organization_id)
          select 'finish_call', id, organization_id from abandoned
          union all
          select 'finish_call', c.id, c.organization_id from ${tables.calls} c
          where c.state = 'completed' and c.summary is null
            and not exists (select from ${tables.jobs} j where j.kind = 'finish_call' and j.subject_id = c.id)
          on conflict do nothing returning 1
        )
        select ((select count(*) from unwatched) + (select count(*) from unwatched_web)
          + (select count(*) from unfinished))::integer as adopted`.execute(kysely);
      return only(rows).adopted;
    },

    async purgeIdempotency() {
      await sql`
        delete from ${tables.idempotency} where expires_at < now() - interval '1 hour'`.execute(kysely);
    },
  };
}
