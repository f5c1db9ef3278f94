import assert from 'node:assert/strict';
import { RateLimiterRes } from 'rate-limiter-flexible';
import { createId } from '../../kernel/ids.ts';
import type { Storage } from '../../storage.ts';
import type { StorageTest } from './tenant.ts';

/** The clock, exclusive work and the rate limiter. */
export function limitingContract(test: StorageTest, openAnother?: () => Promise<Storage>): void {
  test('a ping tells the store’s time', async (storage) => {
    const { nowMs } = await storage.ping();
    assert.ok(Math.abs(nowMs - Date.now()) < 60_000);
  });

  test('starting again changes nothing', async (storage) => {
    await storage.start();
    await storage.ping();
  });

  test('exclusive work takes turns, also after work that failed, and uses the store', async (storage) => {
    const others = openAnother === undefined ? [] : [await openAnother(), await openAnother()];
    const name = createId('org');
    let running = 0;
    const work = async (fails: boolean) => {
      running += 1;
      assert.equal(running, 1);
      await storage.ping();
      await new Promise((resolve) => setTimeout(resolve, 20));
      assert.equal(running, 1);
      running -= 1;
      if (fails) throw new Error('the work failed');
      return 'done';
    };
    try {
      const results = await Promise.allSettled(
        [storage, ...others, storage].map((each, index) => each.exclusively(name, () => work(index === 0))),
      );
      assert.equal(results[0]?.status, 'rejected');
      for (const result of results.slice(1)) {
        assert.deepEqual(result, { status: 'fulfilled', value: 'done' });
      }
    } finally {
      await Promise.all(others.map((other) => other.stop()));
    }
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
    await assert.doesNotReject(limiter.consume('another key'));
  });
}
