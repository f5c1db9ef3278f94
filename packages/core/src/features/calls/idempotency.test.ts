import { createHash } from 'node:crypto';
import { Keyv } from 'keyv';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { createCache } from '../../kernel/cache.ts';
import { silentLogger } from '../../kernel/logger.ts';
import { type AcceptedCall, createIdempotency } from './idempotency.ts';

/** A store that has only its claims: what finds no answer there is new. */
const store = { findAnswer: async () => null };
const hashes = {
  of: async (organizationId: string) => (text: string) =>
    createHash('sha256').update(`${organizationId} ${text}`).digest('hex'),
};
const created = () => createIdempotency({ cache: createCache(new Keyv(), silentLogger), store, hashes });
const { use, lifetimeMs } = created();
const key = { organizationId: 'org_1', endpoint: 'call', key: 'k' };
const used = await use(key, { a: 1 });
const answer = { status: 200, body: '{"success":true}', callId: 'call_1' };
const accepted: AcceptedCall = { ...answer, replayed: false, bodyMismatch: false };
const accept = async () => accepted;
const other: AcceptedCall = { ...accepted, callId: 'call_2' };
const acceptOther = async () => other;

afterEach(() => void vi.useRealTimers());

describe('a used key', () => {
  it('is the same for equal bodies: without order, absent fields and the key itself', async () => {
    const one = await use(key, { a: 1, b: { c: [1, { d: 2, e: 3 }], f: undefined }, idempotencyKey: 'x' });
    expect(await use(key, { idempotencyKey: 'y', b: { c: [1, { e: 3, d: 2 }] }, a: 1 })).toEqual(one);
  });

  it('tells endpoints and values apart', async () => {
    const bodies = [
      { a: 1 },
      { a: '1' },
      { a: null },
      { a: [1] },
      { a: { 0: 1 } },
      {},
      { b: 1 },
      { a: [[1]] },
    ];
    const all = await Promise.all(
      ['call', 'call-prompt'].flatMap((endpoint) => bodies.map((body) => use({ ...key, endpoint }, body))),
    );
    expect(new Set(all.map(({ fingerprint }) => fingerprint)).size).toBe(all.length);
    expect(new Set(all.map(({ keyHash }) => keyHash)).size).toBe(2);
  });
});

describe('a request with a key', () => {
  it('gets the first answer again, and is told whether the body was the same', async () => {
    const { once } = created();
    expect(await once(used, accept)).toEqual(accepted);
    expect(await once(used, acceptOther)).toEqual({ ...accepted, replayed: true });
    expect(await once(await use(key, { a: 2 }), acceptOther)).toEqual({
      ...accepted,
      replayed: true,
      bodyMismatch: true,
    });
  });

  it('gets an answer that only the store knows, and nothing is looked into', async () => {
    const idempotency = createIdempotency({
      hashes,
      cache: createCache(new Keyv(), silentLogger),
      store: { findAnswer: async () => ({ ...answer, fingerprintMatches: true }) },
    });
    const lookInto = vi.fn(acceptOther);
    expect(await idempotency.once(used, lookInto)).toEqual({ ...accepted, replayed: true });
    expect(lookInto).not.toHaveBeenCalled();
  });

  it('has nothing to do with another organization, endpoint or key', async () => {
    const { once } = created();
    await once(used, accept);
    for (const changes of [{ organizationId: 'org_2' }, { endpoint: 'call-prompt' }, { key: 'K' }]) {
      expect(await once(await use({ ...key, ...changes }, { a: 1 }), acceptOther)).toEqual(other);
    }
  });

  it('is new once the key is free again', async () => {
    vi.useFakeTimers();
    const { once } = created();
    await once(used, accept);
    vi.advanceTimersByTime(4 * 60_000);
    expect(await once(used, acceptOther)).toMatchObject({ callId: 'call_1' });
    vi.advanceTimersByTime(lifetimeMs - 4 * 60_000 - 1);
    expect(await once(used, acceptOther)).toEqual(other);
  });

  it('waits for an equal one, and gets its answer or its error', async () => {
    const { once } = created();
    let end: (result: AcceptedCall | Error) => void = () => undefined;
    const lookInto = vi.fn(
      () =>
        new Promise<AcceptedCall>((resolve, reject) => {
          end = (result) => (result instanceof Error ? reject(result) : resolve(result));
        }),
    );
    for (const result of [new Error('refused'), accepted]) {
      const requests = Array.from({ length: 200 }, () => once(used, lookInto));
      const settled = Promise.allSettled(requests);
      await vi.waitFor(() => expect(lookInto).toHaveBeenCalled());
      end(result);
      const [first, ...others] = await settled;
      expect(lookInto).toHaveBeenCalledTimes(1);
      lookInto.mockClear();
      if (result instanceof Error) {
        for (const each of [first, ...others]) expect(each).toEqual({ status: 'rejected', reason: result });
      } else {
        expect(first).toEqual({ status: 'fulfilled', value: accepted });
        const replayed = { ...accepted, replayed: true };
        for (const each of others) expect(each).toEqual({ status: 'fulfilled', value: replayed });
      }
    }
  });

  it('is told after 5 s that an equal one is not answered yet', async () => {
    vi.useFakeTimers();
    const { once } = created();
    void once(used, () => new Promise(() => undefined));
    const refused = expect(once(used, accept)).rejects.toMatchObject({
      code: 'request_in_progress',
      retryable: true,
      retryAfterSeconds: 1,
    });
    await vi.advanceTimersByTimeAsync(5_000);
    await refused;
  });

  it('is answered without the cache when that fails', async () => {
    const broken = () => {
      throw new Error('cache is down');
    };
    const cache = new Keyv({
      store: { get: broken, set: broken, delete: broken, clear: broken },
      throwOnErrors: true,
    });
    const idempotency = createIdempotency({ cache: createCache(cache, silentLogger), store, hashes });
    expect(await idempotency.once(used, accept)).toEqual(accepted);
  });
});
