import type { TransferOutcome } from '@callkite/contract';
import type { TransferLeg, TransferRecord, TransferStep, TransferStore } from '@callkite/core';
import { type Kysely, type Selectable, sql } from 'kysely';
import type { StoredCall } from '../../calls/call-rows.ts';
import { lockCall, unerasedCall } from '../../calls/locking.ts';
import type { Database, TableNames } from '../../kernel/database.ts';
import type { Tables, TransferLegRow, TransferRow } from '../../schema.ts';
import { isListed } from '../do-not-call/do-not-call-store.ts';
import { countMinutes, isDaySpent } from '../usage/call-minutes.ts';
import { countPrefix } from '../usage/dialed-prefixes.ts';
import { createTransferIntegrations } from './transfer-integrations.ts';

export function createTransferStore(database: Database): TransferStore {
  return { ...createTransferIntegrations(database), ...createTransfers(database) };
}

type TransfersPart = Pick<
  TransferStore,
  'request' | 'proceed' | 'report' | 'takeBack' | 'storeMessage' | 'ofCall'
>;

/** The transfers of calls. Whatever changes one holds the row lock of its call. */
function createTransfers({ kysely, tables }: Database): TransfersPart {
  return {
    request(transfer) {
      return kysely.transaction().execute(async (transaction) => {
        const call = await lockCall(transaction, tables, transfer.callId);
        if (call === null || call.connection_id === null) return false;
        const { connection_id } = call;
        const earlier = await readTransfers(transaction, transfer.callId);
        if (earlier.some(({ id }) => id === transfer.id)) return true;
        if (isEnding(call) || earlier.some(({ endedAt }) => endedAt === null)) return false;
        await transaction
          .insertInto('transfers')
          .values({
            id: transfer.id,
            call_id: transfer.callId,
            integration_id: transfer.integrationId,
            name: transfer.name,
            mode: transfer.mode,
            ring_seconds: transfer.ringSeconds,
            take_messages: transfer.takeMessages,
            reason: transfer.reason,
            summary: transfer.summary,
          })
          .execute();
        await transaction
          .insertInto('transfer_legs')
          .values(
            transfer.legs.map(({ id, to, source }, position) => ({
              id,
              transfer_id: transfer.id,
              call_id: transfer.callId,
              connection_id,
              position,
              to_number: to,
              source,
            })),
          )
          .execute();
        return true;
      });
    },

    proceed(callId, keyOf, defaultDailyMinutes) {
      return kysely.transaction().execute(async (transaction): Promise<TransferStep> => {
        const call = await lockCall(transaction, tables, callId);
        if (call === null) return { step: 'none' };
        const transfer = (await readTransfers(transaction, callId)).find(({ endedAt }) => endedAt === null);
        if (transfer === undefined) {
          const unreturned = isEnding(call) ? null : await readUnreturned(transaction, callId);
          return { step: unreturned === null ? 'none' : 'return' };
        }
        if (transfer.outcome === 'connected') return { step: 'connected' };
        if (isEnding(call)) {
          await endTransfer(transaction, tables, transfer.id, 'call_ended');
          return { step: 'none' };
        }
        const open = transfer.legs.find(({ dialedAt, endedAt }) => dialedAt !== null && endedAt === null);
        if (open !== undefined) {
          const isKnown = open.providerCallId !== null || open.answeredAt !== null;
          if (isKnown) return { step: 'under-way', transfer, leg: open };
          return { step: 'dial', transfer, leg: open, velocityAlarm: null };
        }
        const isSpent =
          call.mode === 'live' &&
          (await isDaySpent(transaction, tables, call.organization_id, defaultDailyMinutes));
        const leg = await dialNext(transaction, tables, call, transfer.legs, (to) =>
          isSpent ? null : keyOf(to),
        );
        if (leg !== null) {
          const { organization_id, mode } = call;
          const dialed = sql`(values (${organization_id}, ${mode}, ${leg.to})) as dialed (organization_id, mode, to_number)`;
          const [counted] = (await countPrefix(tables, dialed).execute(transaction)).rows;
          return { step: 'dial', transfer, leg, velocityAlarm: counted?.velocity_alarm ?? null };
        }
        const last = (await readTransfers(transaction, callId))
          .find(({ id }) => id === transfer.id)
          ?.legs.at(-1);
        await endTransfer(transaction, tables, transfer.id, last?.outcome ?? 'failed');
        return { step: 'return' };
      });
    },

    report(legId, { providerCallId, progress, outcome, seconds }) {
      return kysely.transaction().execute(async (transaction) => {
        const callId = await callOfLeg(transaction, legId);
        if (callId === null) return null;
        const call = await lockCall(transaction, tables, callId);
        const isConnected = progress === 'connected' || outcome === 'connected';
        const isAnswered = isConnected || progress === 'answered';
        await sql`
          with leg as (
            update ${tables.transfer_legs} set
              provider_call_id = coalesce(provider_call_id, ${providerCallId}),
              answered_at = case when ${isAnswered}
                then coalesce(answered_at, clock_timestamp() - make_interval(secs => coalesce(${seconds}::integer, 0)))
                else answered_at end,
              ended_at = case when ${progress === 'ended'} then coalesce(ended_at, clock_timestamp()) else ended_at end,
              seconds = coalesce(seconds, ${seconds}),
              outcome = case when ${isConnected} then 'connected' else coalesce(outcome, ${outcome}) end
            where id = ${legId} and dialed_at is not null
            returning transfer_id, outcome, ended_at
          )
          update ${tables.transfers} t set
            outcome = 'connected', ended_at = coalesce(t.ended_at, leg.ended_at)
          from leg where t.id = leg.transfer_id and leg.outcome = 'connected'`.execute(transaction);
        if (call !== null) await countMinutes(transaction, tables, call);
        const transfers = await readTransfers(transaction, callId);
        return (
          transfers.find(({ legs }) => legs.some(({ id, dialedAt }) => id === legId && dialedAt !== null)) ??
          null
        );
      });
    },

    takeBack(callId) {
      return kysely.transaction().execute(async (transaction) => {
        await lockCall(transaction, tables, callId);
        const id = await readUnreturned(transaction, callId);
        if (id === null) return null;
        await sql`
          with call as (
            update ${tables.calls} set conversation_over = false where id = ${callId}
          )
          update ${tables.transfers} set returned_at = clock_timestamp() where id = ${id}`.execute(
          transaction,
        );
        const transfers = await readTransfers(transaction, callId);
        return transfers.find((transfer) => transfer.id === id) ?? null;
      });
    },

    async storeMessage(callId, transferId, message) {
      const { rows } = await sql`
        with call as (${unerasedCall(tables, callId)})
        update ${tables.transfers} t set message = ${message} from call
        where t.id = ${transferId} and t.call_id = call.id
        returning 1`.execute(kysely);
      return rows.length > 0;
    },

    ofCall: (callId) => readTransfers(kysely, callId),
  };
}

