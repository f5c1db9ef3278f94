import type { Scope } from '@callkite/core';
import { type Kysely, type RawBuilder, sql } from 'kysely';
import type { TableNames } from '../kernel/database.ts';
import type { Tables } from '../schema.ts';
import { attemptAge, isLive, type StoredAttempt, type StoredCall } from './call-rows.ts';

/*
 * Whatever changes a call or one of its attempts holds the call's row lock and takes it first, then reads the
 * attempt in a second statement: the first one's snapshot is older than the lock.
 */

export async function lockCall(
  executor: Kysely<Tables>,
  tables: TableNames,
  callId: string,
): Promise<StoredCall | null> {
  const { rows } = await sql<StoredCall>`
    select * from ${tables.calls} where id = ${callId} for no key update`.execute(executor);
  return rows[0] ?? null;
}

/** Whether a call belongs to this side of this organization. */
export function isWithin({ organizationId, mode }: Scope, call: StoredCall): boolean {
  return call.organization_id === organizationId && call.mode === mode;
}

/**
 * Finds a call that is not erased, for a statement that stores something said on it: the call is not erased before that
 * statement is done, and the erasure finds what it stored. The same goes for the sealing, after which `is_sealed` holds.
 */
export function unerasedCall(tables: TableNames, callId: string | null): RawBuilder<unknown> {
  return sql`
    select id, sealed_at is not null or summary is not null as is_sealed
    from ${tables.calls} where id = ${callId} and erased_at is null for share`;
}

export async function lockCallOfAttempt(
  executor: Kysely<Tables>,
  tables: TableNames,
  attemptId: string,
): Promise<{ readonly call: StoredCall; readonly attempt: StoredAttempt } | null> {
  const { rows } = await sql<StoredCall>`
    select * from ${tables.calls}
    where id = (select call_id from ${tables.attempts} where id = ${attemptId}) for no key update`.execute(
    executor,
  );
  const attempt = await readAttempt(executor, attemptId);
  return rows[0] === undefined || attempt === null ? null : { call: rows[0], attempt };
}

export async function readAttempt(
  executor: Kysely<Tables>,
  attemptId: string,
): Promise<StoredAttempt | null> {
  const row = await executor
    .selectFrom('attempts')
    .selectAll()
    .select(attemptAge.as('age_ms'))
    .where('id', '=', attemptId)
    .executeTakeFirst();
  return row ?? null;
}

export async function readLiveAttempt(
  executor: Kysely<Tables>,
  callId: string,
): Promise<StoredAttempt | null> {
  const row = await executor
    .selectFrom('attempts')
    .selectAll()
    .select(attemptAge.as('age_ms'))
    .where('call_id', '=', callId)
    .where(isLive)
    .executeTakeFirst();
  return row ?? null;
}
