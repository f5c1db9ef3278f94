import * as z from 'zod';
import { ApiError } from './api-error.ts';

const trigger = z.strictObject({
  /** Share of requests that fail, from 0 to 1. The sequence of hits is the same in every run. */
  probability: z.number().min(0).max(1).default(1),
  /** Stop after so many hits; without it the fault stays on. */
  times: z.int().min(1).optional(),
  /** Only for text requests, or only on realtime and live sockets. */
  on: z.enum(['text', 'speech']).optional(),
});

/** Which half of the emulator a fault is about to strike. */
export type Surface = 'text' | 'speech';

/** Tokens, or spoken words, sent before an answer is broken or cut. */
const afterTokens = z.int().min(0).default(3);

/** The faults that can be switched on; one that is absent is off. */
export const faultSettings = z.strictObject({
  /** Answers with this HTTP status; on a socket, in place of the upgrade. */
  error: z
    .strictObject({
      status: z.int().min(400).max(599).default(500),
      code: z.string().nullable().optional(),
      message: z.string().optional(),
      ...trigger.shape,
    })
    .optional(),
  /** 429 `rate_limit_exceeded` with `retry-after`. */
  rateLimit: z
    .strictObject({
      retryAfterSeconds: z.number().min(0).default(1),
      limit: z.enum(['requests', 'tokens']).default('requests'),
      ...trigger.shape,
    })
    .optional(),
  /** 429 `insufficient_quota`. */
  insufficientQuota: trigger.optional(),
  /** Takes the request and never answers, so that the client's timeout fires; a spoken response begins and stays silent. */
  hang: trigger.optional(),
  /** Waits before the first token, on top of the configured latency. */
  slowFirstToken: z.strictObject({ delayMs: z.int().min(0), ...trigger.shape }).optional(),
  /** An error frame in the middle of a stream; a spoken response ends as failed. */
  streamError: z.strictObject({ afterTokens, message: z.string().optional(), ...trigger.shape }).optional(),
  /** Destroys the socket in the middle of the answer. */
  socketCut: z.strictObject({ afterTokens, ...trigger.shape }).optional(),
  /** A refusal in place of the answer. */
  refusal: z.strictObject({ text: z.string().min(1).optional(), ...trigger.shape }).optional(),
  /** Cuts the answer as if the token limit were reached. */
  lengthStop: z.strictObject({ afterTokens, ...trigger.shape }).optional(),
  /** JSON that parses but does not fit the requested schema. */
  schemaViolation: trigger.optional(),
  /** Stops the answer for its content. */
  contentFilter: z.strictObject({ afterTokens, ...trigger.shape }).optional(),
  /** The model does whatever the other side asks of it. `true` for always. */
  obedient: z.union([z.literal(true).transform(() => trigger.parse({})), trigger]).optional(),
  /** A socket that is never opened nor refused. */
  connectHang: trigger.optional(),
  /** What the other side said is never transcribed, or its transcription is told to have failed. */
  transcriptionLost: z.strictObject({ tell: z.boolean().default(false), ...trigger.shape }).optional(),
  /** A transcription that comes later than the others. */
  transcriptionLate: z.strictObject({ delayMs: z.int().min(0), ...trigger.shape }).optional(),
  /** A transcription that comes only after the one of the next turn. */
  transcriptionOvertaken: trigger.optional(),
  /** Says something else than it was told to say word for word. */
  misquote: z
    .strictObject({ text: z.string().min(1).default('Sure, happy to help you today!'), ...trigger.shape })
    .optional(),
  /** An `error` event out of nowhere while a response begins; the session goes on. */
  errorEvent: z
    .strictObject({
      code: z.string().default('server_error'),
      message: z.string().default('The server had an error while processing your request.'),
      ...trigger.shape,
    })
    .optional(),
});

export type FaultSettings = z.input<typeof faultSettings>;
type ActiveFaults = z.output<typeof faultSettings>;
export type FaultName = keyof ActiveFaults;

/** The faults as one surface meets them. */
export interface Faults {
  /** The settings of a fault if it strikes now, and counts the hit. */
  strike<Name extends FaultName>(name: Name): ActiveFaults[Name];
}

export interface FaultPlan {
  settings(): ActiveFaults;
  /** Replaces all faults: one that is not named is switched off. @throws z.ZodError */
  configure(settings: FaultSettings): void;
  on(surface: Surface): Faults;
}

export function faultPlan(initial: FaultSettings): FaultPlan {
  let active: ActiveFaults = {};
  let hits = new Map<FaultName, number>();
  let seed = 0;

  // A fixed pseudo-random sequence (mulberry32): runs with the same requests fail at the same places.
  function nextChance(): number {
    seed = (seed + 0x6d2b79f5) | 0;
    let mixed = Math.imul(seed ^ (seed >>> 15), 1 | seed);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  }

  function configure(settings: FaultSettings): void {
    active = faultSettings.parse(settings);
    hits = new Map();
    seed = 0;
  }

  const on = (surface: Surface): Faults => ({
    strike(name) {
      const fault = active[name];
      if (!fault || (fault.on !== undefined && fault.on !== surface)) return undefined;
      const count = hits.get(name) ?? 0;
      if (fault.times !== undefined && count >= fault.times) return undefined;
      if (fault.probability < 1 && nextChance() >= fault.probability) return undefined;
      hits.set(name, count + 1);
      return fault;
    },
  });

  configure(initial);
  return { settings: () => active, configure, on };
}

const STATUS_ERRORS: Record<number, { message: string; type: string; code: string | null }> = {
  401: {
    message: 'Incorrect API key provided.',
    type: 'invalid_request_error',
    code: 'invalid_api_key',
  },
  403: {
    message: 'Country, region, or territory not supported',
    type: 'request_forbidden',
    code: 'unsupported_country_region_territory',
  },
  500: {
    message: 'The server had an error while processing your request. Sorry about that!',
    type: 'server_error',
    code: 'server_error',
  },
  503: {
    message: 'The engine is currently overloaded, please try again later.',
    type: 'overloaded',
    code: 'overloaded',
  },
};

/** The refusal of a request by one of the faults that answer with a status, if one strikes. */
export function strikeRequestError(plan: Faults, model: string): ApiError | undefined {
  const error = plan.strike('error');
  if (error) {
    const known = STATUS_ERRORS[error.status];
    return new ApiError(error.message ?? known?.message ?? 'The emulator was told to fail this request.', {
      status: error.status,
      type: known?.type ?? (error.status < 500 ? 'invalid_request_error' : 'server_error'),
      code: error.code === undefined ? (known?.code ?? null) : error.code,
    });
  }
  const rateLimit = plan.strike('rateLimit');
  if (rateLimit) {
    const { limit, retryAfterSeconds } = rateLimit;
    return new ApiError(
      `Rate limit reached for ${model} on ${limit} per min. Please try again in ${retryAfterSeconds}s.`,
      {
        status: 429,
        type: limit,
        code: 'rate_limit_exceeded',
        headers: {
          'retry-after': String(Math.ceil(retryAfterSeconds)),
          'retry-after-ms': String(Math.round(retryAfterSeconds * 1000)),
          [`x-ratelimit-remaining-${limit}`]: '0',
          [`x-ratelimit-reset-${limit}`]: `${retryAfterSeconds}s`,
        },
      },
    );
  }
  if (plan.strike('insufficientQuota')) {
    return new ApiError('You exceeded your current quota, please check your plan and billing details.', {
      status: 429,
      type: 'insufficient_quota',
      code: 'insufficient_quota',
    });
  }
  return undefined;
}
