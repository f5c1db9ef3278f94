import { CallkiteError } from '@callkite/core';
import OpenAI from 'openai';

/**
 * Translates what the SDK throws. The original is not kept as the cause: servers quote prompts and keys in their
 * messages.
 */
export function toCallkiteError(error: unknown): CallkiteError {
  if (CallkiteError.isInstance(error)) return error;
  if (!(error instanceof OpenAI.APIError) || error.status === undefined) {
    return unavailable('the connection to the model failed');
  }
  const { status } = error;
  const code = codeOf(error);
  const answer = `HTTP ${status}${code === null ? '' : `, ${code}`}`;
  if (code === 'insufficient_quota')
    return rejected(`the model account has no quota left: check its billing (${answer})`);
  if (status === 401 || status === 403) return rejected(`the model server refused the API key (${answer})`);
  if (status === 404) return rejected(`the model server does not know the model or the address (${answer})`);
  if (status === 408 || status === 409 || status === 429 || status >= 500) {
    return unavailable(`the model server is busy or failing (${answer})`, retryAfterSecondsOf(error.headers));
  }
  return rejected(`the model server refused the request (${answer})`);
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
function codeOf(error: { readonly code: unknown; readonly type: unknown }): string | null {
  const isCode = (text: unknown): text is string => typeof text === 'string' && /^[\w.-]{1,64}$/.test(text);
  return [error.code, error.type].find(isCode) ?? null;
}

function retryAfterSecondsOf(headers: Headers | undefined): number | undefined {
  const seconds = Number.parseFloat(headers?.get('retry-after') ?? '');
  return Number.isFinite(seconds) && seconds > 0 ? Math.ceil(seconds) : undefined;
}
