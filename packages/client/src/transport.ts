import type { ErrorBody } from '@callkite/contract';
import { CallkiteApiError } from './api-error.ts';

export interface CallkiteClientOptions {
  /** `ck_live_…` or `ck_test_…` */
  apiKey: string;
  /** Where the API is, such as `https://callkite.example.com`. */
  baseUrl: string;
  /** @default the global one */
  fetch?: typeof fetch | undefined;
  /** How often a request is sent again after 429, 503 or a broken connection. @default 3 */
  maximumRetries?: number | undefined;
  /** Longest wait before a retry; when the API asks for more, the error is thrown instead. @default 60 000 */
  maximumRetryDelayMs?: number | undefined;
  /** Time for one attempt. @default 30 000 */
  attemptTimeoutMs?: number | undefined;
}

export interface ApiRequest {
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** Segments are encoded. */
  path: readonly string[];
  query?: Readonly<Record<string, string | number | undefined>> | undefined;
  body?: unknown;
  /** Whether sending it twice does no more than sending it once. */
  repeatable: boolean;
}

export interface ApiAnswer<Body> {
  readonly body: Body;
  readonly headers: Headers;
}

/** Sends a request, again where that is safe and of use. Rejects with `CallkiteApiError`, or as `fetch` does. */
export type Send = <Body>(request: ApiRequest) => Promise<ApiAnswer<Body>>;

const firstRetryDelayMs = 250;

export function createTransport(options: CallkiteClientOptions): Send {
  const {
    apiKey,
    baseUrl,
    fetch: send = fetch,
    maximumRetries = 3,
    maximumRetryDelayMs = 60_000,
    attemptTimeoutMs = 30_000,
  } = options;
  const base = baseUrl.replace(/\/+$/, '');

  async function attempt<Body>(request: ApiRequest): Promise<ApiAnswer<Body>> {
    const query = new URLSearchParams();
    for (const [name, value] of Object.entries(request.query ?? {})) {
      if (value !== undefined) query.set(name, String(value));
    }
    const path = request.path.map((segment) => `/${encodeURIComponent(segment)}`).join('');
    const hasBody = request.body !== undefined;
    const response = await send(`${base}${path}${query.size > 0 ? `?${query}` : ''}`, {
      method: request.method,
      headers: {
        authorization: `Bearer ${apiKey}`,
        accept: 'application/json',
        ...(hasBody && { 'content-type': 'application/json' }),
      },
      redirect: 'error',
      signal: AbortSignal.timeout(attemptTimeoutMs),
      ...(hasBody && { body: JSON.stringify(request.body) }),
    });
    const text = await response.text();
    if (!response.ok) throw apiError(response, text);
    return { body: text === '' ? undefined : JSON.parse(text), headers: response.headers };
  }

  return async <Body>(request: ApiRequest) => {
    for (let retries = 0; ; retries += 1) {
      try {
        return await attempt<Body>(request);
      } catch (error) {
        const delayMs = retries < maximumRetries ? retryDelayMs(error, request, retries) : null;
        if (delayMs === null || delayMs > maximumRetryDelayMs) throw error;
        await new Promise((resolve) => setTimeout(resolve, delayMs));
      }
    }
  };
}

/** `null` when sending the request again could do harm or would not help. */
function retryDelayMs(error: unknown, { repeatable }: ApiRequest, retries: number): number | null {
  // Half of the delay is chance, so that clients who failed together do not come back together.
  const backoffMs = firstRetryDelayMs * 2 ** retries * (0.5 + Math.random() / 2);
  if (!(error instanceof CallkiteApiError)) return repeatable && error instanceof Error ? backoffMs : null;
  const mayHelp = error.status === 429 || (error.status === 503 && repeatable);
  if (!mayHelp || error.code === 'no_usable_number') return null;
  return error.retryAfterSeconds === undefined ? backoffMs : error.retryAfterSeconds * 1000;
}

function apiError(response: Response, text: string): CallkiteApiError {
  const retryAfter = Number(response.headers.get('retry-after') ?? Number.NaN);
  const body = errorBodyOf(text);
  return new CallkiteApiError({
    status: response.status,
    message: body?.error ?? `the server answered ${response.status}`,
    code: response.headers.get('callkite-error-code') ?? 'unknown',
    details: body?.details,
    requestId: response.headers.get('request-id') ?? undefined,
    retryAfterSeconds: Number.isFinite(retryAfter) ? retryAfter : undefined,
  });
}

function errorBodyOf(text: string): ErrorBody | undefined {
  try {
    const body: unknown = JSON.parse(text);
    if (typeof body === 'object' && body !== null && 'error' in body && typeof body.error === 'string') {
      return body as ErrorBody;
    }
  } catch {
    // A proxy in between answered in its own words.
  }
  return undefined;
}
