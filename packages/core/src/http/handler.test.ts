import { RateLimiterMemory } from 'rate-limiter-flexible';
import { describe, expect, it } from 'vitest';
import { CallkiteError } from '../kernel/errors.ts';
import type { HttpRequest, HttpResponse } from '../kernel/http.ts';
import { silentLogger } from '../kernel/logger.ts';
import { createRateLimits } from '../kernel/rate-limit.ts';
import { createHttpHandler, type HttpHandlerDeps, servesPath } from './handler.ts';

/** A service of which the test uses only a part; using more of it fails. */
const only = <Service>(part: Partial<NoInfer<Service>>): Service => part as Service;

const caller = { organizationId: 'org_1', mode: 'live', keyId: 'key_1' } as const;

function handlerWith(changes: Partial<HttpHandlerDeps> = {}) {
  const logged: object[] = [];
  const handle = createHttpHandler({
    organizations: only({
      async authenticate(key) {
        if (key === 'good') return caller;
        throw new CallkiteError('unauthenticated', 'The API key is invalid');
      },
    }),
    workflows: only({ summaries: async () => [{ id: 'wf_1', name: 'Reminder' }] }),
    forms: only({}),
    doNotCall: only({}),
    calls: only({}),
    recordings: only({}),
    webhooks: only({}),
    transferIntegrations: only({}),
    publishableKeys: only({}),
    webCalls: only({}),
    trustedProxies: 0,
    carriers: only({}),
    rateLimits: createRateLimits({
      storage: {
        createRateLimiter: ({ points, durationSeconds }) =>
          new RateLimiterMemory({ points, duration: durationSeconds }),
      },
      requestsPerMinute: 1_000,
      failuresPerMinute: 3,
      logger: silentLogger,
    }),
    readiness: async () => ({ ok: false, checks: { storage: 'unreachable' } }),
    logger: { ...silentLogger, error: (fields) => logged.push(fields) },
    ...changes,
  });
  return { handle, logged };
}

function request(method: string, target: string, changes: Partial<HttpRequest> = {}): HttpRequest {
  return {
    method,
    target,
    headers: { authorization: 'Bearer good' },
    remoteAddress: '192.0.2.1',
    readBody: async () => new Uint8Array(),
    ...changes,
  };
}

const bodyOf = ({ body }: HttpResponse): unknown => JSON.parse(String(body));

describe('failures', () => {
  it('tells nothing about what was not meant to happen, and logs it', async () => {
    const cause = new Error('password=hunter2');
    const { handle, logged } = handlerWith({ workflows: only({ summaries: () => Promise.reject(cause) }) });
    const answer = await handle(request('GET', '/workflows'));
    expect(answer.status).toBe(500);
    expect(bodyOf(answer)).toEqual({ error: expect.stringContaining('Request-Id') });
    expect(answer.headers['callkite-error-code']).toBe('internal');
    expect(logged).toEqual([{ requestId: answer.headers['request-id'], err: cause }]);
  });

  it('says when to come back', async () => {
    for (const [options, retryAfter] of [
      [{ retryable: true }, '5'],
      [{ retryAfterSeconds: 41.2 }, '42'],
      [{}, undefined],
    ] as const) {
      const failure = new CallkiteError('storage_unavailable', 'The database does not answer', options);
      const { handle } = handlerWith({ workflows: only({ summaries: () => Promise.reject(failure) }) });
      const answer = await handle(request('GET', '/workflows'));
      expect(answer.status).toBe(503);
      expect(answer.headers['retry-after']).toBe(retryAfter);
    }
  });

  it('answers for the carriers’ door as well', async () => {
    const { handle } = handlerWith({
      carriers: only({ webhook: () => Promise.reject(new CallkiteError('storage_unavailable', 'down')) }),
    });
    expect((await handle(request('POST', '/carriers/twilio/status'))).status).toBe(503);
  });

  it('is not ready when a check fails', async () => {
    const answer = await handlerWith().handle(request('GET', '/readyz', { headers: {} }));
    expect(answer.status).toBe(503);
    expect(bodyOf(answer)).toEqual({ ok: false, checks: { storage: 'unreachable' } });
  });
});

describe('authentication', () => {
  const guess = { headers: { authorization: 'Bearer bad' } };

  it('slows guessing down, without locking out good keys beside it', async () => {
    const { handle } = handlerWith();
    const statuses: number[] = [];
    for (let count = 0; count < 5; count += 1) {
      statuses.push((await handle(request('GET', '/workflows', guess))).status);
    }
    expect(statuses).toEqual([401, 401, 401, 429, 429]);
    expect((await handle(request('GET', '/workflows'))).status).toBe(200);
    const elsewhere = await handle(request('GET', '/workflows', { ...guess, remoteAddress: '192.0.2.2' }));
    expect(elsewhere.status).toBe(401);
  });

  it('reads the scheme as HTTP has it', async () => {
    const { handle } = handlerWith();
    for (const [authorization, status] of [
      ['bearer good', 200],
      ['BEARER  good ', 200],
      ['good', 401],
      ['Bearer', 401],
    ] as const) {
      const answer = await handle(request('GET', '/workflows', { headers: { authorization } }));
      expect(answer.status, authorization).toBe(status);
    }
  });

  it('has no operator’s endpoints without an operator', async () => {
    const operator = { headers: { authorization: 'Bearer operator' } };
    const list = async () => ({ items: [], nextCursor: null });
    const without = await handlerWith().handle(request('GET', '/organizations', operator));
    expect(without.status).toBe(404);
    const { handle } = handlerWith({ operatorToken: 'operator', organizations: only({ list }) });
    expect((await handle(request('GET', '/organizations', operator))).status).toBe(200);
    expect((await handle(request('GET', '/organizations'))).status).toBe(401);
  });
});

it('hands carriers’ requests on untouched', async () => {
  const seen: unknown[] = [];
  const { handle } = handlerWith({
    carriers: only({
      async webhook(...given) {
        seen.push(given);
        return { status: 204, headers: {}, body: null };
      },
    }),
  });
  const incoming = request('POST', '/carriers/twilio/status/token.x-1?CallSid=CA1', { headers: {} });
  expect((await handle(incoming)).status).toBe(204);
  expect(seen).toEqual([['twilio', 'status/token.x-1', incoming]]);
});

it('knows its own paths', () => {
  for (const target of [
    '/call',
    '/calls/call_1?x=1',
    '/carriers/twilio/relay/x',
    '/docs/reference.js',
    '/openapi.json',
  ]) {
    expect(servesPath(target), target).toBe(true);
  }
  for (const target of [
    '/',
    '/orders',
    '/calls/',
    '/calls/a/b/c',
    '/carriers',
    '/carriers/twilio',
    '/call/',
    '',
  ]) {
    expect(servesPath(target), target).toBe(false);
  }
});