/** A call that is over, or only waits for the carrier to say so. */
function isEnding(call: StoredCall): boolean {
  return call.state === 'completed' || call.cancel_requested || call.reason !== null;
}

/** Marks the first number that was not tried yet as dialed, passing over those that must not be rung. */
async function dialNext(
  executor: Kysely<Tables>,
  tables: TableNames,
  call: StoredCall,
  legs: readonly TransferLeg[],
  keyOf: (to: string) => string | null,
): Promise<TransferLeg | null> {
  const of = { organizationId: sql`${call.organization_id}`, mode: sql`${call.mode}` };
  for (const { id, to } of legs.filter(({ endedAt }) => endedAt === null)) {
    const key = keyOf(to);
    const { rows } = await sql<Selectable<TransferLegRow>>`
      update ${tables.transfer_legs} l set
        dialed_at = case when refused.yes then null else clock_timestamp() end,
        ended_at = case when refused.yes then clock_timestamp() end,
        outcome = case when refused.yes then 'not_allowed' end
      from (
        select ${key === null} or ${isListed(tables, of, sql`${to}`, sql`${key}`)} as yes
      ) refused
      where l.id = ${id} returning l.*`.execute(executor);
    const [row] = rows;
    if (row !== undefined && row.ended_at === null) return toLeg(row);
  }
  return null;
}

async function endTransfer(
  executor: Kysely<Tables>,
  tables: TableNames,
  transferId: string,
  outcome: TransferOutcome,
): Promise<void> {
  await sql`
    update ${tables.transfers} set ended_at = clock_timestamp(), outcome = coalesce(outcome, ${outcome})
    where id = ${transferId} and ended_at is null`.execute(executor);
}

/** The transfer that nobody took, as long as the callee is not back with the agent. */
async function readUnreturned(executor: Kysely<Tables>, callId: string): Promise<string | null> {
  const row = await executor
    .selectFrom('transfers')
    .select('id')
    .where('call_id', '=', callId)
    .where('ended_at', 'is not', null)
    .where('returned_at', 'is', null)
    .where('outcome', 'not in', ['connected', 'call_ended'])
    .executeTakeFirst();
  return row?.id ?? null;
}

async function callOfLeg(executor: Kysely<Tables>, legId: string): Promise<string | null> {
  const row = await executor
    .selectFrom('transfer_legs')
    .select('call_id')
    .where('id', '=', legId)
    .executeTakeFirst();
  return row?.call_id ?? null;
}

async function readTransfers(executor: Kysely<Tables>, callId: string): Promise<readonly TransferRecord[]> {
  const transfers = await executor
    .selectFrom('transfers')
    .selectAll()
    .where('call_id', '=', callId)
    .orderBy('requested_at')
    .orderBy('id')
    .execute();
  if (transfers.length === 0) return [];
  const legs = await executor
    .selectFrom('transfer_legs')
    .selectAll()
    .where(
      'transfer_id',
      'in',
      transfers.map(({ id }) => id),
    )
    .orderBy('position')
    .execute();
  return transfers.map((row) => toTransfer(row, legs));
}

function toTransfer(
  row: Selectable<TransferRow>,
  legs: readonly Selectable<TransferLegRow>[],
): TransferRecord {
  return {
    id: row.id,
    callId: row.call_id,
    integrationId: row.integration_id,
    name: row.name,
    mode: row.mode,
    ringSeconds: row.ring_seconds,
    takeMessages: row.take_messages,
    reason: row.reason,
    summary: row.summary,
    legs: legs.filter(({ transfer_id }) => transfer_id === row.id).map(toLeg),
    outcome: row.outcome,
    message: row.message,
    requestedAt: row.requested_at,
    endedAt: row.ended_at,
  };
}

function toLeg(row: Selectable<TransferLegRow>): TransferLeg {
  return {
    id: row.id,
    to: row.to_number,
    source: row.source,
    outcome: row.outcome,
    providerCallId: row.provider_call_id,
    dialedAt: row.dialed_at,
    answeredAt: row.answered_at,
    endedAt: row.ended_at,
    seconds: row.seconds,
  };
}
