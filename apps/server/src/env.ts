import type { VoiceMode } from '@callkite/core';
import { isNetwork } from '@callkite/core/node';
import * as z from 'zod';

const url = (protocols: readonly string[], meaning: string) =>
  z.string().refine((value) => {
    const parsed = URL.canParse(value) ? new URL(value) : null;
    return parsed !== null && protocols.includes(parsed.protocol);
  }, meaning);

const httpUrl = url(['http:', 'https:'], 'must be a URL such as https://example.com').transform((value) =>
  value.replace(/\/+$/, ''),
);
const wholeNumber = (minimum: number, maximum: number) =>
  z
    .string()
    .regex(/^\d+$/, `must be a whole number from ${minimum} to ${maximum}`)
    .transform(Number)
    .refine((value) => value >= minimum && value <= maximum, `must be from ${minimum} to ${maximum}`);
/** Names of networks, one next to the other. */
const networks = z
  .string()
  .transform((value) => value.split(/[\s,]+/).filter(Boolean))
  .refine(
    (list) => list.every((network) => isNetwork(network)),
    'must be networks such as 10.20.0.0/16, fd00::/8',
  );
const flag = z.enum(['0', '1'], 'must be 0 or 1').transform((value) => value === '1');

const loopbackHost = {
  '127.0.0.1': '127.0.0.1',
  localhost: 'localhost',
  '::1': '[::1]',
  '0.0.0.0': '127.0.0.1',
  '::': '[::1]',
} as const;

/** Every variable the server reads; `.env.example` explains each. */
const variables = z.object({
  NODE_ENV: z.enum(['development', 'test', 'production']).default('development'),
  HOST: z
    .enum(
      ['127.0.0.1', 'localhost', '::1', '0.0.0.0', '::'],
      'must be 127.0.0.1 for this machine only, or 0.0.0.0 (or ::) for every address',
    )
    .default('127.0.0.1'),
  PORT: wholeNumber(1, 65_535).default(3000),
  PUBLIC_URL: httpUrl.optional(),
  LOG_LEVEL: z.enum(['trace', 'debug', 'info', 'warn', 'error', 'silent']).optional(),
  CALLKITE_DATA_DIR: z.string().default('.callkite'),
  DATABASE_URL: url(
    ['postgres:', 'postgresql:'],
    'must be a URL such as postgres://user:password@host/db',
  ).optional(),
  REDIS_URL: url(['redis:', 'rediss:'], 'must be a URL such as redis://127.0.0.1:6379').optional(),
  CALLKITE_SECRET_KEY: z
    .string()
    .refine(isSecretKey, 'must be 32 random bytes in base64: `openssl rand -base64 32` makes one')
    .optional(),
  CALLKITE_FORMER_SECRET_KEY: z
    .string()
    .refine(isSecretKey, 'must be the earlier CALLKITE_SECRET_KEY: 32 bytes in base64')
    .optional(),
  CALLKITE_OPERATOR_TOKEN: z.string().min(16, 'must have at least 16 characters').optional(),
  OPENAI_API_KEY: z.string().optional(),
  OPENAI_BASE_URL: httpUrl.optional(),
  OPENAI_MODEL: z.string().optional(),
  OPENAI_SPEECH_API: z.enum(['realtime', 'live'], 'must be realtime or live').default('realtime'),
  OPENAI_SPEECH_MODEL: z.string().optional(),
  OPENAI_SPEECH_VOICE: z.string().optional(),
  OPENAI_SECOND_API_KEY: z.string().optional(),
  OPENAI_SECOND_BASE_URL: httpUrl.optional(),
  OPENAI_SECOND_MODEL: z.string().optional(),
  OPENAI_SECOND_SPEECH_MODEL: z.string().optional(),
  TWILIO_API_BASE_URL: httpUrl.optional(),
  CALLKITE_TEST_CARRIER_URL: httpUrl.optional(),
  REQUESTS_PER_MINUTE: wholeNumber(1, 1_000_000).default(60),
  CALLKITE_DAILY_CALL_MINUTES: z
    .string()
    .regex(/^(unlimited|[1-9]\d{0,6})$/, 'must be a whole number from 1 to 9999999, or unlimited')
    .transform((value) => (value === 'unlimited' ? null : Number(value)))
    .default(3000),
  CALLKITE_TRUSTED_PROXIES: wholeNumber(0, 10).default(0),
  CALLKITE_RESUME_SECONDS: wholeNumber(2, 300).default(30),
  CALLKITE_RUN_WORKERS: flag.default(true),
  CALLKITE_ALLOW_PRIVATE_CALLBACKS: flag.default(false),
  CALLKITE_ALLOW_NETWORKS: networks.optional(),
  CALLKITE_REFUSE_NETWORKS: networks.optional(),
  CALLKITE_DRAIN_SECONDS: wholeNumber(0, 3600).default(600),
  CALLKITE_CONFIRMATION_SECONDS: wholeNumber(15, 3600).default(120),
  CALLKITE_VOICE_MODE: z.enum(['relay', 'realtime'], 'must be relay or realtime').default('relay'),
  CALLKITE_DEMO: flag.default(true),
  CALLKITE_EMULATOR_SPEED: z
    .string()
    .transform(Number)
    .refine((value) => value > 0 && value <= 100, 'must be a number above 0, at most 100')
    .default(3),
});

