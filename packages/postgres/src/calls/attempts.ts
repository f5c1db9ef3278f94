import type { CallReason } from '@callkite/contract';
import type { CallStore } from '@callkite/core';
import { type Kysely, sql } from 'kysely';
import type { Database, TableNames } from '../kernel/database.ts';
import type { Tables } from '../schema.ts';
import type { StoredAttempt, StoredCall } from './call-rows.ts';
import { endCall } from './ending.ts';
import { lockCallOfAttempt } from './locking.ts';

type AttemptsPart = Pick<
  CallStore,
  'attemptPlaced' | 'attemptUnknown' | 'attemptNotPlaced' | 'abandonAttempt' | 'countFruitlessLook'
>;

/**
 * How attempts are resolved. Whoever resolves one also decides what happens to the call next, in the same
 * transaction and whoever holds the lease of the attempt's job: a lease protects a job, not a call.
 */
export function createAttempts({ kysely, tables }: Database): AttemptsPart {
  /** Runs `change` on a locked call whose attempt is in one of the states. */
  const resolve = (
    attemptId: string,
    from: readonly StoredAttempt['state'][],
    change: (transaction: Kysely<Tables>, call: StoredCall, attempt: StoredAttempt) => Promise<boolean>,
  ) =>
    kysely.transaction().execute(async (transaction) => {
      const found = await lockCallOfAttempt(transaction, tables, attemptId);
      if (found === null || !from.includes(found.attempt.state)) return false;
      return change(transaction, found.call, found.attempt);
    });

  return {
    attemptPlaced(attemptId, providerCallId) {
      return resolve(
        attemptId,
        ['intent', 'unknown', 'placed', 'ended'],
        async (transaction, call, attempt) => {
          // A webhook may be quicker than the carrier's answer, and even a whole call.
          if (attempt.state === 'placed' || attempt.state === 'ended') {
            return attempt.provider_call_id === providerCallId;
          }
          if (!(await bindAttempt(transaction, tables, attempt, providerCallId))) return false;
          if (call.state === 'unknown') {
            await transaction
              .updateTable('calls')
              .set({ state: 'dialing' })
              .where('id', '=', call.id)
              .execute();
          }
          return true;
        },
      );
    },

    attemptUnknown(attemptId, lookInMs) {
      return resolve(attemptId, ['intent'], async (transaction, call, attempt) => {
        await sql`
          with job as (
            insert into ${tables.jobs} (kind, subject_id, organization_id, due_at)
            values ('watch_attempt', ${attempt.id}, ${attempt.organization_id},
              clock_timestamp() + ${lookInMs} * interval '1 millisecond')
            on conflict (kind, subject_id) do update
              set due_at = excluded.due_at, lease_token = null, tries = 0, buried_at = null, last_error = null
          ), attempt as (
            update ${tables.attempts} set state = 'unknown' where id = ${attempt.id}
          )
          update ${tables.calls} set state = 'unknown' where id = ${call.id}`.execute(transaction);
        return true;
      });
    },

    attemptNotPlaced(attemptId, next) {
      return resolve(attemptId, ['intent', 'unknown'], async (transaction, call, attempt) => {
        await closeAttempt(transaction, tables, attempt.id, 'not_placed');
        if (call.cancel_requested) {
          await endCall(transaction, tables, call.id, canceled);
        } else if ('reason' in next) {
          await endCall(transaction, tables, call.id, failed(next.reason));
        } else {
          await sql`
            update ${tables.calls} set state = 'queued',
              dialable_at = clock_timestamp() + ${next.retryInMs} * interval '1 millisecond'
            where id = ${call.id}`.execute(transaction);
        }
        return true;
      });
    },

    abandonAttempt(attemptId, reason) {
      return resolve(attemptId, ['intent', 'placed', 'unknown'], async (transaction, call, attempt) => {
        await endOpenAttempt(transaction, tables, { call, attempt }, 'ended', reason);
        return true;
      });
    },

    async countFruitlessLook(attemptId) {
      const row = await kysely
        .updateTable('attempts')
        .set({ fruitless_looks: sql`fruitless_looks + 1` })
        .where('id', '=', attemptId)
        .returning('fruitless_looks')
        .executeTakeFirst();
      return row?.fruitless_looks ?? 0;
    },
  };
}

/** Binds the carrier's call to an attempt the caller has locked. `false` when another attempt has that call. */
export async function bindAttempt(
  executor: Kysely<Tables>,
  tables: TableNames,
  attempt: StoredAttempt,
  providerCallId: string,
): Promise<boolean> {
  const { rows } = await sql`
    update ${tables.attempts} a set state = 'placed', provider_call_id = ${providerCallId}
    where id = ${attempt.id} and not exists (
      select 1 from ${tables.attempts} b
      where b.provider_call_id = ${providerCallId} and b.connection_id = a.connection_id)
    returning 1`.execute(executor);
  return rows.length > 0;
}

/** Closes an attempt the caller has locked, and ends the watch over it. */
export async function closeAttempt(
  executor: Kysely<Tables>,
  tables: TableNames,
  attemptId: string,
  state: 'not_placed' | 'ended',
): Promise<void> {
  await sql`
    with watch as (
      delete from ${tables.jobs} where kind = 'watch_attempt' and subject_id = ${attemptId}
    )
    update ${tables.attempts} set state = ${state} where id = ${attemptId}`.execute(executor);
}

/** Closes an attempt the caller has locked, and completes its call as failed: or as canceled, if that was asked for in time. */
export async function endOpenAttempt(
  executor: Kysely<Tables>,
  tables: TableNames,
  { call, attempt }: { readonly call: StoredCall; readonly attempt: StoredAttempt },
  state: 'not_placed' | 'ended',
  reason: CallReason,
): Promise<void> {
  await closeAttempt(executor, tables, attempt.id, state);
  const wasCanceled = call.cancel_requested && call.answered_at === null;
  await endCall(executor, tables, call.id, wasCanceled ? canceled : failed(reason));
}

const canceled = {
  outcome: { callStatus: 'not_picked_up', providerStatus: 'canceled' },
  reason: 'canceled_by_request',
} as const;

function failed(reason: CallReason) {
  return { outcome: { callStatus: 'not_picked_up', providerStatus: 'failed' }, reason } as const;
}
