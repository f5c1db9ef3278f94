import type { CallDetail, PromptCallResponse, TriggerCallResponse } from '@callkite/contract';
import { CallkiteTimeoutError } from './errors.ts';
import type { CallkiteClient } from './operations.ts';
import { type ApiRequest, type CallkiteClientOptions, createTransport, type Query } from './transport.ts';

/**
 * A client of the Callkite HTTP API.
 *
 * ```ts
 * const client = callkite({ apiKey, baseUrl: 'https://callkite.example.com' });
 * const { call_id } = await client.calls.prompt({ recipient_phone: '+12025550142', prompt: 'Ask when they open.' });
 * const { call_status, call_summary } = await client.calls.waitFor(call_id);
 * ```
 *
 * Methods reject with `CallkiteApiError` when the API refuses, and with `CallkiteConnectionError` when no answer
 * arrived.
 *
 * @throws TypeError for an `apiKey` or a `baseUrl` that cannot be one
 */
export function callkite(options: CallkiteClientOptions): CallkiteClient {
  const exchange = createTransport(options);
  const send = async <Answer>(request: ApiRequest) => (await exchange<Answer>(request)).body;
  const get = <Answer>(path: string[], query?: Query) =>
    send<Answer>({ method: 'GET', path, query, repeatable: true });
  const write = <Answer>(method: 'POST' | 'PATCH' | 'DELETE', path: string[], body?: unknown) =>
    send<Answer>({ method, path, body, repeatable: false });
  const repeatably = <Answer>(method: 'POST' | 'DELETE', path: string[]) =>
    send<Answer>({ method, path, repeatable: true });

  function place<Answer>(path: string, request: { idempotency_key?: string | undefined }) {
    const idempotencyKey = request.idempotency_key ?? crypto.randomUUID();
    const body = { ...request, idempotency_key: idempotencyKey };
    return exchange<Answer>({ method: 'POST', path: [path], body, repeatable: true, idempotencyKey });
  }

  /** The items that the answers hold as `name`, of this page and of those after it. */
  const list = <Item>(path: string[], name: string, query: Query = {}): AsyncIterable<Item> => ({
    async *[Symbol.asyncIterator]() {
      for (let cursor: string | undefined; ; ) {
        const page = await get<Record<string, unknown>>(path, { ...query, cursor });
        yield* page[name] as readonly Item[];
        if (typeof page.next_cursor !== 'string') return;
        cursor = page.next_cursor;
      }
    },
  });
  const pages = <Item>(path: string[], name: string, query: Query = {}) =>
    list<Item>(path, name, { limit: 100, ...query });

  const getCall = (callId: string) => get<CallDetail>(['calls', callId]);

  return {
    calls: {
      async trigger(request) {
        const { body, headers } = await place<TriggerCallResponse>('call', request);
        return { ...body, call_id: headers.get('callkite-call-id') };
      },
      prompt: async (request) => (await place<PromptCallResponse>('call-prompt', request)).body,
      get: getCall,
      async waitFor(callId, { timeoutMs = 900_000, pollMs = 2_000 } = {}) {
        const deadline = performance.now() + timeoutMs;
        for (;;) {
          const call = await getCall(callId);
          const over = call.state === 'completed';
          if (over && call.call_summary !== null) return call;
          if (performance.now() + pollMs > deadline) {
            if (over) return call;
            throw new CallkiteTimeoutError(callId, timeoutMs);
          }
          await new Promise((resolve) => setTimeout(resolve, pollMs));
        }
      },
      list: (query) => pages(['calls'], 'calls', query),
      cancel: (callId) => repeatably('POST', ['calls', callId, 'cancel']),
      erase: (callId) => repeatably('DELETE', ['calls', callId]),
      recording(recordingUrl) {
        const { pathname, searchParams } = new URL(recordingUrl);
        const path = ['recordings', decodeURIComponent(pathname.split('/').at(-1) ?? '')];
        const query = Object.fromEntries(searchParams);
        return send({ method: 'GET', path, query, answer: 'blob', repeatable: true });
      },
    },
    workflows: {
      list: (query) => list(['workflows'], 'workflows', query),
      create: (request) => write('POST', ['workflows'], request),
      get: (id, { version } = {}) => get(['workflows', id], { version }),
      update: (id, request) => write('PATCH', ['workflows', id], request),
      delete: (id) => write('DELETE', ['workflows', id]),
    },
    forms: {
      create: (request) => write('POST', ['forms'], request),
      list: (options) => pages(['forms'], 'forms', options),
      get: (id, { version } = {}) => get(['forms', id], { version }),
      update: (id, request) => write('PATCH', ['forms', id], request),
      delete: (id) => write('DELETE', ['forms', id]),
    },
    transferIntegrations: {
      create: (request) => write('POST', ['transfer-integrations'], request),
      list: (options) => pages(['transfer-integrations'], 'transfer_integrations', options),
      get: (id) => get(['transfer-integrations', id]),
      update: (id, request) => write('PATCH', ['transfer-integrations', id], request),
      delete: (id) => write('DELETE', ['transfer-integrations', id]),
    },
    webhooks: {
      create: (request) => write('POST', ['webhooks'], request),
      list: (options) => pages(['webhooks'], 'webhooks', options),
      update: (id, request) => write('PATCH', ['webhooks', id], request),
      rotateSecret: (id) => write('POST', ['webhooks', id, 'rotate-secret']),
      delete: (id) => write('DELETE', ['webhooks', id]),
      test: (id) => write('POST', ['webhooks', id, 'test']),
      deliveries: (id, query) => pages(['webhooks', id, 'deliveries'], 'deliveries', query),
    },
    doNotCall: {
      add: (request) => write('POST', ['do-not-call'], request),
      import: (request) => write('POST', ['do-not-call', 'import'], request),
      list: (query) => pages(['do-not-call'], 'entries', query),
      lift: (phoneNumber, query) =>
        send({ method: 'DELETE', path: ['do-not-call', phoneNumber], query, repeatable: false }),
    },
    deliveries: {
      list: (query) => pages(['deliveries'], 'deliveries', query),
      get: (id) => get(['deliveries', id]),
      resend: (id) => write('POST', ['deliveries', id, 'resend']),
    },
    connections: {
      create: (request) => write('POST', ['connections'], request),
      list: () => list(['connections'], 'connections'),
      get: (id) => get(['connections', id]),
      refresh: (id) => repeatably('POST', ['connections', id, 'refresh']),
      delete: (id) => write('DELETE', ['connections', id]),
      numbers: (id) => list(['connections', id, 'numbers'], 'numbers'),
      connectNumber: (id, request) => write('POST', ['connections', id, 'numbers'], request),
    },
    numbers: {
      list: () => list(['numbers'], 'numbers'),
      disconnect: (id) => write('DELETE', ['numbers', id]),
    },
    apiKeys: {
      create: (request) => write('POST', ['api-keys'], request),
      list: (options) => pages(['api-keys'], 'api_keys', options),
      revoke: (id) => repeatably('DELETE', ['api-keys', id]),
    },
    publishableKeys: {
      create: (request) => write('POST', ['publishable-keys'], request),
      list: (options) => pages(['publishable-keys'], 'publishable_keys', options),
      update: (id, request) => write('PATCH', ['publishable-keys', id], request),
      revoke: (id) => repeatably('DELETE', ['publishable-keys', id]),
    },
    organizations: {
      create: (request) => write('POST', ['organizations'], request),
      list: (options) => pages(['organizations'], 'organizations', options),
      get: (id) => get(['organizations', id]),
      update: (id, request) => write('PATCH', ['organizations', id], request),
      createApiKey: (id, request) => write('POST', ['organizations', id, 'api-keys'], request),
      apiKeys: (id, options) => pages(['organizations', id, 'api-keys'], 'api_keys', options),
      revokeApiKey: (id, keyId) => write('DELETE', ['organizations', id, 'api-keys', keyId]),
    },
    widget: {
      openSession: (body, { origin }) =>
        send({ method: 'POST', path: ['widget', 'sessions'], headers: { origin }, body, repeatable: false }),
      requestCallback: (body, { origin }) =>
        send({ method: 'POST', path: ['widget', 'callbacks'], headers: { origin }, body, repeatable: false }),
      callbackState: (callId, token) =>
        send({
          method: 'GET',
          path: ['widget', 'callbacks', callId],
          headers: { authorization: `Bearer ${token}` },
          repeatable: true,
        }),
      cancelCallback: (callId, token) =>
        send({
          method: 'DELETE',
          path: ['widget', 'callbacks', callId],
          headers: { authorization: `Bearer ${token}` },
          repeatable: true,
        }),
      settings: ({ origin }) =>
        send({ method: 'POST', path: ['widget', 'settings'], headers: { origin }, repeatable: true }),
    },
    server: {
      health: () => get(['healthz']),
      readiness: () => send({ method: 'GET', path: ['readyz'], alsoGood: 503, repeatable: true }),
    },
  };
}
