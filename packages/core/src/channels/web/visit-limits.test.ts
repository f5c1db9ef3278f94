import { RateLimiterMemory } from 'rate-limiter-flexible';
import { describe, expect, it, vi } from 'vitest';
import type { Storage } from '../../storage.ts';
import { createVisitLimits } from './visit-limits.ts';

const inMemory: Pick<Storage, 'createRateLimiter'> = {
  createRateLimiter: ({ keyPrefix, points, durationSeconds }) =>
    new RateLimiterMemory({ keyPrefix, points, duration: durationSeconds }),
};
const limited = { code: 'rate_limited' };
const number = '+12025550123';
const hourMs = 3_600_000;

const limitsOf = (rates: Parameters<typeof createVisitLimits>[0]['rates'] = {}) =>
  createVisitLimits({ storage: inMemory, rates, hmac: (text) => `hash of ${text}` });

describe('call-backs to a number', () => {
  it('at once are counted by the hour, and those at a later time by the week as well', async () => {
    vi.useFakeTimers();
    try {
      const limits = limitsOf({ callbacksPerNumberAndHour: 2 });
      const ask = (later: boolean, organization = 'org_1') =>
        limits.countCallback(organization, number, { later });
      await ask(true);
      await ask(false);
      await expect(ask(false)).rejects.toMatchObject(limited);
      await ask(true, 'org_2');

      await vi.advanceTimersByTimeAsync(hourMs);
      await ask(true);
      await vi.advanceTimersByTimeAsync(hourMs);
      await expect(ask(true)).rejects.toMatchObject(limited);
      await ask(false);

      await vi.advanceTimersByTimeAsync(7 * 24 * hourMs);
      await ask(true);
    } finally {
      vi.useRealTimers();
    }
  });
});

describe('visits', () => {
  it('are counted by address and by key', async () => {
    const limits = limitsOf({ perAddressAndMinute: 2, perKeyAndMinute: 3 });
    const visit = (remoteAddress: string, keyId = 'pub_1') => limits.countVisit({ remoteAddress, keyId });
    await visit('192.0.2.1');
    await visit('192.0.2.1', 'pub_2');
    await expect(visit('192.0.2.1')).rejects.toMatchObject(limited);
    await visit('192.0.2.2');
    await visit('192.0.2.3');
    await expect(visit('192.0.2.4')).rejects.toMatchObject(limited);
    await visit('192.0.2.4', 'pub_2');
  });

  it('are refused as long as the store that counts them is away', async () => {
    const storage: typeof inMemory = {
      createRateLimiter(options) {
        const limiter = inMemory.createRateLimiter(options);
        limiter.consume = () => Promise.reject(new Error('connection refused'));
        return limiter;
      },
    };
    const limits = createVisitLimits({ storage, rates: {}, hmac: (text) => text });
    await expect(limits.countVisit({ remoteAddress: null, keyId: 'pub_1' })).rejects.toMatchObject({
      code: 'storage_unavailable',
      retryable: true,
    });
  });
});
