/** Every way Callkite refuses or fails, as a stable code. `http/problem.ts` maps each to an HTTP status. */
export type ErrorCode =
  | 'validation_failed'
  | 'malformed_request'
  | 'invalid_phone_number'
  | 'destination_not_allowed'
  | 'number_opted_out'
  | 'unauthenticated'
  | 'origin_not_allowed'
  | 'workflow_disabled'
  | 'forbidden'
  | 'business_profile_required'
  | 'not_found'
  | 'method_not_allowed'
  | 'request_timeout'
  | 'conflict'
  | 'payload_too_large'
  | 'unsupported_media_type'
  | 'rate_limited'
  | 'spending_limit'
  | 'request_in_progress'
  | 'no_usable_number'
  | 'carrier_unavailable'
  | 'storage_unavailable'
  | 'provider_rejected'
  | 'provider_unavailable'
  | 'internal';

export interface CallkiteErrorOptions {
  /** Whether the same request may succeed later without a change. @default false */
  retryable?: boolean;
  /** Whole seconds after which a retry makes sense. */
  retryAfterSeconds?: number;
  /** What exactly is wrong, for `validation_failed`: issues by field. Never personal data. */
  details?: Readonly<Record<string, unknown>>;
  cause?: unknown;
}

const brand: unique symbol = Symbol.for('callkite.error') as never;

/**
 * The only error class that leaves a Callkite package on purpose. The message is safe to show to the
 * caller: it holds no phone number, transcript or secret.
 */
export class CallkiteError extends Error {
  readonly [brand] = true;
  readonly code: ErrorCode;
  readonly retryable: boolean;
  readonly retryAfterSeconds: number | undefined;
  readonly details: Readonly<Record<string, unknown>> | undefined;

  constructor(code: ErrorCode, message: string, options: CallkiteErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'CallkiteError';
    this.code = code;
    this.retryable = options.retryable ?? false;
    this.retryAfterSeconds = options.retryAfterSeconds;
    this.details = options.details;
  }

  /** Recognizes errors of another installed copy of the package too, which `instanceof` would not. */
  static isInstance(value: unknown): value is CallkiteError {
    return typeof value === 'object' && value !== null && brand in value;
  }
}
