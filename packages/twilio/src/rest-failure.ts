import { CallkiteError } from '@callkite/core';
import * as z from 'zod';

/** What the SDK throws for an answer that is not a success; connection failures have no numeric status. */
const refusal = z.object({ status: z.number(), code: z.number().nullish().catch(null) });

/** An answer of Twilio that is not a success. */
export interface RestFailure {
  readonly status: number;
  /** Twilio's own code; null when the answer was not Twilio's JSON. */
  readonly code: number | null;
}

/** The refusal behind an error of the SDK; `null` when there was no readable answer at all. */
export function restFailureOf(error: unknown): RestFailure | null {
  const { data } = refusal.safeParse(error);
  return data === undefined ? null : { status: data.status, code: data.code ?? null };
}

/** The system's code of a failed connection, such as `ECONNREFUSED`. */
export function connectionFailureOf(error: unknown): string | null {
  const { data } = z.object({ code: z.string() }).safeParse(error);
  return data?.code ?? null;
}

/**
 * Translates a failure of the SDK. The original is not kept as the cause: Twilio's messages quote phone numbers,
 * and connection errors carry the request with its Basic credentials.
 */
export function toCallkiteError(error: unknown): CallkiteError {
  if (CallkiteError.isInstance(error)) return error;
  const failure = restFailureOf(error);
  if (failure === null) {
    const reason = connectionFailureOf(error) ?? 'no readable answer';
    return new CallkiteError('provider_unavailable', `Twilio could not be reached (${reason})`, {
      retryable: true,
    });
  }
  const answer = `HTTP ${failure.status}${failure.code === null ? '' : `, code ${failure.code}`}`;
  if (failure.status === 429 || failure.status >= 500 || failure.status < 400) {
    return new CallkiteError('provider_unavailable', `Twilio did not process the request (${answer})`, {
      retryable: true,
    });
  }
  if (failure.status === 401 || failure.status === 403) {
    return new CallkiteError(
      'provider_rejected',
      `Twilio refused the credentials: check the Account SID and the primary Auth Token (${answer})`,
    );
  }
  return new CallkiteError('provider_rejected', `Twilio refused the request (${answer})`);
}
