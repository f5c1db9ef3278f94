import type { Account } from '../accounts.ts';
import { addressFault } from '../addresses.ts';
import {
  type CallRequest,
  type Instruction,
  type MachineDetection,
  type ProgressEvent,
  progressEvents,
  type StatusCallbackTarget,
  type WebhookMethod,
  type WebhookTarget,
} from '../calls/call.ts';
import { countryOf, isPhoneNumber } from '../calls/phone-numbers.ts';
import type { Emulation } from '../emulation.ts';
import { trialLimits } from '../twiml/trial.ts';
import { ApiError } from './api-error.ts';

const MAXIMUM_TIMEOUT_SECONDS = 600;
const MAXIMUM_TWIML_LENGTH = 4000;
const DEFAULT_TIMEOUT_SECONDS = 60;
/** The longest call any account may make. */
export const MAXIMUM_CALL_SECONDS = 4 * 60 * 60;

const refuse = (code: number, message: string) => new ApiError(400, code, message);

// Numbers with a meaning of their own, as in Twilio's test credentials.
const magicDestinations: Readonly<Record<string, ApiError>> = {
  '+15005550001': refuse(21217, 'Phone number does not appear to be valid'),
  '+15005550002': refuse(21214, "'To' phone number cannot be reached"),
  '+15005550003': refuse(21215, 'Account not authorized to call this country. Enable it in Geo Permissions'),
  '+15005550004': refuse(21216, 'Account not allowed to call this number'),
};
const MAGIC_VALID_CALLER = '+15005550006';
const MAGIC_INVALID_CALLER = '+15005550001';

/** Reads and checks the parameters of a new call, in the order Twilio's own checks suggest. @throws ApiError */
export function readCallRequest(form: URLSearchParams, account: Account, emulation: Emulation): CallRequest {
  const text = (name: string) => form.get(name) || undefined;
  const to = text('To');
  const from = text('From');
  if (to === undefined) throw refuse(21201, "No 'To' number is specified");
  if (from === undefined) throw refuse(21213, "'From' number is required");
  checkCaller(from, account);
  checkDestination(to, account, emulation);
  const parameters = new ParameterReader(form, emulation.allowInsecureLoopback);
  const timeLimit = parameters.wholeNumber('TimeLimit', 21200, 1, MAXIMUM_CALL_SECONDS);
  const sendDigits = text('SendDigits');
  if (sendDigits !== undefined && !/^[0-9A-D#*wW]{1,32}$/.test(sendDigits)) {
    throw refuse(21206, 'Invalid SendDigits: use at most 32 of 0-9, A-D, #, *, w and W');
  }
  const machineDetection = readMachineDetection(form, parameters);
  const instruction = readInstruction(form, parameters);
  if (!instruction) throw refuse(21205, 'Url parameter is required');
  return {
    to,
    from,
    instruction,
    fallback: parameters.target('FallbackUrl', 'FallbackMethod', 21205),
    statusCallback: readStatusCallback(form, parameters),
    timeoutSeconds:
      parameters.wholeNumber('Timeout', 21208, 1, MAXIMUM_TIMEOUT_SECONDS) ?? DEFAULT_TIMEOUT_SECONDS,
    timeLimitSeconds:
      account.type === 'Trial'
        ? Math.min(timeLimit ?? trialLimits.callSeconds, trialLimits.callSeconds)
        : timeLimit,
    machineDetection: sendDigits === undefined ? machineDetection : undefined,
    sendDigits,
  };
}

/** Reads the instruction of a call, if the request has one: `Url` wins over `Twiml`. @throws ApiError */
export function readInstruction(form: URLSearchParams, parameters: ParameterReader): Instruction | undefined {
  const target = parameters.target('Url', 'Method', 21205);
  if (target) return target;
  const twiml = form.get('Twiml');
  if (twiml) {
    if (twiml.length > MAXIMUM_TWIML_LENGTH) {
      throw refuse(21200, `Twiml is longer than ${MAXIMUM_TWIML_LENGTH} characters`);
    }
    return { twiml };
  }
  if (form.get('ApplicationSid'))
    throw refuse(21218, 'Invalid ApplicationSid: the emulator has no applications');
  return undefined;
}

/** Names of the requested status events that do not exist: Twilio warns about them and goes on. */
export function unknownStatusEvents(form: URLSearchParams): string[] {
  const known: readonly string[] = progressEvents;
  return requestedEvents(form).filter((event) => !known.includes(event));
}

/** Reads single parameters of a form. */
export class ParameterReader {
  readonly #form: URLSearchParams;
  readonly #allowInsecureLoopback: boolean;

  constructor(form: URLSearchParams, allowInsecureLoopback: boolean) {
    this.#form = form;
    this.#allowInsecureLoopback = allowInsecureLoopback;
  }

  /** A webhook, from its URL parameter and its method parameter. */
  target(urlName: string, methodName: string, code: number): WebhookTarget | undefined {
    const method = this.#method(methodName);
    const url = this.#form.get(urlName);
    if (!url) return undefined;
    const allowInsecureLoopback = this.#allowInsecureLoopback;
    const fault = addressFault(url, { secureProtocol: 'https:', allowInsecureLoopback });
    if (fault !== undefined) throw refuse(code, `${urlName} is not a valid URL: ${fault}`);
    return { url, method };
  }

  wholeNumber(name: string, code: number, low: number, high: number): number | undefined {
    const text = this.#form.get(name);
    if (!text) return undefined;
    const value = Number(text);
    if (!/^\d+$/.test(text) || value < low || value > high) {
      throw refuse(code, `${name} must be a whole number from ${low} to ${high}`);
    }
    return value;
  }

  #method(name: string): WebhookMethod {
    const method = this.#form.get(name) || 'POST';
    if (method !== 'GET' && method !== 'POST') throw refuse(21209, `${name} must be GET or POST`);
    return method;
  }
}

