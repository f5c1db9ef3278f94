import type { CallOutcome } from '@callkite/contract';
import type { BeginWebCall, WebCallStore } from '@callkite/core';
import { type Selectable, sql } from 'kysely';
import { type StoredCall, toCall } from '../../calls/call-rows.ts';
import { endCall } from '../../calls/ending.ts';
import { lockCall } from '../../calls/locking.ts';
import { type Database, only } from '../../kernel/database.ts';
import type { PublishableKeyRow, VisitRow } from '../../schema.ts';
import { budgetOf } from './visits.ts';

type LivingPart = Pick<
  WebCallStore,
  'begin' | 'takeOver' | 'keepAlive' | 'addContext' | 'end' | 'aliveForMs'
>;

const longestContext = 10_000;

/** Web calls from their first socket to their end. Who changes one locks the call first, then its visit. */
export function createWebCallLiving({ kysely, tables }: Database): LivingPart {
  return {
    begin(callId, { media, aliveMs }) {
      return kysely.transaction().execute(async (transaction): Promise<BeginWebCall> => {
        const { rows: visits } = await sql<
          Selectable<VisitRow> & Pick<PublishableKeyRow, 'mode'> & { stale: boolean }
        >`
          select v.*, k.mode,
            v.epoch > 0 or k.revoked_at is not null or v.token_expires_at <= clock_timestamp() as stale
          from ${tables.visits} v join ${tables.publishable_keys} k on k.id = v.key_id
          where v.call_id = ${callId} and v.kind = 'call' for no key update`.execute(transaction);
        const [visit] = visits;
        if (visit === undefined || visit.stale) return { result: 'stale' };
        const { rows: workflows } = await sql<{ name: string; current_version: number }>`
          select name, current_version from ${tables.workflows}
          where id = ${visit.workflow_id} and organization_id = ${visit.organization_id} and deleted_at is null
            and (mode = ${visit.mode} or (mode = 'live' and source <> 'prompt'))`.execute(transaction);
        const [workflow] = workflows;
        if (workflow === undefined) return { result: 'workflow-not-found' };
        if ((await budgetOf(transaction, tables, visit.key_id)).left <= 0) return { result: 'budget-spent' };
        const { rows } = await sql<StoredCall>`
          with job as (
            insert into ${tables.jobs} (kind, subject_id, organization_id, due_at)
            values ('watch_web_call', ${callId}, ${visit.organization_id},
              clock_timestamp() + ${aliveMs} * interval '1 millisecond')
          ), owned as (
            update ${tables.visits} set
              epoch = 1, media = ${media}, counted_at = clock_timestamp(),
              alive_until = clock_timestamp() + ${aliveMs} * interval '1 millisecond'
            where call_id = ${callId}
          ), bound_forms as (
            insert into ${tables.call_forms} (call_id, form_id, version, position)
            select ${callId}, f.id, f.current_version, min(named.position)
            from ${tables.workflow_versions} v
            cross join jsonb_array_elements_text(v.definition -> 'forms') with ordinality as named (id, position)
            join ${tables.forms} f
              on f.id = named.id and f.organization_id = ${visit.organization_id}
                and f.mode in ('live', ${visit.mode}) and f.deleted_at is null
            where v.workflow_id = ${visit.workflow_id} and v.version = ${workflow.current_version}
            group by f.id, f.current_version
          )
          insert into ${tables.calls} (
            id, organization_id, mode, origin, workflow_id, workflow_version, workflow_name, from_number, to_number,
            recipient_name, recipient_email, recipient_context, state, answered_by, answered_at, deadline_at)
          values (
            ${callId}, ${visit.organization_id}, ${visit.mode}, 'workflow', ${visit.workflow_id},
            ${workflow.current_version}, ${workflow.name}, 'browser', 'browser',
            ${visit.name}, ${visit.email}, ${visit.context}, 'in_progress', 'human', clock_timestamp(),
            clock_timestamp())
          returning *`.execute(transaction);
        return { result: 'begun', call: toCall(only(rows)), epoch: 1 };
      });
    },

    takeOver(callId, aliveMs) {
      return kysely.transaction().execute(async (transaction) => {
        const call = await lockCall(transaction, tables, callId);
        if (call === null || call.state === 'completed') return null;
        const { rows } = await sql<{ epoch: number }>`
          update ${tables.visits} set
            epoch = epoch + 1, alive_until = clock_timestamp() + ${aliveMs} * interval '1 millisecond'
          where call_id = ${callId} and epoch > 0 returning epoch`.execute(transaction);
        return rows[0]?.epoch ?? null;
      });
    },

    async keepAlive(callId, epoch, aliveMs) {
      const { rows } = await sql<{ cancel_requested: boolean }>`
        update ${tables.visits} v set alive_until = clock_timestamp() + ${aliveMs} * interval '1 millisecond'
        from ${tables.calls} c
        where v.call_id = ${callId} and v.epoch = ${epoch} and c.id = v.call_id and c.state <> 'completed'
        returning c.cancel_requested`.execute(kysely);
      const [row] = rows;
      if (row === undefined) return 'lost';
      return row.cancel_requested ? 'canceled' : 'held';
    },

    async addContext(callId, text) {
      await sql`
        update ${tables.calls} set recipient_context = concat_ws(chr(10), recipient_context, ${text}::text)
        where id = ${callId} and state <> 'completed'
          and length(coalesce(recipient_context, '')) + length(${text}) < ${longestContext}`.execute(kysely);
    },

    end(callId, epoch, reason) {
      return kysely.transaction().execute(async (transaction) => {
        const call = await lockCall(transaction, tables, callId);
        if (call === null || call.state === 'completed') return null;
        // The next epoch belongs to nobody: an owner that says a moment later that it is alive is told otherwise.
        const { rows } = await sql`
          with ended as (
            update ${tables.visits} set epoch = epoch + 1
            where call_id = ${callId} and epoch > 0 and case
              when ${epoch}::integer is null then alive_until <= clock_timestamp()
              else epoch = ${epoch}::integer end
            returning call_id
          ), watch as (
            delete from ${tables.jobs} j using ended
            where j.kind = 'watch_web_call' and j.subject_id = ended.call_id
          )
          select 1 from ended`.execute(transaction);
        if (rows.length === 0) return null;
        const ended = await endCall(transaction, tables, callId, {
          outcome: outcomeOf(call),
          reason: call.cancel_requested ? 'canceled_by_request' : reason,
        });
        return toCall(ended);
      });
    },

    async aliveForMs(callId) {
      const { rows } = await sql<{ alive_ms: number }>`
        select greatest(0, extract(epoch from v.alive_until - clock_timestamp()) * 1000)::double precision as alive_ms
        from ${tables.visits} v join ${tables.calls} c on c.id = v.call_id
        where v.call_id = ${callId} and c.state <> 'completed'`.execute(kysely);
      return rows[0]?.alive_ms ?? null;
    },
  };
}

function outcomeOf(call: StoredCall): CallOutcome {
  if (call.transcript_length > 0 && !call.agent_failed)
    return { callStatus: 'success', providerStatus: 'completed' };
  return { callStatus: 'not_picked_up', providerStatus: call.cancel_requested ? 'canceled' : 'failed' };
}
