import type { WorkflowDefinition } from '@callkite/contract';
import type { AttemptRecord, CallStore, ClaimResult, DialClaim } from '@callkite/core';
import { type Kysely, type Selectable, sql } from 'kysely';
import { isListed } from '../features/do-not-call/do-not-call-store.ts';
import { toConnection } from '../features/organizations/carrier-lines.ts';
import { isDaySpent } from '../features/usage/call-minutes.ts';
import { type CountedPrefix, countPrefix } from '../features/usage/dialed-prefixes.ts';
import { currentDefinition } from '../features/workflows/stored-definition.ts';
import { type Database, only, type TableNames } from '../kernel/database.ts';
import type { ConnectionRow, Tables } from '../schema.ts';
import { isLive, type StoredCall, toCall } from './call-rows.ts';
import { endQueuedCalls } from './ending.ts';

/**
 * Starts are kept this much further apart than the calls per second ask for: the carrier counts arrivals, and a
 * request that travels a little faster than the one before it must not make one too many in a second.
 */
const spacing = 1.04;

/** After which a claimed attempt is looked at, should its dialer have died. */
const watchAfterMs = 15_000;

/** When a place on a full line is asked for again; the end of a call is what frees one. */
const busyWaitMs = 500;

/** Calls ended in one step because they are too late or cost too much; the rest is left to the next. */
const endedAtOnce = 100;

interface Capacity {
  readonly open: number;
  readonly limit: number | null;
  readonly start_wait_ms: number;
  /** Whether the line may be used and has a call to dial. */
  readonly wanted: boolean;
}

/** The queue of each line: what may be dialed next, and when. */
export function createDialing({
  kysely,
  tables,
}: Database): Pick<CallStore, 'connectionsWithDueCalls' | 'claimNext'> {
  return {
    async connectionsWithDueCalls(limit) {
      // Calls past their deadline count whatever the state of their connection: claiming is what ends them.
      const { rows } = await sql<{ id: string }>`
        select id from (
          select c.id from ${tables.connections} c
          where c.status = 'active' and (c.down_until is null or c.down_until <= now())
            and exists (
              select 1 from ${tables.calls}
              where connection_id = c.id and state = 'queued' and dialable_at <= now())
          union
          select connection_id from ${tables.calls} where state = 'queued' and deadline_at <= now()
        ) due
        -- More connections than asked for: let none of them always be left out.
        order by random() limit ${limit}`.execute(kysely);
      return rows.map((row) => row.id);
    },

    claimNext(connectionId, attemptId, defaultDailyMinutes) {
      return kysely.transaction().execute(async (transaction): Promise<ClaimResult> => {
        const connection = await lockConnection(transaction, tables, connectionId);
        await endQueuedCalls(transaction, tables, {
          which:
            connection === null
              ? sql<boolean>`connection_id = ${connectionId}`
              : sql<boolean>`connection_id = ${connectionId} and deadline_at <= statement_timestamp()`,
          reason: 'carrier_unavailable',
          limit: endedAtOnce,
        });
        if (connection === null) return { result: 'idle' };

        const capacity = await readCapacity(transaction, tables, connectionId);
        if (!capacity.wanted) return { result: 'idle' };
        if (capacity.limit !== null && capacity.open >= capacity.limit) {
          return { result: 'wait', waitMs: busyWaitMs };
        }
        if (capacity.start_wait_ms > 0) return { result: 'wait', waitMs: Math.ceil(capacity.start_wait_ms) };

        const { organization_id: organizationId, mode } = connection;
        if (mode === 'live' && (await isDaySpent(transaction, tables, organizationId, defaultDailyMinutes))) {
          await endQueuedCalls(transaction, tables, {
            which: sql<boolean>`connection_id = ${connectionId} and dialable_at <= statement_timestamp()`,
            reason: 'spending_limit',
            limit: endedAtOnce,
          });
          return { result: 'spent', organizationId };
        }

        const next = await takeNextCall(transaction, tables, connectionId);
        if (next === null) return { result: 'wait', waitMs: busyWaitMs };
        const stored = await storeIntent(transaction, tables, { callId: next.id, connectionId }, attemptId);
        return {
          result: 'claimed',
          claim: {
            ...stored,
            definition: currentDefinition(next.definition),
            connection: toConnection(connection),
          },
        };
      });
    },
  };
}

async function lockConnection(executor: Kysely<Tables>, tables: TableNames, connectionId: string) {
  const { rows } = await sql<Selectable<ConnectionRow>>`
    select * from ${tables.connections} where id = ${connectionId} for no key update`.execute(executor);
  return rows[0] ?? null;
}

