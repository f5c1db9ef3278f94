import { type AcceptCall, type AcceptResult, CallkiteError, type CallStore } from '@callkite/core';
import { sql } from 'kysely';
import { isListed } from '../features/do-not-call/do-not-call-store.ts';
import { nextDayStart, usedMinutes } from '../features/usage/call-minutes.ts';
import { type Database, only } from '../kernel/database.ts';
import { isConnectionLost, sqlState } from '../kernel/failures.ts';

interface Verdict {
  readonly result: AcceptResult['result'];
  /** Whether an accepted call was stored: not when another request got the idempotency key meanwhile. */
  readonly stored: boolean;
  readonly connection_id: string | null;
  readonly retry_after: number | null;
  readonly status: number | null;
  readonly body: string | null;
  readonly call_id: string | null;
  readonly fingerprint: string | null;
}

/**
 * One statement decides and stores. Everything is judged on one snapshot; only two things look past it, because they
 * must: the claim of the idempotency key waits for a request that holds the key and has not committed, and the workflow
 * of a prompt call for an erasure that may be blanking it.
 */
function statement({ schema, kysely, tables }: Database): string {
  const used = usedMinutes(tables, sql.raw('o.id')).compile(kysely).sql;
  const nextDay = nextDayStart.compile(kysely).sql;
  const listed = isListed(
    tables,
    { organizationId: sql.raw('$2'), mode: sql.raw('$3') },
    sql.raw('$4'),
    sql.raw('$23'),
  ).compile(kysely).sql;
  return `
with input as (
  select $1::text as call_id, $2::text as organization_id, $3::text as mode, $4::text as to_number,
    $5::text as recipient_name, $6::text as recipient_email, $7::text as recipient_context,
    $8::text as callback_url, $9::text as sealed_callback_secret,
    now() + $10::double precision * interval '1 millisecond' as deadline_at,
    $11::text as endpoint, $12::text as key, $13::text as fingerprint,
    now() + $14::double precision * interval '1 millisecond' as expires_at,
    $15::integer as status, $16::text as body,
    $17::text as workflow_id, $18::text as prompt, $19::text as workflow_name, $20::jsonb as definition,
    now() + $21::double precision * interval '1 millisecond' as due_at, $23::text as to_key, $24::text as key_hash
), replay as (
  select i.status, i.body, i.call_id, i.fingerprint from ${schema}.idempotency i
  where i.organization_id = $2 and i.endpoint = $11 and i.key in ($12, $24) and i.expires_at > now()
), prompt_workflow as (
  -- It is blanked when the last of its calls is erased. A change that goes on meanwhile is not waited for.
  select id from ${schema}.workflows
  where id = $17 and source = 'prompt' and deleted_at is null for key share
), workflow as (
  select w.organization_id, w.mode, w.name, w.current_version,
    coalesce((v.definition -> 'voicemail' ->> 'generate')::boolean, false) as writes_voicemail
  from ${schema}.workflows w
  join ${schema}.workflow_versions v on v.workflow_id = w.id and v.version = w.current_version
  where w.id = $17 and $18::text is null and w.deleted_at is null
    and (w.source <> 'prompt' or exists (select from prompt_workflow))
    -- Test mode also runs live workflows, except those of live prompt calls. To live mode, those of test mode do not exist.
    and (w.organization_id <> $2 or w.mode = $3 or (w.mode = 'live' and w.source <> 'prompt'))
), line as (
  select n.phone_number, n.connection_id, c.down_until from ${schema}.numbers n
  join ${schema}.connections c on c.id = n.connection_id
  where n.organization_id = $2 and n.mode = $3 and n.is_default and c.status = 'active'
), verdict as (
  select case
    when exists (select from replay) then 'replayed'
    when $18::text is null and not exists (select from workflow) then 'workflow-not-found'
    when exists (select from workflow where organization_id <> $2) then 'workflow-forbidden'
    when ${listed}
      then 'number-opted-out'
    when $3::text = 'live' and exists (
      select from ${schema}.organizations o, input
      where o.id = $2 and input.due_at < ${nextDay}
        and ${used} >= coalesce(o.daily_call_minutes, $22::double precision)) then 'spending-limit'
    when not exists (select from line) then 'no-usable-number'
    when exists (select from line where down_until > now()) then 'carrier-down'
    else 'accepted'
  end as result
), claimed as (
  insert into ${schema}.idempotency as i
    (organization_id, endpoint, key, key_hash, fingerprint, status, body, call_id, expires_at)
  select organization_id, endpoint, key, key_hash, fingerprint, status, body, call_id, expires_at
  from input, verdict where verdict.result = 'accepted' and key is not null
  on conflict (organization_id, endpoint, key) do update set
    key_hash = excluded.key_hash, fingerprint = excluded.fingerprint, status = excluded.status, body = excluded.body,
    call_id = excluded.call_id, expires_at = excluded.expires_at
    where i.expires_at <= clock_timestamp()
  returning i.key
), accepted as (
  select input.* from input, verdict
  where verdict.result = 'accepted' and (key is null or exists (select from claimed))
), new_workflow as (
  insert into ${schema}.workflows (id, organization_id, mode, source, name, current_version)
  select workflow_id, organization_id, mode, 'prompt', workflow_name, 1 from accepted where prompt is not null
), new_version as (
  insert into ${schema}.workflow_versions (workflow_id, version, name, definition)
  select workflow_id, 1, workflow_name, definition from accepted where prompt is not null
), generation as (
  insert into ${schema}.jobs (kind, subject_id, organization_id, due_at)
  select 'generate_workflow', call_id, organization_id, due_at from accepted where prompt is not null
  union all
  select 'write_voicemail', a.call_id, a.organization_id, a.due_at
  from accepted a join workflow on workflow.writes_voicemail
), new_call as (
  insert into ${schema}.calls (
    id, organization_id, mode, origin, workflow_id, workflow_version, workflow_name, connection_id,
    from_number, to_number, to_key, recipient_name, recipient_email, recipient_context, prompt,
    callback_url, sealed_callback_secret, dialable_at, deadline_at)
  select a.call_id, a.organization_id, a.mode,
    case when a.prompt is null then 'workflow' else 'prompt' end,
    a.workflow_id, coalesce(workflow.current_version, 1), coalesce(workflow.name, a.workflow_name),
    line.connection_id, line.phone_number, a.to_number, a.to_key, a.recipient_name, a.recipient_email, a.recipient_context,
    a.prompt, a.callback_url, a.sealed_callback_secret,
    case when a.prompt is null and not workflow.writes_voicemail then a.due_at end, a.deadline_at
  from accepted a cross join line left join workflow on true
  returning id
), bound_forms as (
  insert into ${schema}.call_forms (call_id, form_id, version, position)
  select a.call_id, f.id, f.current_version, min(named.position)
  from accepted a
  join workflow on true
  join ${schema}.workflow_versions v on v.workflow_id = $17 and v.version = workflow.current_version
  cross join jsonb_array_elements_text(v.definition -> 'forms') with ordinality as named (id, position)
  join ${schema}.forms f on f.id = named.id and f.organization_id = $2 and f.mode in ('live', $3) and f.deleted_at is null
  group by a.call_id, f.id, f.current_version
)
select verdict.result, exists (select from new_call) as stored, line.connection_id,
  greatest(1, ceil(extract(epoch from
    case when verdict.result = 'spending-limit' then ${nextDay} else line.down_until end - now())))::integer as retry_after,
  replay.status, replay.body, replay.call_id, replay.fingerprint
from verdict left join line on true left join replay on true`;
}

