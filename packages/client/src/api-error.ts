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

  constructor(answer: {
    status: number;
    message: string;
    code: string;
    details?: Readonly<Record<string, unknown>> | undefined;
    requestId?: string | undefined;
    retryAfterSeconds?: number | undefined;
  }) {
    super(answer.message);
    this.name = 'CallkiteApiError';
    this.status = answer.status;
    this.code = answer.code;
    this.details = answer.details;
    this.requestId = answer.requestId;
    this.retryAfterSeconds = answer.retryAfterSeconds;
  }
}

/** What was waited for did not happen in time. */
export class CallkiteTimeoutError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'CallkiteTimeoutError';
  }
}
