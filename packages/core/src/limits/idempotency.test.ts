import { Keyv } from 'keyv';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { silentLogger } from '../ports/logger.ts';
import { createCache } from './cache.ts';
import { createIdempotency } from './idempotency.ts';

const { fingerprint, lifetimeMs } = createIdempotency({ cache: createCache(new Keyv(), silentLogger) });
const used = { organizationId: 'org_1', endpoint: 'call', key: 'k', fingerprint: 'f' };
const answer = { status: 200, body: '{"success":true}', callId: 'call_1' };

afterEach(() => void vi.useRealTimers());

describe('fingerprints', () => {
  it('do not depend on the order of fields, on absent ones, or on the key', () => {
    const one = fingerprint('call', {
      a: 1,
      b: { c: [1, { d: 2, e: 3 }], f: undefined },
      idempotencyKey: 'x',
    });
    const other = fingerprint('call', { idempotencyKey: 'y', b: { c: [1, { e: 3, d: 2 }] }, a: 1 });
    expect(one).toBe(other);
    expect(one).toMatch(/^[0-9a-f]{64}$/);
  });

  it('tell endpoints and values apart', () => {
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
    const all = ['call', 'call-prompt'].flatMap((endpoint) =>
      bodies.map((body) => fingerprint(endpoint, body)),
    );
    expect(new Set(all).size).toBe(all.length);
  });
});

describe('the cache of answers', () => {
  it('returns the same bytes, and says whether the body was the same', async () => {
    const idempotency = createIdempotency({ cache: createCache(new Keyv(), silentLogger) });
    expect(await idempotency.find(used)).toBeNull();
    await idempotency.remember(used, answer);
    expect(await idempotency.find(used)).toEqual({ ...answer, fingerprintMatches: true });
    expect(await idempotency.find({ ...used, fingerprint: 'g' })).toEqual({
      ...answer,
      fingerprintMatches: false,
    });
  });

  it('keeps organizations, endpoints and keys apart', async () => {
    const idempotency = createIdempotency({ cache: createCache(new Keyv(), silentLogger) });
    await idempotency.remember(used, answer);
    for (const other of [{ organizationId: 'org_2' }, { endpoint: 'call-prompt' }, { key: 'K' }]) {
      expect(await idempotency.find({ ...used, ...other })).toBeNull();
    }
  });

  it('forgets before the key becomes free', async () => {
    vi.useFakeTimers();
    const idempotency = createIdempotency({ cache: createCache(new Keyv(), silentLogger) });
    await idempotency.remember(used, answer);
    vi.advanceTimersByTime(4 * 60_000);
    expect(await idempotency.find(used)).not.toBeNull();
    vi.advanceTimersByTime(lifetimeMs - 4 * 60_000 - 1);
    expect(await idempotency.find(used)).toBeNull();
  });

  it('is done without when it fails', async () => {
    const broken = () => {
      throw new Error('cache is down');
    };
    const cache = new Keyv({
      store: { get: broken, set: broken, delete: broken, clear: broken },
      throwOnErrors: true,
    });
    const idempotency = createIdempotency({ cache: createCache(cache, silentLogger) });
    await idempotency.remember(used, answer);
    expect(await idempotency.find(used)).toBeNull();
  });
});