/** How long a repeated request waits for the first one's answer. The wait for its lock ends sooner, and is begun again. */
const repeatedWaitMs = 5_000;

/** How long to look for a call whose acceptance was sent and never answered, and how often. */
const lostAnswerMs = 2_000;
const lookEveryMs = 200;

/** Takes calls in. */
export function createAccept(database: Database): CallStore['accept'] {
  const { schema, prepared } = database;
  const text = statement(database);

  /**
   * A connection lost after the statement was sent leaves open whether it took effect. Told "not accepted", the
   * client would ask again, and somebody be rung twice: so look for the call, whose id is ours.
   */
  async function lookFor(callId: string): Promise<AcceptResult | null> {
    const end = performance.now() + lostAnswerMs;
    for (;;) {
      try {
        const [found] = await prepared<{ connection_id: string }>(
          'accepted',
          `select connection_id from ${schema}.calls where id = $1`,
          [callId],
        );
        if (found) return { result: 'accepted', connectionId: found.connection_id };
      } catch (error) {
        if (!isConnectionLost(error)) throw error;
      }
      if (performance.now() > end) return null;
      await new Promise((resolve) => setTimeout(resolve, lookEveryMs));
    }
  }

  return async (input) => {
    const values = parameters(input);
    const waitsUntil = performance.now() + repeatedWaitMs;
    for (;;) {
      let verdict: Verdict;
      try {
        const rows = await prepared<Verdict & Record<string, unknown>>('accept', text, values);
        verdict = only(rows);
      } catch (error) {
        // With a key, what was waited for is its record, of a request still running. An erasure is over sooner than this.
        if (sqlState(error) === '55P03' && input.idempotency !== null) {
          if (performance.now() < waitsUntil) continue;
          throw requestInProgress(error);
        }
        const accepted = wasSent(error) ? await lookFor(input.callId) : null;
        if (accepted) return accepted;
        throw error;
      }
      // Somebody else's record appeared after this statement began: it is there to be replayed now.
      if (verdict.result === 'accepted' && !verdict.stored) continue;
      return toResult(verdict, input);
    }
  };
}

