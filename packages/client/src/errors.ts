/** A refusal or failure the API answered with. */
export class CallkiteApiError extends Error {
  /** HTTP status. */
  readonly status: number;
  /** Stable code such as `rate_limited`; `unknown` when something other than Callkite answered. */
  readonly code: string;
  /** Messages by field, for `validation_failed`. */
  readonly details: Readonly<Record<string, unknown>> | undefined;
  /** To quote when reporting. */
  readonly requestId: string | undefined;
  /** Seconds after which to try again, if the API said so. */
  readonly retryAfterSeconds: number | undefined;
  /** The key the call was requested with; `undefined` for requests that place no call. */
  readonly idempotencyKey: string | undefined;

  constructor(answer: {
    status: number;
    message: string;
    code: string;
    details?: Readonly<Record<string, unknown>> | undefined;
    requestId?: string | undefined;
    retryAfterSeconds?: number | undefined;
    idempotencyKey?: string | undefined;
  }) {
    super(answer.message);
    this.name = 'CallkiteApiError';
    this.status = answer.status;
    this.code = answer.code;
    this.details = answer.details;
    this.requestId = answer.requestId;
    this.retryAfterSeconds = answer.retryAfterSeconds;
    this.idempotencyKey = answer.idempotencyKey;
  }
}

/**
 * No whole answer arrived: the server could not be reached, the connection broke, or the time for an attempt ran out.
 * The request may have been carried out. Within five minutes, placing the call again with the same `idempotencyKey`
 * never rings twice.
 */
export class CallkiteConnectionError extends Error {
  /** The key the call was requested with; `undefined` for requests that place no call. */
  readonly idempotencyKey: string | undefined;

  constructor(message: string, options: { idempotencyKey?: string | undefined; cause?: unknown } = {}) {
    super(message, { cause: options.cause });
    this.name = 'CallkiteConnectionError';
    this.idempotencyKey = options.idempotencyKey;
  }
}

/** The call that was waited for was not over in time. */
export class CallkiteTimeoutError extends Error {
  readonly callId: string;

  constructor(callId: string, timeoutMs: number) {
    super(`call ${callId} was not over within ${timeoutMs} ms`);
    this.name = 'CallkiteTimeoutError';
    this.callId = callId;
  }
}
