import { randomBytes } from 'node:crypto';
import type { CallList } from '@callkite/contract';
import type { Storage } from '@callkite/core';
import { pglite, postgres } from '@callkite/postgres';
import { afterEach, describe, expect, it } from 'vitest';
import { type Embedded, startEmbedded } from '../embedded.ts';
import { startPostgres, type TestPostgres } from '../postgres/start-postgres.ts';
import { testStorage } from '../test-storage.ts';

let embedded: Embedded | undefined;
let server: TestPostgres | undefined;

afterEach(async () => {
  await embedded?.stop();
  await server?.stop();
  embedded = undefined;
  server = undefined;
});

const stores: readonly [string, () => Storage][] = [
  ['a Postgres server', testStorage],
  ['the embedded database', () => pglite({ dataDir: 'memory' })],
];

const recipient_phone = '+12025550107';

async function placedCalls({ request }: Embedded): Promise<number> {
  const { calls } = (await (await request('GET', '/calls?limit=100')).json()) as CallList;
  return calls.length;
}

describe.each(stores)('with one idempotency key, on %s', { timeout: 120_000 }, (_, open) => {
  it('200 requests at once get one answer, and one call is placed', async () => {
    embedded = await startEmbedded({ storage: open() });
    const { request, workflowId } = embedded;
    const bodies = {
      '/call': { recipient_phone, workflow_id: workflowId, idempotency_key: 'at once' },
      '/call-prompt': {
        recipient_phone,
        prompt: 'Ask whether the shop is open on Sunday.',
        callback_url: `${embedded.url}/nowhere`,
        idempotency_key: 'at once',
      },
    };
    let placed = 0;
    for (const [path, body] of Object.entries(bodies)) {
      const answers = await Promise.all(Array.from({ length: 200 }, () => request('POST', path, body)));
      const refusals = answers.filter(({ status }) => status !== 200);
      expect(await Promise.all(refusals.map((each) => each.text()))).toEqual([]);
      expect(answers.filter(({ headers }) => !headers.has('idempotent-replayed'))).toHaveLength(1);
      expect(new Set(answers.map(({ headers }) => headers.get('callkite-call-id'))).size).toBe(1);
      expect(new Set(await Promise.all(answers.map((each) => each.text()))).size).toBe(1);
      placed += 1;
      expect(await placedCalls(embedded)).toBe(placed);
    }
  });
});

it('an idempotency key of one mode says nothing of the other', async () => {
  embedded = await startEmbedded();
  const { request, workflowId, testKey } = embedded;
  const body = { recipient_phone, workflow_id: workflowId, idempotency_key: 'both' };
  const live = await request('POST', '/call', body);
  const test = await request('POST', '/call', body, { authorization: `Bearer ${testKey}` });
  expect([live.status, test.status]).toEqual([200, 200]);
  expect(test.headers.get('idempotent-replayed')).toBeNull();
  expect(test.headers.get('callkite-call-id')).not.toBe(live.headers.get('callkite-call-id'));
});

describe('a replay', { timeout: 120_000 }, () => {
  it('is answered although the callback address would be refused by now', async () => {
    const secretKey = randomBytes(32).toString('base64');
    server = await startPostgres();
    const { url: connectionString } = server;
    embedded = await startEmbedded({ storage: postgres({ connectionString }), callkite: { secretKey } });
    const { organizationId, liveKey } = embedded;
    const body = {
      recipient_phone,
      prompt: 'Ask whether the shop is open on Sunday.',
      callback_url: `${embedded.url}/nowhere`,
      idempotency_key: 'refused since',
    };
    const first = await embedded.request('POST', '/call-prompt', body);
    expect(first.status).toBe(200);
    const strict = await startEmbedded({
      storage: postgres({ connectionString }),
      callkite: { secretKey, allowPrivateCallbacks: false },
    });
    try {
      const ask = (changes: object = {}) =>
        strict.request(
          'POST',
          '/call-prompt',
          { ...body, ...changes },
          { authorization: `Bearer ${liveKey}` },
        );
      const again = await ask();
      expect(await again.text()).toBe(await first.text());
      expect(again.headers.get('idempotent-replayed')).toBe('true');
      expect((await ask({ idempotency_key: 'another' })).status).toBe(400);
      const scope = { organizationId, mode: 'live' } as const;
      const { items } = await strict.callkite.calls.list(scope, {}, { limit: 10, cursor: null });
      expect(items).toHaveLength(1);
    } finally {
      await strict.stop();
    }
  });

  it('is answered although the country may not be called by now', async () => {
    embedded = await startEmbedded();
    const { callkite, organizationId, request, workflowId } = embedded;
    const body = { recipient_phone, workflow_id: workflowId, idempotency_key: 'moved' };
    const first = await request('POST', '/call', body);
    await callkite.organizations.update(organizationId, { allowedCountries: ['CA'] });
    const ask = (key: string) => request('POST', '/call', { ...body, idempotency_key: key });
    // The countries are known for five seconds.
    await expect.poll(async () => (await ask(`other ${Date.now()}`)).status, { timeout: 15_000 }).toBe(400);
    expect(await (await ask('moved')).text()).toBe(await first.text());
  });
});
