import type { ErrorBody } from '@callkite/contract';
import { CallkiteApiError, CallkiteConnectionError } from './errors.ts';

export interface CallkiteClientOptions {
  /** `ck_live_…` or `ck_test_…`; for `organizations` the operator's token, for `widget` a `ck_pub_…` key. */
  apiKey: string;
  /** Where the API is, such as `https://callkite.example.com`. */
  baseUrl: string;
  /** @default the global one */
  fetch?: typeof fetch | undefined;
  /** How often a request is sent again. @default 3 */
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
  query?: Query | undefined;
  headers?: Readonly<Record<string, string>> | undefined;
  body?: unknown;
  /** Whether sending it twice does no more than sending it once. */
  repeatable: boolean;
  /** The key in the body; the request is repeatable while the server remembers it. */
  idempotencyKey?: string | undefined;
  /** How to read the answer. @default 'json' */
  answer?: 'json' | 'blob' | undefined;
  /** A status to take as success besides 2xx. */
  alsoGood?: number | undefined;
}

/** What is `undefined` is left out. */
export type Query = Readonly<Record<string, string | number | boolean | undefined>>;

export interface ApiAnswer<Body> {
  readonly body: Body;
  readonly headers: Headers;
}

/**
 * Sends a request, again where that is safe and of use. Rejects with `CallkiteApiError` and `CallkiteConnectionError`.
 */
export type Send = <Body>(request: ApiRequest) => Promise<ApiAnswer<Body>>;

const firstRetryDelayMs = 250;
/** How long the API remembers an idempotency key, from the moment it accepted the call. */
const keyLifetimeMs = 5 * 60_000;

export function createTransport(options: CallkiteClientOptions): Send {
  const {
    apiKey,
    baseUrl,
    fetch: send = fetch,
    maximumRetries = 3,
    maximumRetryDelayMs = 60_000,
    attemptTimeoutMs = 30_000,
  } = options;
  if (!/^[\x21-\x7e]+$/.test(apiKey)) throw new TypeError('apiKey must be a key such as ck_live_…');
  if (!URL.canParse(baseUrl) || !/^https?:$/.test(new URL(baseUrl).protocol)) {
    throw new TypeError('baseUrl must be an address such as https://callkite.example.com');
  }
  const base = baseUrl.replace(/\/+$/, '');

  async function attempt<Body>(request: ApiRequest): Promise<ApiAnswer<Body>> {
    const { idempotencyKey } = request;
    const url = `${base}${targetOf(request)}`;
    const hasBody = request.body !== undefined;
    const init: RequestInit = {
      method: request.method,
      headers: {
        authorization: `Bearer ${apiKey}`,
        accept: request.answer === 'blob' ? '*/*' : 'application/json',
        ...(hasBody && { 'content-type': 'application/json' }),
        ...request.headers,
      },
      // A key is for this address alone, and a POST that becomes a GET on its way helps nobody.
      redirect: 'manual',
      signal: AbortSignal.timeout(attemptTimeoutMs),
      ...(hasBody && { body: JSON.stringify(request.body) }),
    };
    let response: Response;
    let content: string | Blob;
    try {
      response = await send(url, init);
      const isGood = response.ok || response.status === request.alsoGood;
      content = isGood && request.answer === 'blob' ? await response.blob() : await response.text();
      if (isGood) return { body: read(content, response.status) as Body, headers: response.headers };
    } catch (cause) {
      throw new CallkiteConnectionError(connectionMessage(cause, request, attemptTimeoutMs), {
        idempotencyKey,
        cause,
      });
    }
    throw apiError(response, String(content), idempotencyKey);
  }

  return async <Body>(request: ApiRequest) => {
    const elapsedMs = stopwatch();
    for (let retries = 0; ; retries += 1) {
      try {
        return await attempt<Body>(request);
      } catch (error) {
        const delayMs = retries < maximumRetries ? retryDelayMs(error, request, retries) : null;
        if (delayMs === null || delayMs > maximumRetryDelayMs) throw error;
        // The first attempt may have been accepted: once its key is forgotten, another one would ring again.
        const arrivesMs = elapsedMs() + delayMs + attemptTimeoutMs;
        if (request.idempotencyKey !== undefined && arrivesMs >= keyLifetimeMs) throw error;
        await new Promise((resolve) => setTimeout(resolve, delayMs));
      }
    }
  };
}

function targetOf(request: ApiRequest): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(request.query ?? {})) {
    if (value !== undefined) query.set(name, String(value));
  }
  const path = request.path.map((segment) => `/${encodeURIComponent(segment)}`).join('');
  return query.size > 0 ? `${path}?${query}` : path;
}

/** Throws for an answer that broke off. */
function read(content: string | Blob, status: number): unknown {
  if (typeof content !== 'string') return content;
  return status === 204 ? undefined : JSON.parse(content);
}

/** `null` when sending the request again could do harm or would not help. */
function retryDelayMs(error: unknown, { repeatable }: ApiRequest, retries: number): number | null {
  // Half of the delay is chance, so that clients who failed together do not come back together.
  const backoffMs = firstRetryDelayMs * 2 ** retries * (0.5 + Math.random() / 2);
  if (error instanceof CallkiteConnectionError) return repeatable ? backoffMs : null;
  if (!(error instanceof CallkiteApiError)) return null;
  // A 5xx may be a proxy's, and the request have been carried out all the same.
  const mayHelp = error.status === 429 || (error.status >= 500 && repeatable);
  if (!mayHelp || error.code === 'no_usable_number') return null;
  return error.retryAfterSeconds === undefined ? backoffMs : error.retryAfterSeconds * 1000;
}

/** Milliseconds since now, those included in which the machine slept or its clock was put forward. */
function stopwatch(): () => number {
  const [monotonic, wall] = [performance.now(), Date.now()];
  return () => Math.max(performance.now() - monotonic, Date.now() - wall);
}

function connectionMessage(error: unknown, { idempotencyKey }: ApiRequest, attemptTimeoutMs: number): string {
  const { name, message, cause } = error as Error & { cause?: { code?: string; message?: string } };
  const why = {
    TimeoutError: `no answer within ${attemptTimeoutMs} ms`,
    SyntaxError: 'the answer is not JSON, or broke off',
  }[name];
  const what = `The request to Callkite failed: ${why ?? cause?.code ?? cause?.message ?? message}.`;
  if (idempotencyKey === undefined) return what;
  return `${what} The call may have been accepted: use the same idempotency key when you try again.`;
}

function apiError(response: Response, text: string, idempotencyKey: string | undefined): CallkiteApiError {
  const retryAfter = Number(response.headers.get('retry-after') ?? Number.NaN);
  const location = response.headers.get('location');
  const body = errorBodyOf(text);
  const unknown = `the server answered ${response.status}${location === null ? '' : `, a redirect to ${location}: check baseUrl`}`;
  return new CallkiteApiError({
    status: response.status,
    message: body?.error ?? unknown,
    code: response.headers.get('callkite-error-code') ?? 'unknown',
    details: body?.details,
    requestId: response.headers.get('request-id') ?? undefined,
    retryAfterSeconds: Number.isFinite(retryAfter) ? retryAfter : undefined,
    idempotencyKey,
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
