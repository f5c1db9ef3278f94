import { CallkiteError, type CallStore } from '@callkite/core';
import { sql } from 'kysely';
import { addDeliveries } from '../features/notifications/delivery-store.ts';
import { addVersion } from '../features/workflows/workflow-store.ts';
import { type Database, only } from '../kernel/database.ts';
import { toAttempt, toCall } from './call-rows.ts';
import { endQueuedCalls } from './ending.ts';
import { isWithin, lockCall, readLiveAttempt } from './locking.ts';
import { dropRefusedWords } from './refused-words.ts';

type LivingPart = Pick<
  CallStore,
  | 'setGeneratedWorkflow'
  | 'setVoicemailMessage'
  | 'cancel'
  | 'noteReason'
  | 'noteAgentFailed'
  | 'noteHeard'
  | 'noteConversationOver'
  | 'countLostChannel'
  | 'appendTranscript'
  | 'finishCall'
>;

/** What happens to a call besides dialing: its workflow, cancellation, conversation and result. */
export function createLiving({ schema, kysely, tables, prepared }: Database): LivingPart {
  // Of all that is stored while people talk, this comes most often.
  const appending = `
    with counted as (
      update ${schema}.calls set transcript_length = transcript_length + 1
      where id = $1 and erased_at is null and sealed_at is null and summary is null
      returning transcript_length
    )
    insert into ${schema}.transcript (call_id, number, role, content, interrupted)
    select $1, transcript_length, $2, $3, $4 from counted
    returning number`;

  return {
    async setGeneratedWorkflow(callId, generated) {
      await kysely.transaction().execute(async (transaction) => {
        const call = await lockCall(transaction, tables, callId);
        if (call === null || call.dialable_at !== null || call.state === 'completed') return;
        let version = call.workflow_version;
        if (generated !== null) {
          const { rows } = await sql<{ current_version: number }>`
            select current_version from ${tables.workflows} where id = ${call.workflow_id}
            for no key update`.execute(transaction);
          version = only(rows).current_version + 1;
          await addVersion(transaction, tables, { id: call.workflow_id, version, ...generated });
        }
        await transaction
          .updateTable('calls')
          .set({
            workflow_version: version,
            workflow_name: generated?.name ?? call.workflow_name,
            dialable_at: sql`clock_timestamp()`,
          })
          .where('id', '=', callId)
          .execute();
      });
    },

    async setVoicemailMessage(callId, message) {
      await kysely
        .updateTable('calls')
        .set({ voicemail_message: message, dialable_at: sql`clock_timestamp()` })
        .where('id', '=', callId)
        .where('dialable_at', 'is', null)
        .where('state', '!=', 'completed')
        .execute();
    },

    cancel(scope, callId) {
      return kysely.transaction().execute(async (transaction) => {
        const call = await lockCall(transaction, tables, callId);
        if (call === null || !isWithin(scope, call)) return null;
        if (call.state === 'completed') return { call: toCall(call), attempt: null };
        if (call.state === 'queued') {
          const ended = await endQueuedCalls(transaction, tables, {
            which: sql<boolean>`id = ${callId}`,
            reason: 'canceled_by_request',
          });
          return { call: toCall(only(ended)), attempt: null };
        }
        await transaction
          .updateTable('calls')
          .set({ cancel_requested: true })
          .where('id', '=', callId)
          .execute();
        const attempt = await readLiveAttempt(transaction, callId);
        return {
          call: toCall({ ...call, cancel_requested: true }),
          attempt: attempt === null ? null : toAttempt(attempt),
        };
      });
    },

    async noteReason(callId, reason) {
      await kysely
        .updateTable('calls')
        .set({ reason })
        .where('id', '=', callId)
        .where('state', 'not in', ['queued', 'completed'])
        .where('reason', 'is', null)
        .execute();
    },

    async noteAgentFailed(callId) {
      await kysely
        .updateTable('calls')
        .set({ reason: 'agent_unavailable', agent_failed: true })
        .where('id', '=', callId)
        .where('state', 'not in', ['queued', 'completed'])
        .where('reason', 'is', null)
        .execute();
    },

    async noteConversationOver(callId) {
      await kysely.updateTable('calls').set({ conversation_over: true }).where('id', '=', callId).execute();
    },

    async noteHeard(callId, heard) {
      await kysely
        .updateTable('calls')
        .set({ heard })
        .where('id', '=', callId)
        .where('state', 'not in', ['queued', 'completed'])
        .execute();
    },

    async countLostChannel(callId) {
      const row = await kysely
        .updateTable('calls')
        .set({ lost_channels: sql`lost_channels + 1` })
        .where('id', '=', callId)
        .returning('lost_channels')
        .executeTakeFirst();
      if (row === undefined) throw noSuchCall();
      return row.lost_channels;
    },

    async appendTranscript(callId, entry) {
      const { role, content, interrupted } = entry;
      const values = [callId, role, content, interrupted];
      const [row] = await prepared<{ number: number }>('append_transcript', appending, values);
      if (row === undefined) throw noSuchCall();
      return row.number;
    },

    finishCall(callId, summary, deliveries) {
      return kysely.transaction().execute(async (transaction) => {
        const row = await transaction
          .updateTable('calls')
          .set({ summary })
          .where('id', '=', callId)
          .where('state', '=', 'completed')
          .where('summary', 'is', null)
          .returning('id')
          .executeTakeFirst();
        if (row === undefined) return false;
        await addDeliveries(transaction, tables, deliveries);
        await dropRefusedWords(transaction, tables, callId);
        return true;
      });
    },
  };
}

function noSuchCall(): CallkiteError {
  return new CallkiteError('not_found', 'Call not found');
}
