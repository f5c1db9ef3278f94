import type { CallOutcome, CallReason } from '@callkite/contract';
import type { AnsweredBy } from '@callkite/core';
import { type Kysely, type RawBuilder, sql } from 'kysely';
import { countMinutes } from '../features/usage/call-minutes.ts';
import { only, type TableNames } from '../kernel/database.ts';
import type { Tables } from '../schema.ts';
import type { StoredCall } from './call-rows.ts';

export interface CallEnd {
  readonly outcome: CallOutcome;
  /** Gives way to a reason that was noted during the call. */
  readonly reason: CallReason | null;
  readonly answeredBy?: AnsweredBy | null;
  /** Of the conversation. When unknown it is taken from the clock, for an answered call. */
  readonly durationSeconds?: number | null;
  /** The carrier says that the call was answered. */
  readonly answered?: boolean;
}

/**
 * Completes a call the caller has locked, with its transfer, counts what it cost, and enqueues the work that follows.
 * Its attempt is closed already.
 */
export async function endCall(
  executor: Kysely<Tables>,
  tables: TableNames,
  callId: string,
  end: CallEnd,
): Promise<StoredCall> {
  const duration = sql`${end.durationSeconds ?? null}::integer`;
  const { rows } = await sql<StoredCall>`
    with job as (
      insert into ${tables.jobs} (kind, subject_id, organization_id)
      select 'finish_call', id, organization_id from ${tables.calls} where id = ${callId}
      on conflict do nothing
    ), transfer as (
      update ${tables.transfers} set
        ended_at = clock_timestamp(), outcome = coalesce(outcome, 'call_ended')
      where call_id = ${callId} and ended_at is null
    ), leg as (
      update ${tables.transfer_legs} set
        ended_at = clock_timestamp(), outcome = coalesce(outcome, 'call_ended')
      where call_id = ${callId} and dialed_at is not null and ended_at is null
    )
    update ${tables.calls} set
      state = 'completed',
      call_status = ${end.outcome.callStatus},
      provider_status = ${end.outcome.providerStatus},
      reason = coalesce(reason, ${end.reason}),
      answered_by = coalesce(${end.answeredBy ?? null}, answered_by),
      ended_at = clock_timestamp(),
      answered_at = case when ${end.answered ?? false}
        then coalesce(answered_at, clock_timestamp() - make_interval(secs => coalesce(${duration}, 0)))
        else answered_at end,
      duration_seconds = coalesce(${duration}, round(extract(epoch from clock_timestamp() - answered_at))::integer)
    where id = ${callId}
    returning *`.execute(executor);
  const ended = only(rows);
  await countMinutes(executor, tables, ended);
  return ended;
}

/**
 * Completes queued calls that will not be dialed, at most `limit` of them: as failed, or as canceled for the reason
 * `canceled_by_request`.
 * @returns the completed calls
 */
export async function endQueuedCalls(
  executor: Kysely<Tables>,
  tables: TableNames,
  options: {
    readonly which: RawBuilder<boolean>;
    readonly reason: CallReason;
    readonly limit?: number;
  },
): Promise<readonly StoredCall[]> {
  const isCancel = options.reason === 'canceled_by_request';
  const { rows } = await sql<StoredCall>`
    with chosen as (
      select id from ${tables.calls} where state = 'queued' and ${options.which}
      order by id limit ${options.limit ?? null} for no key update
    ), ended as (
      update ${tables.calls} c set
        state = 'completed',
        call_status = 'not_picked_up',
        provider_status = ${isCancel ? 'canceled' : 'failed'},
        cancel_requested = cancel_requested or ${isCancel},
        reason = coalesce(reason, ${options.reason}),
        ended_at = clock_timestamp()
      from chosen where c.id = chosen.id
      returning c.*
    ), generation as (
      delete from ${tables.jobs} j using ended where j.kind in ('generate_workflow', 'write_voicemail') and j.subject_id = ended.id
    ), job as (
      insert into ${tables.jobs} (kind, subject_id, organization_id)
      select 'finish_call', id, organization_id from ended
      on conflict do nothing
    )
    select * from ended`.execute(executor);
  return rows;
}
