import { CallkiteError } from '@callkite/core';
import OpenAI from 'openai';

const quotaCodes = ['insufficient_quota', 'billing_hard_limit_reached', 'credit_balance_exhausted'];
const otherPermanentCodes = ['invalid_api_key', 'account_deactivated', 'model_not_found', 'invalid_model'];

/**
 * Translates what the SDK throws. The original is not kept as the cause: servers quote prompts and keys in their
 * messages.
 */
export function toCallkiteError(error: unknown): CallkiteError {
  if (CallkiteError.isInstance(error)) return error;
  if (!(error instanceof OpenAI.APIError) || error.status === undefined) {
    return unavailable('the connection to the model failed');
  }
  return answerFailure(error.status, codeOf(error), error.headers?.get('retry-after'));
}

/** What an HTTP status other than success means. `retryAfter`: the header of that name. */
export function answerFailure(
  status: number,
  code: string | null,
  retryAfter: string | null | undefined,
): CallkiteError {
  const answer = `HTTP ${status}${code === null ? '' : `, ${code}`}`;
  if (code !== null && quotaCodes.includes(code))
    return rejected(`the model account has no quota left: check its billing (${answer})`);
  if (status === 401 || status === 403) return rejected(`the model server refused the API key (${answer})`);
  if (status === 404) return rejected(`the model server does not know the model or the address (${answer})`);
  if (status === 408 || status === 409 || status === 429 || status >= 500) {
    return unavailable(`the model server is busy or failing (${answer})`, retryAfterSecondsOf(retryAfter));
  }
  return rejected(`the model server refused the request (${answer})`);
}

/** Whether a server that gives a code in place of a status will give the same again. */
export function isPermanent(code: string | null): boolean {
  return code !== null && (quotaCodes.includes(code) || otherPermanentCodes.includes(code));
}

/** The model took too long. */
export function timeout(): CallkiteError {
  return unavailable('the model did not answer in time');
}

/** The model will give the same unusable answer again. */
export function rejected(message: string): CallkiteError {
  return new CallkiteError('provider_rejected', message);
}

export function unavailable(message: string, retryAfterSeconds?: number): CallkiteError {
  return new CallkiteError('provider_unavailable', message, {
    retryable: true,
    ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
  });
}

/** The machine-readable code, if it is one: a compatible server may write a sentence there. */
export function codeOf(error: { readonly code?: unknown; readonly type?: unknown }): string | null {
  const isCode = (text: unknown): text is string => typeof text === 'string' && /^[\w.-]{1,64}$/.test(text);
  return [error.code, error.type].find(isCode) ?? null;
}

function retryAfterSecondsOf(header: string | null | undefined): number | undefined {
  const seconds = Number.parseFloat(header ?? '');
  return Number.isFinite(seconds) && seconds > 0 ? Math.ceil(seconds) : undefined;
}
