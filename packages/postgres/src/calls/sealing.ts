import type { CallOutcome, CallReason } from '@callkite/contract';
import { type CallStore, sealedEnd } from '@callkite/core';
import { sql } from 'kysely';
import { type Database, only } from '../kernel/database.ts';
import { toCall } from './call-rows.ts';
import { lockCall } from './locking.ts';

type SealingPart = Pick<
  CallStore,
  'holdConversation' | 'prolongConversations' | 'releaseConversation' | 'seal'
>;

interface SealFacts {
  readonly conversation: 'none' | 'ended' | 'lost';
  readonly wait_ms: number;
  readonly was_transferred: boolean;
  readonly agent_was_heard: boolean;
}

/** Who talks on a call, and the moment from which nothing is added to what was said. */
export function createSealing({ kysely, tables }: Database): SealingPart {
  const inMs = (ms: number) => sql`clock_timestamp() + ${ms} * interval '1 millisecond'`;

  return {
    async holdConversation(callId, holder, leaseMs) {
      // Whoever ends the call has the row's lock: either it finds this conversation, or this finds the end.
      const { rows } = await sql`
        with call as (
          select id from ${tables.calls} where id = ${callId} and state <> 'completed' for share
        )
        insert into ${tables.conversations} (call_id, holder, held_until)
        select id, ${holder}, ${inMs(leaseMs)} from call
        on conflict (call_id) do update set holder = excluded.holder, held_until = excluded.held_until
        returning 1`.execute(kysely);
      return rows.length > 0;
    },

    async prolongConversations(holders, leaseMs) {
      const { rows } = await sql<{ holder: string; is_over: boolean }>`
        update ${tables.conversations} v set held_until = ${inMs(leaseMs)}
        from ${tables.calls} c
        where v.holder = any(${holders}) and v.held_until is not null and c.id = v.call_id
        returning v.holder, c.state = 'completed' as is_over`.execute(kysely);
      return rows.flatMap(({ holder, is_over }) => (is_over ? [] : holder));
    },

    async releaseConversation(callId, holder) {
      await sql`
        update ${tables.conversations} set held_until = null
        where call_id = ${callId} and holder = ${holder}`.execute(kysely);
    },

    seal(callId, { settle, lease, longest }) {
      return kysely.transaction().execute(async (transaction) => {
        const row = await lockCall(transaction, tables, callId);
        if (row?.state !== 'completed' || row.erased_at !== null) return null;
        if (row.sealed_at !== null) return { sealed: true };
        const call = toCall(row);
        if (call.outcome === null) throw new Error('a completed call has an outcome');
        const { rows } = await sql<SealFacts>`
          select
            case when v.call_id is null then 'none' when v.held_until is null then 'ended' else 'lost' end
              as conversation,
            case
              when v.call_id is null then case when c.answered_at is null then 0 else ${settle} - o.over_ms end
              when v.held_until is null then 0
              else least(${longest} - o.over_ms, greatest(
                ${lease} - o.over_ms, extract(epoch from v.held_until - clock_timestamp()) * 1000))
            end::double precision as wait_ms,
            exists (select from ${tables.transfers} t where t.call_id = c.id and t.outcome = 'connected')
              as was_transferred,
            exists (select from ${tables.transcript} t where t.call_id = c.id and t.role = 'assistant')
              as agent_was_heard
          from ${tables.calls} c
          cross join lateral (
            select extract(epoch from clock_timestamp() - c.ended_at) * 1000 as over_ms) o
          left join ${tables.conversations} v on v.call_id = c.id
          where c.id = ${callId}`.execute(transaction);
        const facts = only(rows);
        if (facts.wait_ms > 0) return { sealed: false, againInMs: facts.wait_ms };
        const end: { outcome: CallOutcome; reason: CallReason | null } = sealedEnd({
          outcome: call.outcome,
          reason: call.reason,
          conversation: facts.conversation,
          conversationOver: call.conversationOver,
          wasTransferred: facts.was_transferred,
          agentWasHeard: facts.agent_was_heard,
          durationSeconds: call.durationSeconds,
        });
        await transaction
          .updateTable('calls')
          .set({
            sealed_at: sql`clock_timestamp()`,
            call_status: end.outcome.callStatus,
            provider_status: end.outcome.providerStatus,
            reason: end.reason,
          })
          .where('id', '=', callId)
          .execute();
        return { sealed: true };
      });
    },
  };
}
