import type { WorkflowDefinition } from '@callkite/contract';
import { maximumCallSeconds } from '../../calls/call-limits.ts';
import { isTerminal, movesForward, stateOf } from '../../calls/call-status.ts';
import type { AttemptRecord, CallRecord, CallStore, ReportResult } from '../../calls/call-store.ts';
import type { CarrierAccount, CarrierAdapter } from '../../calls/carrier-adapter.ts';
import { CallkiteError } from '../../kernel/errors.ts';
import type { JobHandler, JobResult } from '../../kernel/jobs/job-runner.ts';
import type { Logger } from '../../kernel/logger.ts';
import { reportOf } from './placement.ts';

type WatchedCarrier = Pick<CarrierAdapter, 'findCalls' | 'fetchCall' | 'endCall'>;

export interface ReconciliationDeps {
  calls: Pick<
    CallStore,
    | 'getAttempt'
    | 'load'
    | 'isBound'
    | 'report'
    | 'attemptUnknown'
    | 'attemptNotPlaced'
    | 'abandonAttempt'
    | 'countFruitlessLook'
  >;
  /** Adapter and credentials an attempt was placed with. Throws `provider_unavailable` when this server cannot use them. */
  carrierOf(
    attemptId: string,
  ): Promise<{ readonly telephony: WatchedCarrier; readonly account: CarrierAccount } | null>;
  /** Whether this process holds the conversation of a call: then it is known to be live. */
  isTalking(callId: string): boolean;
  /** Called with the result of every report, as for webhooks. */
  onReport(result: ReportResult): void;
  /**
   * How long a placement may stay unconfirmed before an empty listing counts as proof that no call exists.
   * Must exceed the request deadline plus the carrier's worst listing lag and queue. @default 120 000
   */
  confirmationWindowMs: number;
  logger: Logger;
}

const looksAtMs = [2_000, 5_000, 10_000, 20_000, 40_000, 60_000, 90_000, 120_000];
const pollPlacedMs = 60_000;
/** A carrier's record of a call that should be over by then. */
const graceAfterLimitMs = 60_000;
const fruitlessLooksAllowed = 3;
/** When a carrier that could not be asked is asked again. */
const askAgainMs = 10_000;
/** A carrier that has not let itself be asked for so long, such as about a closed account, never will. */
const longestWatchMs = 24 * 3_600_000;
/** Our clock and the carrier's may differ by so much. */
const clockSkewMs = 5_000;

/**
 * Handles `watch_attempt`: owns an attempt from its intent to its end. Asks the carrier what became of a request
 * whose answer was lost, and about the progress of calls whose webhooks were; never dials.
 */
