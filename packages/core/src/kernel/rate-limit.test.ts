import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import { describe, expect, it } from 'vitest';
import type { Storage } from '../storage.ts';
import { silentLogger } from './logger.ts';
import { createRateLimits } from './rate-limit.ts';

const inMemory: Pick<Storage, 'createRateLimiter'> = {
  createRateLimiter: ({ keyPrefix, points, durationSeconds }) =>
    new RateLimiterMemory({ keyPrefix, points, duration: durationSeconds }),
};

const outOfOrder: Pick<Storage, 'createRateLimiter'> = {
  createRateLimiter: (options) => {
    const limiter = inMemory.createRateLimiter(options);
    limiter.consume = () => Promise.reject(new Error('connection refused'));
    return limiter;
  },
};

const limited = { code: 'rate_limited', retryable: true };

async function outcomes(count: number, attempt: () => Promise<unknown>) {
  const settled = await Promise.allSettled(Array.from({ length: count }, attempt));
  return {
    passed: settled.filter(({ status }) => status === 'fulfilled').length,
    refused: settled.flatMap((result) => (result.status === 'rejected' ? [result.reason] : [])),
  };
}

describe('rate limits', () => {
  it('let exactly so many requests of an organization through, and say when to come back', async () => {
    const limits = createRateLimits({ storage: inMemory, requestsPerMinute: 60, logger: silentLogger });
    const { passed, refused } = await outcomes(100, () => limits.consume('org_1'));
    expect(passed).toBe(60);
    for (const error of refused) {
      expect(error).toMatchObject(limited);
      expect(error.retryAfterSeconds).toBeGreaterThanOrEqual(1);
      expect(error.retryAfterSeconds).toBeLessThanOrEqual(60);
      expect(Number.isInteger(error.retryAfterSeconds)).toBe(true);
    }
  });

  it('make nobody wait for longer than the minute they count, whatever the clocks say', async () => {
    const ahead: Pick<Storage, 'createRateLimiter'> = {
      createRateLimiter(options) {
        const limiter = inMemory.createRateLimiter(options);
        limiter.consume = () => Promise.reject(new RateLimiterRes(0, 3_660_000, 61));
        return limiter;
      },
    };
    const limits = createRateLimits({ storage: ahead, requestsPerMinute: 60, logger: silentLogger });
    await expect(limits.consume('org_1')).rejects.toMatchObject({ ...limited, retryAfterSeconds: 60 });
  });

  it('count organizations apart and tell what is left', async () => {
    const limits = createRateLimits({ storage: inMemory, requestsPerMinute: 2, logger: silentLogger });
    expect(await limits.consume('org_1')).toEqual({ limit: 2, remaining: 1, resetSeconds: 60 });
    expect(await limits.consume('org_1')).toMatchObject({ remaining: 0 });
    await expect(limits.consume('org_1')).rejects.toMatchObject(limited);
    expect(await limits.consume('org_2')).toMatchObject({ remaining: 1 });
  });

  it('count requests that come at once with few statements, each in its own place', async () => {
    const asked: number[] = [];
    const counting: typeof inMemory = {
      createRateLimiter: (options) => {
        const limiter = inMemory.createRateLimiter(options);
        const consume = limiter.consume.bind(limiter);
        limiter.consume = (key, points = 1) => {
          asked.push(points);
          return consume(key, points);
        };
        return limiter;
      },
    };
    const limits = createRateLimits({ storage: counting, requestsPerMinute: 150, logger: silentLogger });
    const settled = await Promise.allSettled(Array.from({ length: 200 }, () => limits.consume('org_1')));
    expect(asked).toEqual([200]);
    const remaining = settled.flatMap((each) => (each.status === 'fulfilled' ? [each.value.remaining] : []));
    expect(remaining).toEqual(Array.from({ length: 150 }, (_, index) => 149 - index));
    await expect(limits.consume('org_1')).rejects.toMatchObject(limited);
    expect(asked).toEqual([200, 1]);
  });

  it('go on in memory when the store fails, and say so in the log', async () => {
    const warnings: string[] = [];
    const logger = { ...silentLogger, warn: (_fields: object, message: string) => warnings.push(message) };
    const limits = createRateLimits({ storage: outOfOrder, requestsPerMinute: 3, logger });
    const { passed, refused } = await outcomes(5, () => limits.consume('org_1'));
    expect(passed).toBe(3);
    expect(refused).toEqual([expect.objectContaining(limited), expect.objectContaining(limited)]);
    expect(warnings).toHaveLength(5);
  });

  it('stop an address that tries many wrong keys, and no other', async () => {
    const limits = createRateLimits({
      storage: inMemory,
      requestsPerMinute: 60,
      failuresPerMinute: 3,
      logger: silentLogger,
    });
    for (let time = 0; time < 3; time += 1) {
      await limits.checkAddress('198.51.100.7');
      await limits.countFailure('198.51.100.7');
    }
    await expect(limits.checkAddress('198.51.100.7')).rejects.toMatchObject(limited);
    await expect(limits.checkAddress('::ffff:198.51.100.7')).rejects.toMatchObject(limited);
    await limits.checkAddress('198.51.100.8');
    await limits.checkAddress(null);
  });

  it('take an IPv6 network for one address', async () => {
    const limits = createRateLimits({
      storage: inMemory,
      requestsPerMinute: 60,
      failuresPerMinute: 1,
      logger: silentLogger,
    });
    await limits.countFailure('2001:db8:1:2::1');
    await expect(limits.checkAddress('2001:db8:1:2:ffff::2')).rejects.toMatchObject(limited);
    await limits.checkAddress('2001:db8:1:3::1');
  });
});
