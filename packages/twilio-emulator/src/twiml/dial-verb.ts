import { type Call, type ProgressEvent, progressEvents, type StatusCallbackTarget } from '../calls/call.ts';
import { isPhoneNumber } from '../calls/phone-numbers.ts';
import { delay } from '../line/delay.ts';
import type { TwimlElement } from './document.ts';
import { TwimlError, targetOf, type Verb, type VerbContext } from './verb.ts';

const DEFAULT_TIMEOUT_SECONDS = 30;
// The two parties are not simulated once they talk to each other: the dialled one hangs up after this long.
const BRIDGED_MS = 5000;

/** Dials one number and bridges it to the call. Verbs after a `<Dial>` with an `action` never run. */
export const dialVerb: Verb = async (element, context) => {
  const { call, emulation, signal } = context;
  const action = targetOf(element, context);
  const number = dialledNumber(element);
  const to = (number?.text ?? element.text).trim();
  const from = element.attributes.callerId ?? call.request.from;
  if (!ownsCallerId(call, from))
    throw new TwimlError(13214, 'Invalid callerId: it is not a number of the account');

  let parameters: Record<string, string>;
  if (isPhoneNumber(to)) {
    const leg = emulation.placeChild(call, {
      to,
      from,
      timeoutSeconds: Number(element.attributes.timeout ?? DEFAULT_TIMEOUT_SECONDS),
      statusCallback: number && statusCallback(number, context),
    });
    try {
      await outcome(leg, context);
    } finally {
      leg.hangUp();
    }
    parameters = {
      DialCallSid: leg.sid,
      DialCallStatus: leg.status,
      DialCallDuration: String(leg.durationSeconds ?? 0),
      DialBridged: String(leg.answeredAt !== undefined),
    };
  } else {
    call.notify(13224, 'Dial: the number is not valid');
    parameters = { DialCallStatus: 'failed', DialBridged: 'false' };
  }
  signal.throwIfAborted();
  return action ? { ...action, parameters } : 'next';
};

function dialledNumber(element: TwimlElement): TwimlElement | undefined {
  const [first, second] = element.children;
  if (second || (first && first.name !== 'Number')) {
    throw new TwimlError(
      12100,
      `<Dial> is emulated with one <Number> only, not with <${(second ?? first)?.name}>`,
    );
  }
  return first;
}

function ownsCallerId(call: Call, number: string): boolean {
  const { account } = call;
  return account.phoneNumbers.includes(number) || account.verifiedNumbers.includes(number);
}

function statusCallback(number: TwimlElement, context: VerbContext): StatusCallbackTarget | undefined {
  const target = targetOf(number, context, 'statusCallback', 'statusCallbackMethod');
  if (!target) return undefined;
  const names = (number.attributes.statusCallbackEvent ?? 'completed').split(/\s+/);
  const events = names.filter((name): name is ProgressEvent =>
    progressEvents.some((event) => event === name),
  );
  return { ...target, events: new Set(events) };
}

/** Waits until the leg is over, or has been bridged for long enough. */
async function outcome(leg: Call, { emulation, signal }: VerbContext): Promise<void> {
  const isDecided = new Promise<void>((resolve) => {
    leg.onAnswered = resolve;
    leg.signal.addEventListener('abort', () => resolve(), { once: true });
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
  await isDecided;
  if (!leg.isOver) await delay(emulation.pace.real(BRIDGED_MS), signal);
}