function checkCaller(from: string, account: Account): void {
  if (from === MAGIC_VALID_CALLER) return;
  if (from === MAGIC_INVALID_CALLER || !isPhoneNumber(from)) {
    throw refuse(21212, "The 'From' number is not a valid phone number");
  }
  const isOwn = account.phoneNumbers.includes(from) || account.verifiedNumbers.includes(from);
  if (!isOwn) {
    throw refuse(21210, 'The source phone number provided is not yet verified for your account');
  }
}

function checkDestination(to: string, account: Account, emulation: Emulation): void {
  const magic = magicDestinations[to];
  if (magic) throw magic;
  if (!isPhoneNumber(to)) throw refuse(21211, "The 'To' number is not a valid phone number");
  if (account.blockedNumbers.includes(to)) throw refuse(21216, 'Account not allowed to call this number');
  const country = countryOf(to);
  if (country && !account.dialingCountries.includes(country.isoCode)) {
    throw refuse(21215, 'Account not authorized to call this country. Enable it in Geo Permissions');
  }
  if (account.type === 'Trial' && !account.verifiedNumbers.includes(to)) {
    throw refuse(21219, 'The number is unverified. Trial accounts may only make calls to verified numbers');
  }
  if (!emulation.calleeAt(to)) {
    throw refuse(21214, "'To' phone number cannot be reached");
  }
}

function readStatusCallback(
  form: URLSearchParams,
  parameters: ParameterReader,
): StatusCallbackTarget | undefined {
  const target = parameters.target('StatusCallback', 'StatusCallbackMethod', 21609);
  if (!target) return undefined;
  const requested = requestedEvents(form);
  const events = progressEvents.filter((event): event is ProgressEvent => requested.includes(event));
  return { ...target, events: new Set(events.length > 0 ? events : ['completed' as const]) };
}

function requestedEvents(form: URLSearchParams): string[] {
  return form.getAll('StatusCallbackEvent').flatMap((value) => value.split(/[\s,]+/).filter(Boolean));
}

function readMachineDetection(
  form: URLSearchParams,
  parameters: ParameterReader,
): MachineDetection | undefined {
  const mode = form.get('MachineDetection');
  const timeoutSeconds = parameters.wholeNumber('MachineDetectionTimeout', 21207, 3, 59) ?? 30;
  const speechThresholdMs =
    parameters.wholeNumber('MachineDetectionSpeechThreshold', 21207, 1000, 6000) ?? 2400;
  const speechEndThresholdMs =
    parameters.wholeNumber('MachineDetectionSpeechEndThreshold', 21207, 500, 5000) ?? 1200;
  const silenceTimeoutMs =
    parameters.wholeNumber('MachineDetectionSilenceTimeout', 21207, 2000, 10_000) ?? 5000;
  const callback = parameters.target('AsyncAmdStatusCallback', 'AsyncAmdStatusCallbackMethod', 21609);
  const asyncAmd = form.get('AsyncAmd') || 'false';
  if (asyncAmd !== 'true' && asyncAmd !== 'false') throw refuse(21207, "AsyncAmd must be 'true' or 'false'");
  if (!mode) return undefined;
  if (mode !== 'Enable' && mode !== 'DetectMessageEnd') {
    throw refuse(21207, "MachineDetection must be 'Enable' or 'DetectMessageEnd'");
  }
  return {
    mode,
    timeoutSeconds,
    speechThresholdMs,
    speechEndThresholdMs,
    silenceTimeoutMs,
    async: asyncAmd === 'true',
    callback,
  };
}
