import { Keyv } from 'keyv';
import { beforeEach, describe, expect, it } from 'vitest';
import { createCache } from '../../kernel/cache.ts';
import { silentLogger } from '../../kernel/logger.ts';
import { createApiKeyVerifier } from './api-key-verifier.ts';
import { createApiKey, hashApiKey } from './api-keys.ts';
import type { ApiKeyRecord } from './organization-store.ts';

const records = new Map<string, ApiKeyRecord>();
let lookUps = 0;
const store = {
  async findApiKey(lookupId: string) {
    lookUps += 1;
    return records.get(lookupId) ?? null;
  },
};

function register(): { key: string; record: ApiKeyRecord } {
  const { key, lookupId, mode } = createApiKey('live');
  const record: ApiKeyRecord = {
    id: 'key_1',
    organizationId: 'org_1',
    mode,
    name: 'first',
    lookupId,
    hash: hashApiKey(key),
    createdAt: new Date(),
    revokedAt: null,
  };
  records.set(lookupId, record);
  return { key, record };
}

beforeEach(() => {
  records.clear();
  lookUps = 0;
});

describe('the verifier of API keys', () => {
  it('recognizes a key, from the cache the second time, without keeping the key there', async () => {
    const kept = new Map<string, unknown>();
    const cache = new Keyv({ store: kept });
    const { verify } = createApiKeyVerifier({ store, cache: createCache(cache, silentLogger) });
    const { key, record } = register();
    for (let time = 0; time < 3; time += 1) {
      expect(await verify(key)).toMatchObject({ id: record.id, organizationId: 'org_1', mode: 'live' });
    }
    expect(lookUps).toBe(1);
    expect(JSON.stringify([...kept])).not.toContain(key.slice(-38));
  });

  it('asks the store once for requests that come at once', async () => {
    const { verify } = createApiKeyVerifier({ store, cache: createCache(new Keyv(), silentLogger) });
    const { key, record } = register();
    const known = await Promise.all(Array.from({ length: 200 }, () => verify(key)));
    expect(new Set(known.map(({ id }) => id))).toEqual(new Set([record.id]));
    expect(lookUps).toBe(1);
  });

  it('refuses a mistyped key without asking the store', async () => {
    const { verify } = createApiKeyVerifier({ store, cache: createCache(new Keyv(), silentLogger) });
    const { key } = register();
    await expect(verify(`${key.slice(0, -1)}!`)).rejects.toMatchObject({ code: 'unauthenticated' });
    expect(lookUps).toBe(0);
  });

  it('refuses unknown keys, revoked ones, and a genuine-looking key with a known lookup id', async () => {
    const { verify } = createApiKeyVerifier({ store, cache: createCache(new Keyv(), silentLogger) });
    await expect(verify(createApiKey('live').key)).rejects.toMatchObject({ code: 'unauthenticated' });

    const revoked = register();
    records.set(revoked.record.lookupId, { ...revoked.record, revokedAt: new Date() });
    await expect(verify(revoked.key)).rejects.toMatchObject({ code: 'unauthenticated' });

    const forged = createApiKey('live');
    records.set(forged.lookupId, { ...revoked.record, lookupId: forged.lookupId });
    await expect(verify(forged.key)).rejects.toMatchObject({ code: 'unauthenticated' });
  });

  it('forgets a revoked key at once, even when a look-up was under way', async () => {
    let answer: (() => void) | undefined;
    const slowStore = {
      async findApiKey(lookupId: string) {
        const record = await store.findApiKey(lookupId);
        await new Promise<void>((resolve) => {
          answer = resolve;
        });
        return record;
      },
    };
    const verifier = createApiKeyVerifier({
      store: slowStore,
      cache: createCache(new Keyv(), silentLogger),
    });
    const { key, record } = register();
    const before = verifier.verify(key);
    await expect.poll(() => answer).toBeDefined();
    records.set(record.lookupId, { ...record, revokedAt: new Date() });
    await verifier.forget(record.lookupId);
    answer?.();
    await before;

    answer = undefined;
    const after = verifier.verify(key);
    await expect.poll(() => answer).toBeDefined();
    (answer as (() => void) | undefined)?.();
    await expect(after).rejects.toMatchObject({ code: 'unauthenticated' });
  });

  it('works without its cache', async () => {
    const broken = () => {
      throw new Error('cache is down');
    };
    const cache = new Keyv({
      store: { get: broken, set: broken, delete: broken, clear: broken },
      throwOnErrors: true,
    });
    const { verify, forget } = createApiKeyVerifier({ store, cache: createCache(cache, silentLogger) });
    const { key, record } = register();
    expect(await verify(key)).toMatchObject({ organizationId: 'org_1' });
    await forget(record.lookupId);
  });
});
