import { randomUUID } from 'node:crypto';
import http from 'node:http';
import https from 'node:https';
import { twilioSignature, type WebhookParameters } from './signature.ts';

const MAXIMUM_BODY_BYTES = 64 * 1024;
const MAXIMUM_REDIRECTS = 10;
// A server accepts some 500 connections at once before its machine drops them. Bursts of calls must stay below that.
const CONNECTIONS = { keepAlive: true, maxSockets: 256, maxFreeSockets: 256 };

/** A webhook to send. */
export interface WebhookRequest {
  /** Absolute URL; its fragment may carry connection overrides such as `#rc=2&rp=all`. */
  url: string;
  method: 'GET' | 'POST';
  parameters: WebhookParameters;
  /** Token that signs the request. */
  authToken: string;
  /** Most real time for everything, retries and redirects included. @default 15000 ms, which is also the maximum */
  totalTimeoutMs?: number | undefined;
}

/** What came of a webhook, after the last attempt. */
export type WebhookResult =
  | { ok: true; status: number; contentType: string; body: string; attempts: number; url: string }
  | { ok: false; status?: number | undefined; error: string; attempts: number; url: string };

interface ConnectionOverrides {
  connectTimeoutMs: number;
  readTimeoutMs: number;
  totalTimeoutMs: number;
  retries: number;
  retryOn: ReadonlySet<string>;
}

interface Exchange {
  status: number;
  headers: http.IncomingHttpHeaders;
  body: string;
}

type FailureKind = 'ct' | 'rt';

class WebhookFailure extends Error {
  readonly kind: FailureKind;

  constructor(kind: FailureKind, message: string) {
    super(message);
    this.kind = kind;
  }
}