export function createReconciliation(deps: ReconciliationDeps): JobHandler {
  const { calls, logger } = deps;

  return {
    concurrency: 20,
    async run(job) {
      const attempt = await calls.getAttempt(job.subjectId);
      if (!attempt || attempt.state === 'not_placed' || attempt.state === 'ended') return { done: true };
      if (attempt.state === 'intent') {
        // Still an intent when its request must be over: the process that owed it died or lost its database.
        await calls.attemptUnknown(attempt.id, 0);
        return lookAgain;
      }
      const loaded = await calls.load(attempt.callId);
      if (loaded && attempt.state === 'placed' && isKnownToLive(attempt, loaded)) return pollAgain;
      try {
        const carrier = await deps.carrierOf(attempt.id);
        if (!carrier || !loaded) throw new Error('an attempt lost its connection or call');
        return attempt.state === 'placed'
          ? await watchPlaced(attempt, loaded.call, loaded.definition, carrier)
          : await findPlaced(attempt, carrier);
      } catch (error) {
        if (!isFromCarrier(error)) throw error;
        return notAnswered(attempt, error);
      }
    },
    /** Something of ours keeps failing. The call must end; if it still rings, its webhooks find it given up and end it. */
    async giveUp(job) {
      await calls.abandonAttempt(job.subjectId, 'internal');
    },
  };

  /** The carrier need not be asked: the call is talking in this process. */
  function isKnownToLive(
    { ageMs }: AttemptRecord,
    { call, definition }: { call: CallRecord; definition: WorkflowDefinition },
  ): boolean {
    const isTold = call.state === 'in_progress' && !call.cancelRequested;
    return isTold && deps.isTalking(call.id) && ageMs < longestMs(definition);
  }

  /** Nothing follows from silence: the attempt stays as it is, with a watch over it. */
  async function notAnswered(attempt: AttemptRecord, error: unknown): Promise<JobResult> {
    const fields = { attemptId: attempt.id, callId: attempt.callId, err: error };
    if (attempt.ageMs < longestWatchMs) {
      logger.warn(fields, 'call status lookup failed');
      return { againInMs: askAgainMs, resetTries: true };
    }
    logger.error(fields, 'call status lookups kept failing; giving up');
    if (attempt.state === 'placed') await calls.abandonAttempt(attempt.id, 'carrier_record_missing');
    else await calls.attemptNotPlaced(attempt.id, { reason: 'placement_unconfirmed' });
    return { done: true };
  }

  async function findPlaced(
    attempt: AttemptRecord,
    { telephony, account }: { telephony: WatchedCarrier; account: CarrierAccount },
  ): Promise<JobResult> {
    const listed = await telephony.findCalls(account, {
      from: attempt.from,
      to: attempt.to,
      sinceMs: attempt.intentAt.getTime() - clockSkewMs,
    });
    const candidates = [];
    for (const record of listed) if (!(await calls.isBound(record.providerCallId))) candidates.push(record);
    const [only, ...others] = candidates;
    if (only && others.length === 0) {
      const result = await calls.report(attempt.id, reportOf(only));
      deps.onReport(result);
      if (result.result === 'applied' && result.call.cancelRequested && !isTerminal(only.status)) {
        await telephony.endCall(account, only.providerCallId);
      }
      // Somebody else may have bound the attempt meanwhile: then there is another carrier call to watch.
      return result.result === 'applied' ? watchOver(result.call) : lookAgain;
    }
    if (others.length > 0) {
      logger.error(
        { attemptId: attempt.id, callId: attempt.callId, candidates: candidates.length },
        'several carrier calls match this attempt; waiting for a webhook that names it',
      );
    }
    const window = deps.confirmationWindowMs * (others.length > 0 ? 2 : 1);
    if (attempt.ageMs >= window) {
      const closed = await calls.attemptNotPlaced(attempt.id, { reason: 'placement_unconfirmed' });
      return closed ? { done: true } : lookAgain;
    }
    const next = looksAtMs.find((at) => at > attempt.ageMs) ?? attempt.ageMs + 10_000;
    const wait = Math.min(next, window) - attempt.ageMs;
    return { againInMs: Math.max(500, wait), resetTries: true };
  }

  async function watchPlaced(
    attempt: AttemptRecord,
    call: CallRecord,
    definition: WorkflowDefinition,
    { telephony, account }: { telephony: WatchedCarrier; account: CarrierAccount },
  ): Promise<JobResult> {
    if (attempt.providerCallId === null) throw new Error('a placed attempt has no carrier id');
    const record = await telephony.fetchCall(account, attempt.providerCallId);
    if (!record) {
      if ((await calls.countFruitlessLook(attempt.id)) < fruitlessLooksAllowed) {
        return { againInMs: 10_000, resetTries: true };
      }
      logger.error({ callId: call.id, attemptId: attempt.id }, 'the carrier has no record of a placed call');
      await calls.abandonAttempt(attempt.id, 'carrier_record_missing');
      return { done: true };
    }
    if (movesForward(call.state, stateOf(record.status))) {
      const result = await calls.report(attempt.id, reportOf(record));
      deps.onReport(result);
      if (isTerminal(record.status)) return result.result === 'applied' ? watchOver(result.call) : lookAgain;
    }

    const limitMs = longestMs(definition);
    if (attempt.ageMs < limitMs && !call.cancelRequested) return pollAgain;

    await telephony.endCall(account, attempt.providerCallId);
    const looks = attempt.ageMs < limitMs ? 0 : await calls.countFruitlessLook(attempt.id);
    if (looks < fruitlessLooksAllowed) return { againInMs: 10_000, resetTries: true };
    logger.error({ callId: call.id, attemptId: attempt.id }, 'the carrier never reported the end of a call');
    await calls.abandonAttempt(attempt.id, 'carrier_record_stuck');
    return { done: true };
  }
}

const lookAgain = { againInMs: 500, resetTries: true } as const;
const pollAgain = { againInMs: pollPlacedMs, resetTries: true } as const;

/** From the intent: a call that the carrier shows for longer is stuck. */
function longestMs(definition: WorkflowDefinition): number {
  return (definition.dialing.ringSeconds + maximumCallSeconds(definition)) * 1000 + graceAfterLimitMs;
}

/** A call that is over needs no watch, any other one does: nothing else would notice its end. */
function watchOver(call: CallRecord): JobResult {
  return call.state === 'completed' ? { done: true } : pollAgain;
}

function isFromCarrier(error: unknown): boolean {
  return (
    CallkiteError.isInstance(error) &&
    (error.code === 'provider_unavailable' || error.code === 'provider_rejected')
  );
}