/** A statement of its own: its snapshot begins after the connection's lock was had, so it sees every open attempt. */
async function readCapacity(
  executor: Kysely<Tables>,
  tables: TableNames,
  connectionId: string,
): Promise<Capacity> {
  const { rows } = await sql<Capacity>`
    select
      (select count(*)::integer from ${tables.attempts} where connection_id = c.id and ${isLive})
        + ${openTransferLegs(tables)} as open,
      ${effectiveLimit} as limit,
      greatest(0, coalesce(extract(epoch from c.next_start_at - clock_timestamp()) * 1000, 0))::double precision
        as start_wait_ms,
      c.status = 'active' and (c.down_until is null or c.down_until <= clock_timestamp()) and exists (
        select 1 from ${tables.calls}
        where connection_id = c.id and state = 'queued' and dialable_at <= statement_timestamp()) as wanted
    from ${tables.connections} c where c.id = ${connectionId}`.execute(executor);
  return only(rows);
}

/** Somebody a call of the connection `c` is transferred to takes a place of the line as well. */
const openTransferLegs = (tables: TableNames) => sql<number>`(
  select count(*)::integer from ${tables.transfer_legs} l join ${tables.calls} of_leg on of_leg.id = l.call_id
  where l.connection_id = c.id and l.dialed_at is not null and l.ended_at is null
    and of_leg.state <> 'completed')`;

/** The account's limit, or what is left of it after the carrier refused, which recovers by one a minute. */
export const effectiveLimit = sql<number | null>`least(
  maximum_concurrent_calls,
  reduced_limit + floor(extract(epoch from clock_timestamp() - reduced_at) / 60)::integer)`;

/** Locks the call that waited longest and may be dialed; ends those it meets that opted out or were canceled. */
async function takeNextCall(
  executor: Kysely<Tables>,
  tables: TableNames,
  connectionId: string,
): Promise<{ readonly id: string; readonly definition: WorkflowDefinition } | null> {
  for (;;) {
    const { rows } = await sql<{
      id: string;
      definition: WorkflowDefinition;
      cancel_requested: boolean;
      opted_out: boolean;
    }>`
      select c.id, v.definition, c.cancel_requested, ${isListed(
        tables,
        { organizationId: sql`c.organization_id`, mode: sql`c.mode` },
        sql`c.to_number`,
        sql`c.to_key`,
      )} as opted_out
      from ${tables.calls} c
      join ${tables.workflow_versions} v on v.workflow_id = c.workflow_id and v.version = c.workflow_version
      where c.connection_id = ${connectionId} and c.state = 'queued' and c.dialable_at <= statement_timestamp()
        and c.deadline_at > clock_timestamp()
        and not exists (
          select 1 from ${tables.attempts} a
          where a.connection_id = c.connection_id and a.from_number = c.from_number and a.to_number = c.to_number
            and a.state in ('intent', 'placed', 'unknown'))
      order by c.dialable_at, c.id limit 1
      for no key update of c skip locked`.execute(executor);
    const [next] = rows;
    if (next === undefined) return null;
    if (!next.opted_out && !next.cancel_requested) return next;
    await endQueuedCalls(executor, tables, {
      which: sql<boolean>`id = ${next.id}`,
      reason: next.cancel_requested ? 'canceled_by_request' : 'blocked_dnc',
    });
  }
}

async function storeIntent(
  executor: Kysely<Tables>,
  tables: TableNames,
  { callId, connectionId }: { readonly callId: string; readonly connectionId: string },
  attemptId: string,
): Promise<Pick<DialClaim, 'attempt' | 'call' | 'velocityAlarm'>> {
  const { rows } = await sql<StoredCall & CountedPrefix & { intent_at: Date }>`
    with call as (
      update ${tables.calls} set state = 'dialing' where id = ${callId} returning *
    ), start as (
      update ${tables.connections} k
      set next_start_at = clock_timestamp() + ${1000 * spacing} / calls_per_second * interval '1 millisecond'
      from call where k.id = call.connection_id
    ), watch as (
      insert into ${tables.jobs} (kind, subject_id, organization_id, due_at)
      select 'watch_attempt', ${attemptId}, organization_id,
        clock_timestamp() + ${watchAfterMs} * interval '1 millisecond'
      from call
    ), attempt as (
      insert into ${tables.attempts} (id, call_id, organization_id, connection_id, from_number, to_number)
      select ${attemptId}, id, organization_id, connection_id, from_number, to_number from call
      returning intent_at
    ), prefix as (
      ${countPrefix(tables, sql`call`)}
    )
    select call.*, attempt.intent_at, (select velocity_alarm from prefix) as velocity_alarm
    from call cross join attempt`.execute(executor);
  const row = only(rows);
  const call = toCall(row);
  const attempt: AttemptRecord = {
    id: attemptId,
    callId,
    organizationId: call.organizationId,
    connectionId,
    from: call.from,
    to: call.to,
    state: 'intent',
    providerCallId: null,
    intentAt: row.intent_at,
    ageMs: 0,
    fruitlessLooks: 0,
  };
  return { attempt, call, velocityAlarm: row.velocity_alarm };
}
