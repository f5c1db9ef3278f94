import { CallkiteError, type ErrorCode } from '../kernel/errors.ts';
import type { HttpResponse } from '../kernel/http.ts';

/** The HTTP status each error is answered with; the only place that knows. */
export const statusOf: Readonly<Record<ErrorCode, number>> = {
  validation_failed: 400,
  malformed_request: 400,
  invalid_phone_number: 400,
  destination_not_allowed: 400,
  number_opted_out: 400,
  unauthenticated: 401,
  forbidden: 403,
  business_profile_required: 403,
  origin_not_allowed: 403,
  workflow_disabled: 403,
  not_found: 404,
  method_not_allowed: 405,
  request_timeout: 408,
  conflict: 409,
  payload_too_large: 413,
  unsupported_media_type: 415,
  provider_rejected: 422,
  rate_limited: 429,
  spending_limit: 429,
  internal: 500,
  request_in_progress: 503,
  no_usable_number: 503,
  carrier_unavailable: 503,
  storage_unavailable: 503,
  provider_unavailable: 503,
};

/** Seconds a client waits before repeating a request whose failure did not say how long. */
const defaultRetryAfterSeconds = 5;

/** What went wrong, as an error that may be shown: whatever is not ours tells nothing about itself. */
export function toCallkiteError(error: unknown): CallkiteError {
  if (CallkiteError.isInstance(error)) return error;
  return new CallkiteError('internal', 'Internal error: quote the Request-Id header when you report it', {
    cause: error,
  });
}

/**
 * The answer for an error: `{error}`, and `details` for failed validation.
 * @param options.withCode adds `code`, which the header tells otherwise @default false
 */
export function problemResponse(
  error: CallkiteError,
  { withCode = false }: { withCode?: boolean } = {},
): HttpResponse {
  const { code, message, details = {} } = error;
  const headers: Record<string, string> = {
    'content-type': 'application/json',
    'callkite-error-code': code,
  };
  if (code === 'unauthenticated') headers['www-authenticate'] = 'Bearer';
  const retryAfterSeconds =
    error.retryAfterSeconds ?? (error.retryable ? defaultRetryAfterSeconds : undefined);
  if (retryAfterSeconds !== undefined)
    headers['retry-after'] = String(Math.max(1, Math.ceil(retryAfterSeconds)));
  return {
    status: statusOf[code],
    headers,
    body: JSON.stringify({
      error: message,
      ...(withCode && { code }),
      ...(code === 'validation_failed' && { details }),
    }),
  };
}
