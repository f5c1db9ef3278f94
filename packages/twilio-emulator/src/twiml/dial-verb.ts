import {
  type Call,
  callOver,
  type ProgressEvent,
  progressEvents,
  type StatusCallbackTarget,
} from '../calls/call.ts';
import { isPhoneNumber } from '../calls/phone-numbers.ts';
import { sendCallback } from '../calls/status-callbacks.ts';
import { callParameters } from '../calls/webhook-parameters.ts';
import { delay } from '../line/delay.ts';
import type { TwimlElement } from './document.ts';
import { TwimlError, targetOf, type Verb, type VerbContext } from './verb.ts';

const DEFAULT_TIMEOUT_SECONDS = 30;
const DEFAULT_TIME_LIMIT_SECONDS = 14_400;
// The two parties are not simulated once they talk to each other: the dialed one hangs up after this long.
const BRIDGED_MS = 5000;

/**
 * Dials one number and bridges it to the call, after the document of its `url` if it has one. Verbs after a `<Dial>`
 * with an `action` never run.
 */
export const dialVerb: Verb = async (element, context) => {
  const { call, signal } = context;
  const action = targetOf(element, context);
  const number = dialedNumber(element);
  if (element.attributes.statusCallback !== undefined) {
    call.notify(12200, '<Dial> has no statusCallback: it belongs on <Number>');
  }
  const to = (number?.text ?? element.text).trim();
  const from = element.attributes.callerId ?? call.request.from;
  if (!ownsCallerId(call, from))
    throw new TwimlError(13214, 'Invalid callerId: it is not a number of the account');
  const timeoutSeconds = seconds(element, 'timeout', DEFAULT_TIMEOUT_SECONDS, 600);
  const timeLimitSeconds = seconds(element, 'timeLimit', DEFAULT_TIME_LIMIT_SECONDS, 86_400);

  let parameters: Record<string, string>;
  if (isPhoneNumber(to)) {
    const leg = context.emulation.placeChild(call, {
      to,
      from,
      timeoutSeconds,
      timeLimitSeconds,
      screening: number && targetOf(number, context, 'url'),
      statusCallback: number && statusCallback(number, context),
    });
    parameters = { DialCallSid: leg.sid, ...(await outcome(leg, context)) };
  } else {
    call.notify(13224, 'Dial: the number is not valid');
    parameters = { DialCallStatus: 'failed', DialBridged: 'false' };
  }
  // Told to the application even when nobody is left to instruct.
  if (action && signal.aborted && signal.reason === callOver) {
    const all = { ...callParameters(call), ...parameters };
    void sendCallback(context.emulation, call, action, all, { event: 'dial-action' });
  }
  signal.throwIfAborted();
  return action ? { ...action, parameters } : 'next';
};

function seconds(element: TwimlElement, name: string, fallback: number, maximum: number): number {
  const value = Number(element.attributes[name] ?? fallback);
  if (Number.isInteger(value) && value >= 1 && value <= maximum) return value;
  throw new TwimlError(13212, `Dial: ${name} must be 1 to ${maximum} seconds`);
}

function dialedNumber(element: TwimlElement): TwimlElement | undefined {
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

/** Waits until the leg is over, has been bridged for long enough, or the call is gone, and ends it. */
async function outcome(leg: Call, { emulation, signal }: VerbContext): Promise<Record<string, string>> {
  let isBridged = false;
  await new Promise<void>((resolve) => {
    leg.onBridgeable = () => {
      isBridged = true;
      resolve();
    };
    leg.signal.addEventListener('abort', () => resolve(), { once: true });
    signal.addEventListener('abort', () => resolve(), { once: true });
    if (signal.aborted) resolve();
  });
  if (isBridged)
    await delay(emulation.pace.real(BRIDGED_MS), AbortSignal.any([leg.signal, signal])).catch(ended);
  leg.hangUp();
  return {
    DialCallStatus: leg.status,
    DialCallDuration: String(leg.durationSeconds ?? 0),
    DialBridged: String(isBridged),
  };
}

/** Either party hung up, or the call was given other instructions. */
function ended(): void {}
