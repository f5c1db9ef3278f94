import * as z from 'zod';
import type { CallkiteOptions } from './callkite.ts';
import { emulatedNetwork } from './calls/carrier-adapter.ts';
import { CallkiteError } from './kernel/errors.ts';
import { isNetwork } from './kernel/outbound/public-addresses.ts';

const adapter = (what: string) =>
  z.custom<object>((value) => typeof value === 'object' && value !== null, what);
const switchedOn = z.boolean().optional();
const ofMilliseconds = z.int().min(0).optional();
const atLeastOne = z.int().min(1).optional();

const networks = z
  .array(z.string().refine(isNetwork, 'must be a network such as 10.20.0.0/16 or fd00::/8'))
  .optional();

const baseUrl = z.string().refine((text) => {
  if (!URL.canParse(text)) return false;
  const { protocol, username, password, search, hash } = new URL(text);
  return /^https?:$/.test(protocol) && !(username || password || search || hash) && !text.endsWith('/');
}, 'must be an http or https address such as https://calls.example.com, without a slash at its end');

const vendors = {
  telephony: adapter('must be a carrier, such as twilio() of @callkite/twilio'),
  languageModel: adapter('must be a model, such as openAi() of @callkite/openai'),
  speechModel: adapter('must be a speech model').optional(),
};

const schema = z.object({
  ...vendors,
  storage: adapter('must be a store, such as postgres() or pglite() of @callkite/postgres'),
  voiceMode: z.enum(['relay', 'realtime']).optional(),
  test: z
    .object({
      ...vendors,
      account: z
        .object({ accountId: z.string().min(1), secret: z.string().min(1), phoneNumber: z.string().min(1) })
        .optional(),
    })
    .refine(
      ({ telephony, account }) =>
        account === undefined || ('network' in telephony && telephony.network === emulatedNetwork),
      { path: ['account'], message: 'must belong to an emulated carrier, on which no real phone can ring' },
    )
    .optional(),
  tools: z.array(z.object({ name: z.string() })).optional(),
  publicUrl: baseUrl,
  operatorToken: z
    .string()
    .regex(/^[\x21-\x7e]+$/, 'must be printable ASCII without blanks')
    .optional(),
  allowPrivateCallbacks: switchedOn,
  allowNetworks: networks,
  refuseNetworks: networks,
  cache: adapter('must be a Keyv').optional(),
  requestsPerMinute: atLeastOne,
  dailyCallMinutes: z.int().min(1).nullable().optional(),
  confirmationWindowMs: ofMilliseconds,
  webCalls: z
    .object({
      resumeWindowMs: ofMilliseconds,
      maximumLive: z.int().min(0).optional(),
      perAddressAndMinute: atLeastOne,
      perKeyAndMinute: atLeastOne,
      callbacksPerNumberAndHour: atLeastOne,
    })
    .optional(),
  apiReference: adapter(
    'must be an API reference, such as apiReference() of @callkite/api-reference',
  ).optional(),
  trustedProxies: z.int().min(0).max(20).optional(),
  runWorkers: switchedOn,
  logger: adapter('must have the methods debug, info, warn and error').optional(),
  onEvent: z.custom((value) => typeof value === 'function', 'must be a function').optional(),
});

/** Throws `validation_failed` for options no Callkite can work with, naming them all. */
export function checkOptions(options: CallkiteOptions): void {
  const { error } = schema.safeParse(options);
  if (!error) return;
  const details: Record<string, string[]> = {};
  for (const { path, message } of error.issues) {
    const name = path.join('.') || 'options';
    details[name] = [...(details[name] ?? []), message];
  }
  const faults = Object.entries(details).map(([name, messages]) => `${name}: ${messages.join(', ')}`);
  throw new CallkiteError(
    'validation_failed',
    `createCallkite was given wrong options. ${faults.join('; ')}`,
    {
      details,
    },
  );
}
