import assert from 'node:assert/strict';
import { RateLimiterRes } from 'rate-limiter-flexible';
import { createId } from '../../ids.ts';
import type { StorageTest } from './tenant.ts';

/** The clock and the rate limiter. */
export function limitingContract(test: StorageTest): void {
  test('a ping tells the store’s time', async (storage) => {
    const { nowMs } = await storage.ping();
    assert.ok(Math.abs(nowMs - Date.now()) < 60_000);
  });

  test('starting again changes nothing', async (storage) => {
    await storage.start();
    await storage.ping();
  });

  test('a limiter lets exactly its points through, for each key', async (storage) => {
    const limiter = storage.createRateLimiter({
      keyPrefix: createId('org'),
      points: 20,
      durationSeconds: 60,
    });
    const results = await Promise.allSettled(Array.from({ length: 50 }, () => limiter.consume('key')));
    assert.equal(results.filter(({ status }) => status === 'fulfilled').length, 20);
    for (const result of results) {
      if (result.status === 'fulfilled') continue;
      const rejection: unknown = result.reason;
      assert.ok(rejection instanceof RateLimiterRes);
      assert.ok(rejection.msBeforeNext > 0 && rejection.msBeforeNext <= 60_000);
    }
    await limiter.consume('another key');
  });
}