export const variableNames: readonly string[] = Object.keys(variables.shape);

/** Where models are, and which. `null` leaves the choice to the adapter. */
export interface ModelSettings {
  readonly apiKey: string | null;
  readonly baseUrl: string | null;
  readonly model: string | null;
  readonly speechModel: string | null;
}

/** What the server runs with, read from the environment once and checked as a whole. */
export interface Settings {
  readonly production: boolean;
  readonly host: string;
  readonly port: number;
  /** Where this machine reaches the server: the emulated network, which runs in this process. */
  readonly loopbackUrl: string;
  /** Where carriers reach this server. @default loopbackUrl */
  readonly publicUrl: string;
  readonly logLevel: 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'silent';
  readonly dataDirectory: string;
  /** `null`: the embedded database in `dataDirectory`. */
  readonly databaseUrl: string | null;
  readonly redisUrl: string | null;
  /** `null`: made on the first start and kept in `dataDirectory`. */
  readonly secretKey: string | null;
  /** Still opens what it sealed, until everything is sealed with `secretKey`. `null`: there is none. */
  readonly formerSecretKey: string | null;
  readonly operatorToken: string | null;
  /** The models of live calls. `null`: the emulated ones. */
  readonly openai: ModelSettings | null;
  /** Asked where those fail or are slow. `null`: nobody. */
  readonly secondOpenai: ModelSettings | null;
  /** How the models that hear and speak are used. A `null` voice leaves the choice to the adapter. */
  readonly speech: { readonly api: 'realtime' | 'live'; readonly voice: string | null };
  /** How words travel on calls whose workflow does not say. */
  readonly voiceMode: VoiceMode;
  /** The carrier of live calls. `null`: the emulated one. A `null` base URL is Twilio's own. */
  readonly twilio: { readonly apiBaseUrl: string | null } | null;
  /** Emulated carrier of test calls that several processes share. `null`: the one in this process. */
  readonly testCarrierUrl: string | null;
  readonly requestsPerMinute: number;
  /** Of organizations without a limit of their own. `null`: unlimited. */
  readonly dailyCallMinutes: number | null;
  readonly trustedProxies: number;
  /** How long a visitor whose connection was lost is waited for. */
  readonly resumeWindowMs: number;
  readonly runWorkers: boolean;
  readonly allowPrivateCallbacks: boolean;
  /** What callbacks and webhooks may reach besides the public internet, and what of it they may not, in CIDR notation. */
  readonly allowNetworks: readonly string[];
  readonly refuseNetworks: readonly string[];
  readonly drainMs: number;
  readonly confirmationWindowMs: number;
  readonly demonstration: boolean;
  readonly emulatorSpeed: number;
}

/** The environment cannot be run with. The message lists every problem, one a line. */
export class SettingsError extends Error {}