/** Whether the statement may have reached the database: not when there was no connection to send it on. */
function wasSent(error: unknown): boolean {
  return isConnectionLost(error) && !isConnectionRefused(error);
}

function isConnectionRefused(error: unknown): boolean {
  if (error instanceof AggregateError) return error.errors.every(isConnectionRefused);
  return (
    error instanceof Error &&
    (('code' in error && error.code === 'ECONNREFUSED') ||
      /exceeded when trying to connect/.test(error.message))
  );
}

function requestInProgress(cause: unknown): CallkiteError {
  return new CallkiteError(
    'request_in_progress',
    'A request with this idempotency key is still being processed. Retry it to get its response.',
    { retryable: true, retryAfterSeconds: 1, cause },
  );
}

function parameters({ idempotency, work, ...input }: AcceptCall): readonly unknown[] {
  const prompt = work.origin === 'prompt' ? work : null;
  return [
    input.callId,
    input.organizationId,
    input.mode,
    input.to,
    input.recipientName,
    input.recipientEmail,
    input.recipientContext,
    input.callbackUrl,
    input.sealedCallbackSecret,
    input.deadlineMs,
    idempotency?.endpoint ?? null,
    idempotency?.key ?? null,
    idempotency?.fingerprint ?? null,
    idempotency?.lifetimeMs ?? null,
    idempotency?.answer.status ?? null,
    idempotency?.answer.body ?? null,
    work.workflowId,
    prompt?.prompt ?? null,
    prompt?.workflowName ?? null,
    prompt === null ? null : JSON.stringify(prompt.fallbackDefinition),
    input.dialInMs,
    input.defaultDailyMinutes ?? Number.POSITIVE_INFINITY,
    input.toKey,
    idempotency?.keyHash ?? null,
  ];
}

function toResult(verdict: Verdict, input: AcceptCall): AcceptResult {
  const { result, connection_id, retry_after, status, body, call_id: callId, fingerprint } = verdict;
  switch (result) {
    case 'accepted':
      if (connection_id === null) break;
      return { result, connectionId: connection_id };
    case 'carrier-down':
    case 'spending-limit':
      return { result, retryAfterSeconds: retry_after ?? 1 };
    case 'replayed':
      if (status === null || body === null) break;
      return {
        result,
        answer: { status, body, callId, fingerprintMatches: fingerprint === input.idempotency?.fingerprint },
      };
    default:
      return { result };
  }
  throw new Error(`the accepting statement answered ${result} without its facts`);
}
