import {
  type AnsweredBy,
  type AttemptReport,
  answeredByHeard,
  type CallStore,
  callOutcome,
  isTerminal,
  movesForward,
  stateOf,
} from '@callkite/core';
import { sql } from 'kysely';
import type { Database } from '../kernel/database.ts';
import { bindAttempt, closeAttempt } from './attempts.ts';
import { type StoredAttempt, type StoredCall, toCall } from './call-rows.ts';
import { type CallEnd, endCall } from './ending.ts';
import { lockCallOfAttempt } from './locking.ts';

/** Applies what the carrier says about an attempt. */
export function createReport({ kysely, tables }: Database): CallStore['report'] {
  return (attemptId, report) =>
    kysely.transaction().execute(async (transaction) => {
      const found = await lockCallOfAttempt(transaction, tables, attemptId);
      if (found === null) return { result: 'unknown-attempt' };
      const { call, attempt } = found;
      if (isGhost(attempt, report.providerCallId)) return { result: 'ghost', call: toCall(call) };
      const unchanged = { result: 'applied', changed: false, call: toCall(call) } as const;

      const binding = attempt.state === 'intent' || attempt.state === 'unknown';
      if (binding && !(await bindAttempt(transaction, tables, attempt, report.providerCallId)))
        return unchanged;
      if (call.state === 'completed') return unchanged;

      const answeredBy = knownBest(call.answered_by, report.answeredBy);
      if (isTerminal(report.status)) {
        await closeAttempt(transaction, tables, attempt.id, 'ended');
        const ended = await endCall(transaction, tables, call.id, endOf(call, report, answeredBy));
        return { result: 'applied', changed: true, call: toCall(ended) };
      }

      const reported = stateOf(report.status);
      const state = movesForward(call.state, reported) ? reported : call.state;
      if (state === call.state && answeredBy === call.answered_by) return unchanged;
      const { rows } = await sql<StoredCall>`
        update ${tables.calls} set
          state = ${state},
          answered_by = ${answeredBy},
          answered_at = ${state === 'in_progress' ? sql`coalesce(answered_at, clock_timestamp())` : sql`answered_at`}
        where id = ${call.id} returning *`.execute(transaction);
      return { result: 'applied', changed: true, call: toCall(rows[0] ?? call) };
    });
}

/** The attempt was given up before the carrier's call was known, or is bound to another carrier call. */
function isGhost(attempt: StoredAttempt, providerCallId: string): boolean {
  if (attempt.state === 'not_placed') return true;
  if (attempt.provider_call_id === null) return attempt.state === 'ended';
  return attempt.provider_call_id !== providerCallId;
}

/** A definite answer outweighs `unknown`; of two definite ones the later counts. */
function knownBest(stored: AnsweredBy | null, reported: AnsweredBy | null): AnsweredBy | null {
  return reported === null || (reported === 'unknown' && stored !== null) ? stored : reported;
}

function endOf(call: StoredCall, report: AttemptReport, answeredBy: AnsweredBy | null): CallEnd {
  const neverAnswered = call.answered_at === null && report.status !== 'completed';
  // Asked to end a ringing call, carriers report either of the two.
  const canceled = neverAnswered && (report.status === 'canceled' || report.status === 'no-answer');
  if (call.cancel_requested && canceled) {
    return { outcome: callOutcome('canceled', answeredBy, false), reason: 'canceled_by_request', answeredBy };
  }
  return {
    outcome: callOutcome(report.status, answeredByHeard(call.heard, answeredBy), call.agent_failed),
    reason: call.cancel_requested && !neverAnswered ? 'canceled_by_request' : null,
    answeredBy,
    durationSeconds: report.durationSeconds,
    answered: report.status === 'completed',
  };
}