/**
 * Reads the settings from the environment, and from the file `.env` in the working directory for what the
 * environment does not set.
 * @throws SettingsError
 */
export function loadSettings(): Settings {
  try {
    process.loadEnvFile('.env');
  } catch (error) {
    if (!isMissingFile(error)) throw new SettingsError(`The file .env cannot be read: ${String(error)}`);
  }
  return readSettings(process.env);
}

/** @throws SettingsError */
export function readSettings(environment: Readonly<Record<string, string | undefined>>): Settings {
  // An empty variable counts as absent, as compose files and copied .env files need it.
  const present = Object.fromEntries(Object.entries(environment).filter(([, value]) => value?.trim()));
  const parsed = variables.safeParse(present);
  const problems = [
    ...(parsed.success ? [] : parsed.error.issues.map((issue) => `${issue.path.join('.')} ${issue.message}`)),
    ...unknownVariables(present),
    ...contradictions(present),
  ];
  if (problems.length > 0 || !parsed.success) {
    throw new SettingsError(
      ['The server cannot start with this configuration (see .env.example):', ...problems].join('\n  - '),
    );
  }
  const values = parsed.data;
  const productionMode = isProduction(present);
  const loopbackUrl = `http://${loopbackHost[values.HOST]}:${values.PORT}`;
  const openai: ModelSettings = {
    apiKey: values.OPENAI_API_KEY ?? null,
    baseUrl: values.OPENAI_BASE_URL ?? null,
    model: values.OPENAI_MODEL ?? null,
    speechModel: values.OPENAI_SPEECH_MODEL ?? null,
  };
  return {
    production: productionMode,
    host: values.HOST,
    port: values.PORT,
    loopbackUrl,
    publicUrl: values.PUBLIC_URL ?? loopbackUrl,
    logLevel: values.LOG_LEVEL ?? (productionMode ? 'info' : 'warn'),
    dataDirectory: values.CALLKITE_DATA_DIR,
    databaseUrl: values.DATABASE_URL ?? null,
    redisUrl: values.REDIS_URL ?? null,
    secretKey: values.CALLKITE_SECRET_KEY ?? null,
    formerSecretKey: values.CALLKITE_FORMER_SECRET_KEY ?? null,
    operatorToken: values.CALLKITE_OPERATOR_TOKEN ?? null,
    openai: hasModel(present) ? openai : null,
    secondOpenai: hasSecondModel(present)
      ? {
          apiKey: values.OPENAI_SECOND_API_KEY ?? (isElsewhere(present) ? null : openai.apiKey),
          baseUrl: values.OPENAI_SECOND_BASE_URL ?? openai.baseUrl,
          model: values.OPENAI_SECOND_MODEL ?? openai.model,
          speechModel: values.OPENAI_SECOND_SPEECH_MODEL ?? openai.speechModel,
        }
      : null,
    speech: { api: values.OPENAI_SPEECH_API, voice: values.OPENAI_SPEECH_VOICE ?? null },
    voiceMode: values.CALLKITE_VOICE_MODE,
    twilio: hasRealCarrier(present) ? { apiBaseUrl: values.TWILIO_API_BASE_URL ?? null } : null,
    testCarrierUrl: values.CALLKITE_TEST_CARRIER_URL ?? null,
    requestsPerMinute: values.REQUESTS_PER_MINUTE,
    dailyCallMinutes: values.CALLKITE_DAILY_CALL_MINUTES,
    trustedProxies: values.CALLKITE_TRUSTED_PROXIES,
    resumeWindowMs: values.CALLKITE_RESUME_SECONDS * 1000,
    runWorkers: values.CALLKITE_RUN_WORKERS,
    allowPrivateCallbacks: values.CALLKITE_ALLOW_PRIVATE_CALLBACKS,
    allowNetworks: values.CALLKITE_ALLOW_NETWORKS ?? [],
    refuseNetworks: values.CALLKITE_REFUSE_NETWORKS ?? [],
    drainMs: values.CALLKITE_DRAIN_SECONDS * 1000,
    confirmationWindowMs: values.CALLKITE_CONFIRMATION_SECONDS * 1000,
    demonstration: values.CALLKITE_DEMO,
    emulatorSpeed: values.CALLKITE_EMULATOR_SPEED,
  };
}

