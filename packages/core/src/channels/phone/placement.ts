import { maximumCallSeconds } from '../../calls/call-limits.ts';
import { isTerminal } from '../../calls/call-status.ts';
import type { AttemptReport, CallStore, DialClaim } from '../../calls/call-store.ts';
import type { CarrierAccount, CarrierAdapter } from '../../calls/carrier-adapter.ts';
import type { CarrierConnection } from '../../calls/carrier-connection.ts';
import type { Logger } from '../../kernel/logger.ts';
import type { Mode } from '../../kernel/mode.ts';
import type { AttemptTokens } from './attempt-token.ts';
import type { CarrierBreaker } from './carrier-breaker.ts';

export interface PlacementDeps {
  calls: Pick<
    CallStore,
    'attemptPlaced' | 'attemptUnknown' | 'attemptNotPlaced' | 'load' | 'pauseConnection' | 'reduceConcurrency'
  >;
  telephonyFor(mode: Mode): Pick<CarrierAdapter, 'placeCall' | 'endCall'>;
  /** Decrypts the credentials of a connection. */
  accountOf(connection: CarrierConnection): CarrierAccount;
  tokens: AttemptTokens;
  breaker: Pick<CarrierBreaker, 'succeeded' | 'failed'>;
  logger: Logger;
}

/** From claiming to placing: a process frozen for longer must not write, since others begin to reconcile. */
const intentBudgetMs = 2_000;
const firstLookMs = 2_000;

/**
 * Sends the one create request a claimed attempt allows, and records what came of it.
 * @param claimedAtMs when the claim was asked for, by `performance.now()`: it may have been granted at any time since
 */
export async function placeClaimed(
  deps: PlacementDeps,
  claim: DialClaim,
  claimedAtMs: number,
): Promise<void> {
  const { calls, logger } = deps;
  const { attempt, call, definition, connection } = claim;
  const fields = { callId: call.id, attemptId: attempt.id };
  const telephony = deps.telephonyFor(call.mode);

  const account = deps.accountOf(connection);
  if (performance.now() - claimedAtMs > intentBudgetMs) {
    logger.warn(fields, 'process stalled before placing a call; the call goes back to the queue');
    await persist(deps, fields, () => calls.attemptNotPlaced(attempt.id, { retryInMs: retryInMs() }));
    return;
  }
  const placement = await telephony.placeCall(account, {
    to: attempt.to,
    from: attempt.from,
    attemptToken: deps.tokens.issue(attempt.id),
    ringSeconds: definition.dialing.ringSeconds,
    maximumDurationSeconds: maximumCallSeconds(definition),
    detectMachine: definition.dialing.detectMachine,
  });

  switch (placement.outcome) {
    case 'placed': {
      deps.breaker.succeeded(connection.id);
      const bound = await persist(deps, fields, () =>
        calls.attemptPlaced(attempt.id, placement.providerCallId),
      );
      const current = await calls.load(call.id);
      // Canceling reads the carrier's id after it sets its flag, and we read the flag after we stored the id:
      // whichever came second ends the call.
      if (!bound || current?.call.cancelRequested) await telephony.endCall(account, placement.providerCallId);
      return;
    }
    case 'unknown':
      logger.warn({ ...fields, providerCode: placement.providerCode }, 'placement unconfirmed, reconciling');
      deps.breaker.failed(connection);
      await persist(deps, fields, () => calls.attemptUnknown(attempt.id, firstLookMs));
      return;
    case 'not-placed': {
      logger.info(
        { ...fields, providerCode: placement.providerCode, reason: placement.reason, retry: placement.retry },
        'carrier did not accept the call',
      );
      // The call first: what is known of it must not be lost because the connection could not be changed.
      const next =
        placement.retry || placement.scope === 'account'
          ? { retryInMs: retryInMs() }
          : { reason: placement.reason };
      await persist(deps, fields, () => calls.attemptNotPlaced(attempt.id, next));
      if (placement.tooManyCalls) {
        await persist(deps, fields, () => calls.reduceConcurrency(connection.id));
      } else if (placement.scope === 'account') {
        logger.error({ connectionId: connection.id }, 'carrier rejected the account; its calls are on hold');
        await persist(deps, fields, () => calls.pauseConnection(connection.id));
      } else if (placement.reason === 'carrier_unavailable') {
        deps.breaker.failed(connection);
      }
      return;
    }
  }
}

/** Spread, so that calls refused together do not come back together. */
const retryInMs = () => 1_000 + Math.floor(Math.random() * 2_000);

/** Recording what the carrier said is worth a few tries; after that the attempt's watch job finds out by asking. */
async function persist<T>(deps: PlacementDeps, fields: object, write: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await write();
    } catch (error) {
      if (tries === 4) throw error;
      deps.logger.warn({ ...fields, err: error }, 'failed to store a placement result; will retry');
      await new Promise((resolve) => setTimeout(resolve, 250 * 2 ** tries));
    }
  }
}

/**
 * The part of a carrier's record that `CallStore.report` takes. Who answered a live call is left to the webhook that
 * tells it: something has to be done about it once, and then.
 */
export function reportOf(record: {
  providerCallId: string;
  status: AttemptReport['status'];
  answeredBy: AttemptReport['answeredBy'];
  durationSeconds: number | null;
}): AttemptReport {
  const { providerCallId, status, durationSeconds } = record;
  const answeredBy = isTerminal(status) ? record.answeredBy : null;
  return { providerCallId, status, answeredBy, durationSeconds };
}
