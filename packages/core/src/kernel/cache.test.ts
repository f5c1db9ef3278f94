import { Keyv } from 'keyv';
import { expect, it } from 'vitest';
import { createCache } from './cache.ts';
import { silentLogger } from './logger.ts';

it('is done without while it does not answer, and comes back by itself', async () => {
  let isFrozen = false;
  let asked = 0;
  const kept = new Map<string, unknown>();
  const answer = async (key: string) => {
    asked += 1;
    return isFrozen ? new Promise(() => undefined) : kept.get(key);
  };
  const store = {
    get: answer,
    set: (key: string, value: unknown) => void kept.set(key, value),
    delete: (key: string) => kept.delete(key),
    clear: () => kept.clear(),
  };
  const cache = createCache(new Keyv({ store, throwOnErrors: true }), silentLogger);
  await cache.set('a', 1, 60_000);
  expect(await cache.get('a')).toBe(1);
  expect(await cache.isAvailable()).toBe(true);
  isFrozen = true;
  expect(await cache.isAvailable()).toBe(false);
  const before = asked;
  for (let time = 0; time < 5; time += 1) expect(await cache.get('a')).toBeUndefined();
  expect(asked).toBe(before);
  isFrozen = false;
  await expect.poll(() => cache.get('a'), { timeout: 10_000 }).toBe(1);
});