type Present = Readonly<Record<string, string | undefined>>;

function isProduction(present: Present): boolean {
  return present.NODE_ENV === 'production' || present.DATABASE_URL !== undefined;
}

// A carrier calls back. Without an address on the internet, only the emulated network can.
function hasRealCarrier({ PUBLIC_URL, TWILIO_API_BASE_URL }: Present): boolean {
  return TWILIO_API_BASE_URL !== undefined || (PUBLIC_URL !== undefined && !isLoopback(PUBLIC_URL));
}

function hasModel(present: Present): boolean {
  return present.OPENAI_API_KEY !== undefined || present.OPENAI_BASE_URL !== undefined;
}

const secondModelVariables = Object.keys(variables.shape).filter((name) => name.startsWith('OPENAI_SECOND_'));

function hasSecondModel(present: Present): boolean {
  return secondModelVariables.some((name) => present[name] !== undefined);
}

/** The second model's server is not known to be the first one's, whose key is none of its business. */
function isElsewhere({ OPENAI_SECOND_BASE_URL: second, OPENAI_BASE_URL: first }: Present): boolean {
  return second !== undefined && second !== first;
}

function secondModelContradictions(present: Present): string[] {
  if (!hasSecondModel(present)) return [];
  const names = secondModelVariables.filter((name) => present[name] !== undefined).join(', ');
  if (!hasModel(present)) {
    return [`${names}: a second model needs a first one: set OPENAI_API_KEY, or OPENAI_BASE_URL, too`];
  }
  if (isElsewhere(present) && present.OPENAI_API_KEY && present.OPENAI_SECOND_API_KEY === undefined) {
    return [
      'OPENAI_SECOND_API_KEY is required with another OPENAI_SECOND_BASE_URL: the key of the first model is not sent there (any text will do for a server that asks for none)',
    ];
  }
  const isAnother = secondModelVariables.some(
    (name) => present[name] !== undefined && present[name] !== present[name.replace('_SECOND', '')],
  );
  return isAnother ? [] : [`${names}: the second model is the same as the first one`];
}

function contradictions(present: Present): string[] {
  const problems: string[] = [];
  const publicUrl = present.PUBLIC_URL;
  if (isProduction(present)) {
    if (present.CALLKITE_SECRET_KEY === undefined) {
      problems.push('CALLKITE_SECRET_KEY is required in production: `openssl rand -base64 32` makes one');
    }
    if (publicUrl === undefined) {
      problems.push(
        'PUBLIC_URL is required in production: the https address under which carriers reach this server',
      );
    }
  }
  if (publicUrl?.startsWith('http:') && (present.NODE_ENV === 'production' || !isLoopback(publicUrl))) {
    problems.push('PUBLIC_URL must begin with https://, unless it is a loopback address outside production');
  }
  if (hasRealCarrier(present) && !hasModel(present)) {
    problems.push(
      'OPENAI_API_KEY, or OPENAI_BASE_URL of a compatible server, is required with a real carrier: the emulated model is not for people',
    );
  }
  if (present.NODE_ENV === 'production' && present.CALLKITE_ALLOW_PRIVATE_CALLBACKS === '1') {
    problems.push('CALLKITE_ALLOW_PRIVATE_CALLBACKS must not be 1 with NODE_ENV=production');
  }
  return [...problems, ...secondModelContradictions(present)];
}

function unknownVariables(present: Present): string[] {
  return Object.keys(present)
    .filter((name) => name.startsWith('CALLKITE_') && !variableNames.includes(name))
    .map((name) => `${name} is not a setting`);
}

export function isSecretKey(value: string): boolean {
  return /^[A-Za-z0-9+/]{43}=$/.test(value) && Buffer.from(value, 'base64').length === 32;
}

function isLoopback(url: string): boolean {
  return URL.canParse(url) && ['127.0.0.1', 'localhost', '[::1]'].includes(new URL(url).hostname);
}

function isMissingFile(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT';
}