/** Sends signed webhooks with the connection policy of Twilio, over connections that are kept open. */
export class Webhooks {
  readonly #agents = {
    http: new http.Agent(CONNECTIONS),
    https: new https.Agent(CONNECTIONS),
  };
  #isClosed = false;

  /** Sends the request, retries as its URL asks for, and follows redirects as GET without parameters. Never rejects. */
  async send(request: WebhookRequest): Promise<WebhookResult> {
    const { url, overrides } = splitOverrides(request.url);
    if (this.#isClosed) return { ok: false, error: 'the emulator is closed', attempts: 0, url };
    const totalTimeoutMs = Math.min(
      overrides.totalTimeoutMs,
      request.totalTimeoutMs ?? overrides.totalTimeoutMs,
    );
    const deadline = Date.now() + totalTimeoutMs;
    const idempotencyToken = randomUUID();
    for (let attempt = 1; ; attempt += 1) {
      const result = await this.#attempt({ ...request, url }, overrides, deadline, idempotencyToken);
      const last = attempt > overrides.retries || Date.now() >= deadline;
      if (last || !overrides.retryOn.has(result.outcome)) {
        return { ...result.result, attempts: attempt };
      }
    }
  }

  close(): void {
    this.#isClosed = true;
    this.#agents.http.destroy();
    this.#agents.https.destroy();
  }

  async #attempt(
    request: WebhookRequest,
    overrides: ConnectionOverrides,
    deadline: number,
    idempotencyToken: string,
  ): Promise<{ outcome: string; result: WebhookResult }> {
    let { url, method, parameters } = request;
    try {
      for (let redirects = 0; ; redirects += 1) {
        const answer = await this.#exchange(
          { ...request, url, method, parameters },
          overrides,
          deadline,
          idempotencyToken,
        );
        if (answer.status >= 300 && answer.status < 400 && answer.headers.location !== undefined) {
          if (redirects === MAXIMUM_REDIRECTS) throw new WebhookFailure('rt', 'too many redirects');
          url = new URL(answer.headers.location, url).href;
          method = 'GET';
          parameters = {};
          continue;
        }
        const { status, body } = answer;
        if (status >= 200 && status < 300) {
          const contentType = answer.headers['content-type'] ?? '';
          return { outcome: 'ok', result: { ok: true, status, contentType, body, attempts: 1, url } };
        }
        const outcome = status >= 500 ? '5xx' : '4xx';
        return { outcome, result: { ok: false, status, error: `HTTP ${status}`, attempts: 1, url } };
      }
    } catch (error) {
      const outcome = error instanceof WebhookFailure ? error.kind : 'rt';
      const message = error instanceof Error ? error.message : String(error);
      return { outcome, result: { ok: false, error: message, attempts: 1, url } };
    }
  }

  #exchange(
    request: WebhookRequest,
    overrides: ConnectionOverrides,
    deadline: number,
    idempotencyToken: string,
  ): Promise<Exchange> {
    const isPost = request.method === 'POST';
    const form = formBody(request.parameters);
    const url = isPost || form === '' ? request.url : withQuery(request.url, form);
    const signature = twilioSignature(request.authToken, url, isPost ? request.parameters : {});
    const headers: http.OutgoingHttpHeaders = {
      accept: '*/*',
      'user-agent': 'TwilioProxy/1.1',
      'x-twilio-signature': signature,
      'i-twilio-idempotency-token': idempotencyToken,
    };
    if (isPost) {
      headers['content-type'] = 'application/x-www-form-urlencoded; charset=UTF-8';
      headers['content-length'] = Buffer.byteLength(form);
    }
    const remainingMs = deadline - Date.now();
    if (remainingMs <= 0) return Promise.reject(new WebhookFailure('rt', 'total time exceeded'));
    return this.#request(url, isPost ? 'POST' : 'GET', headers, isPost ? form : '', overrides, remainingMs);
  }

  #request(
    url: string,
    method: string,
    headers: http.OutgoingHttpHeaders,
    body: string,
    overrides: ConnectionOverrides,
    remainingMs: number,
    onNewConnection = false,
  ): Promise<Exchange> {
    return new Promise((resolve, reject) => {
      const secure = url.startsWith('https:');
      const pooled = secure ? this.#agents.https : this.#agents.http;
      const agent = onNewConnection ? false : pooled;
      let failure = new WebhookFailure('ct', 'connection failed');
      const request = (secure ? https : http).request(url, { method, headers, agent }, (response) => {
        const chunks: Buffer[] = [];
        let size = 0;
        response.on('data', (chunk: Buffer) => {
          size += chunk.length;
          chunks.push(chunk);
          if (size > MAXIMUM_BODY_BYTES) {
            failure = new WebhookFailure('rt', `the answer exceeds ${MAXIMUM_BODY_BYTES} bytes`);
            request.destroy(failure);
          }
        });
        response.on('end', () => {
          clearTimeout(timer);
          resolve({
            status: response.statusCode ?? 0,
            headers: response.headers,
            body: Buffer.concat(chunks).toString('utf8'),
          });
        });
        response.on('error', fail);
      });
      const startedAt = Date.now();
      let timer = setTimeout(() => request.destroy(failure), remainingMs);
      const allow = (milliseconds: number) => {
        clearTimeout(timer);
        const leftMs = remainingMs - (Date.now() - startedAt);
        timer = setTimeout(() => request.destroy(failure), Math.max(0, Math.min(milliseconds, leftMs)));
      };
      const connected = () => {
        failure = new WebhookFailure('rt', 'no answer in time');
        allow(overrides.readTimeoutMs);
      };
      const fail = (error: Error) => {
        clearTimeout(timer);
        // Most likely the server closed an idle kept-open connection just as it was used again: not a failure to report.
        if (request.reusedSocket && 'code' in error && error.code === 'ECONNRESET') {
          const leftMs = remainingMs - (Date.now() - startedAt);
          this.#request(url, method, headers, body, overrides, leftMs, true).then(resolve, reject);
          return;
        }
        reject(error instanceof WebhookFailure ? error : new WebhookFailure(failure.kind, error.message));
      };
      request.on('socket', (socket) => {
        if (!socket.connecting) {
          connected();
          return;
        }
        allow(overrides.connectTimeoutMs);
        socket.once(secure ? 'secureConnect' : 'connect', connected);
      });
      request.on('error', fail);
      request.end(body);
    });
  }
}

/** The overrides in the fragment of a webhook URL, and the URL without it: the fragment is neither sent nor signed. */
function splitOverrides(url: string): { url: string; overrides: ConnectionOverrides } {
  const hash = url.indexOf('#');
  const fragment = new URLSearchParams(hash === -1 ? '' : url.slice(hash + 1));
  const number = (name: string, fallback: number, low: number, high: number) => {
    const value = Number(fragment.get(name) ?? fallback);
    return Number.isInteger(value) ? Math.min(high, Math.max(low, value)) : fallback;
  };
  const conditions = (fragment.get('rp') ?? 'ct').split(',');
  return {
    url: hash === -1 ? url : url.slice(0, hash),
    overrides: {
      connectTimeoutMs: number('ct', 5000, 100, 10_000),
      readTimeoutMs: number('rt', 15_000, 100, 15_000),
      totalTimeoutMs: number('tt', 15_000, 100, 15_000),
      retries: number('rc', 1, 0, 5),
      retryOn: new Set(conditions.includes('all') ? ['ct', 'rt', '4xx', '5xx'] : conditions),
    },
  };
}

function formBody(parameters: WebhookParameters): string {
  const form = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters)) {
    for (const each of typeof value === 'string' ? [value] : value) form.append(name, each);
  }
  return form.toString();
}

function withQuery(url: string, query: string): string {
  return `${url}${url.includes('?') ? '&' : '?'}${query}`;
}
