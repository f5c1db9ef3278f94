import * as z from 'zod';

const sid = (prefix: string) =>
  z.string().regex(new RegExp(`^${prefix}[0-9a-f]{32}$`), `${prefix} and 32 hex digits`);
const e164 = z.string().regex(/^\+[1-9]\d{6,14}$/, 'an E.164 number such as +12025550180');

/** An account of the emulator, as it is written in options and configuration files. */
export const accountSchema = z.strictObject({
  /** A name to show to people. */
  name: z.string().min(1),
  /** `AC` and 32 hex digits. */
  sid: sid('AC'),
  /** The primary auth token: signs webhooks and authenticates requests. */
  authToken: z.string().min(1),
  /** API keys that authenticate as this account: `SK…` and its secret. */
  apiKeys: z.array(z.strictObject({ sid: sid('SK'), secret: z.string().min(1) })).default([]),
  type: z.enum(['Trial', 'Full']).default('Full'),
  status: z.enum(['active', 'suspended', 'closed']).default('active'),
  /** State of the primary business profile in Trust Hub, or `none`. */
  businessProfile: z
    .enum(['none', 'draft', 'pending-review', 'in-review', 'twilio-rejected', 'twilio-approved'])
    .default('none'),
  /** Calls taken off the queue per second. */
  callsPerSecond: z.number().positive().default(1),
  /** Calls queued or live at once before a create is refused with 10004; `null` for no limit. */
  concurrentCalls: z.number().int().positive().nullable().default(null),
  /** Numbers the account owns. */
  phoneNumbers: z.array(e164).default([]),
  /** Numbers verified as caller IDs. A trial account may call only these. */
  verifiedNumbers: z.array(e164).default([]),
  /** ISO codes of the countries the account may dial. */
  dialingCountries: z.array(z.string().length(2)).default(['US', 'CA']),
  /** Destinations the account may not call (21216). */
  blockedNumbers: z.array(e164).default([]),
  /** Money left, in US dollars. */
  balance: z.string().default('42.50'),
});

/** An account of the emulator with defaults left out. */
export type AccountOptions = z.input<typeof accountSchema>;

/** An account of the emulator. */
export type Account = z.output<typeof accountSchema>;

const fictional = (lastTwoDigits: number) => `+120255501${String(lastTwoDigits).padStart(2, '0')}`;
const range = (first: number, last: number) =>
  Array.from({ length: last - first + 1 }, (_, index) => fictional(first + index));

/** The accounts every emulator has unless told otherwise. Nothing about them exists outside the emulator. */
export const builtInAccounts: {
  /** Trial: 1 call per second, 4 at once, verified recipients only, no ConversationRelay. */
  readonly trial: Account;
  /** Paid, business profile still in review: 1 call per second, 4 at once. */
  readonly upgraded: Account;
  /** Paid, business profile approved: 60 calls per second, no limit on calls at once. */
  readonly approved: Account;
} = {
  trial: accountSchema.parse({
    name: 'Emulated trial account',
    sid: 'AC00000000000000000000000000000001',
    authToken: 'emulator-auth-token-trial',
    apiKeys: [{ sid: 'SK00000000000000000000000000000001', secret: 'emulator-api-secret-trial' }],
    type: 'Trial',
    callsPerSecond: 1,
    concurrentCalls: 4,
    phoneNumbers: [fictional(80)],
    verifiedNumbers: [fictional(0), fictional(1), fictional(10), fictional(11), fictional(20)],
    dialingCountries: ['US'],
    balance: '15.50',
  }),
  upgraded: accountSchema.parse({
    name: 'Emulated upgraded account',
    sid: 'AC00000000000000000000000000000002',
    authToken: 'emulator-auth-token-upgraded',
    apiKeys: [{ sid: 'SK00000000000000000000000000000002', secret: 'emulator-api-secret-upgraded' }],
    businessProfile: 'in-review',
    callsPerSecond: 1,
    concurrentCalls: 4,
    phoneNumbers: range(81, 82),
    verifiedNumbers: ['+12125550100'],
  }),
  approved: accountSchema.parse({
    name: 'Emulated approved account',
    sid: 'AC00000000000000000000000000000003',
    authToken: 'emulator-auth-token-approved',
    apiKeys: [{ sid: 'SK00000000000000000000000000000003', secret: 'emulator-api-secret-approved' }],
    businessProfile: 'twilio-approved',
    callsPerSecond: 60,
    phoneNumbers: range(83, 99),
    verifiedNumbers: ['+12125550101'],
  }),
};
