import {
  CallkiteError,
  type CarrierAccount,
  type DialResult,
  type Logger,
  type PlaceCallRequest,
} from '@callkite/core';
import { PlacementConnection } from './placement-connection.ts';
import type { PublicAddress } from './public-address.ts';
import type { RestClient, RestClients } from './rest-client.ts';
import { connectionFailureOf, type RestFailure, restFailureOf } from './rest-failure.ts';

type NotPlaced = Extract<DialResult, { outcome: 'not-placed' }>;

/** Codes of https://www.twilio.com/docs/api/errors that say more than their HTTP status. */
const INVALID_NUMBER = new Set([13224, 21211, 21214, 21217]);
const BLOCKED_DESTINATION = new Set([13225, 13227, 21215, 21216]);
const ACCOUNT_REFUSED = new Set([10001, 10002, 20003, 20005]);
const RATE_LIMITED = 20429;
const TOO_MANY_CALLS = 10004;

/** Sends one create request over a connection of its own and classifies what came of it. Never rejects. */
export async function placeCall(
  deps: { clients: RestClients; address: PublicAddress; logger: Logger },
  account: CarrierAccount,
  request: PlaceCallRequest,
): Promise<DialResult> {
  const connection = new PlacementConnection();
  let placement: DialResult;
  let failure: unknown;
  try {
    const client = deps.clients.over(connection, account);
    const { sid } = await client.calls.create(createParameters(deps.address, request));
    placement =
      typeof sid === 'string' && sid !== ''
        ? { outcome: 'placed', providerCallId: sid }
        : { outcome: 'unknown', providerCode: null };
  } catch (error) {
    failure = error;
    placement = classify(error, connection.requestBegun);
  }
  log(deps.logger, placement, failure);
  return placement;
}

/** The cause of a failed connection is known here only. */
function log(logger: Logger, placement: DialResult, failure: unknown): void {
  const { status } = restFailureOf(failure) ?? { status: null };
  const cause = status === null ? connectionFailureOf(failure) : null;
  if (placement.outcome === 'unknown') {
    const { providerCode } = placement;
    logger.warn({ status, providerCode, cause }, 'Twilio may or may not have created the call');
  } else if (cause !== null) {
    logger.warn({ cause }, 'no connection to Twilio: nothing was sent');
  }
}

function createParameters(
  address: PublicAddress,
  request: PlaceCallRequest,
): Parameters<RestClient['calls']['create']>[0] {
  const token = request.attemptToken;
  return {
    to: request.to,
    from: request.from,
    url: address.webhook('answer', token),
    fallbackUrl: address.webhook('fallback', token),
    statusCallback: address.webhook('status', token),
    statusCallbackEvent: ['initiated', 'ringing', 'answered', 'completed'],
    timeout: request.ringSeconds,
    timeLimit: request.maximumDurationSeconds,
    ...(request.detectMachine && {
      machineDetection: 'DetectMessageEnd',
      asyncAmd: 'true',
      asyncAmdStatusCallback: address.webhook('amd', token),
    }),
  };
}

function classify(error: unknown, requestBegun: boolean): DialResult {
  if (CallkiteError.isInstance(error)) return notPlaced({ scope: 'account', reason: 'carrier_rejected' });
  const failure = restFailureOf(error);
  if (failure !== null) return classifyAnswer(failure);
  if (requestBegun) return { outcome: 'unknown', providerCode: null };
  return notPlaced({ retry: true, reason: 'carrier_unavailable' });
}

function classifyAnswer({ status, code }: RestFailure): DialResult {
  const providerCode = code === null ? null : String(code);
  if (status < 400 || status >= 500) return { outcome: 'unknown', providerCode };
  if (code === TOO_MANY_CALLS) {
    return notPlaced({ retry: true, reason: 'carrier_unavailable', tooManyCalls: true, providerCode });
  }
  if (status === 429 || code === RATE_LIMITED) {
    return notPlaced({ retry: true, reason: 'carrier_unavailable', providerCode });
  }
  if (code !== null && INVALID_NUMBER.has(code)) return notPlaced({ reason: 'invalid_number', providerCode });
  if (code !== null && BLOCKED_DESTINATION.has(code)) {
    return notPlaced({ reason: 'blocked_destination', providerCode });
  }
  if (status === 401 || status === 403 || (code !== null && ACCOUNT_REFUSED.has(code))) {
    return notPlaced({ scope: 'account', reason: 'carrier_rejected', providerCode });
  }
  // Without a code of Twilio's, something between us and Twilio answered, such as a gateway that gave up (408).
  return code === null
    ? { outcome: 'unknown', providerCode }
    : notPlaced({ reason: 'carrier_rejected', providerCode });
}

function notPlaced(facts: Partial<NotPlaced> & Pick<NotPlaced, 'reason'>): NotPlaced {
  return {
    outcome: 'not-placed',
    retry: false,
    scope: 'call',
    tooManyCalls: false,
    providerCode: null,
    ...facts,
  };
}
