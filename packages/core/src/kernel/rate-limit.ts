import ipaddr from 'ipaddr.js';
import { type RateLimiterAbstract, RateLimiterMemory, type RateLimiterRes } from 'rate-limiter-flexible';
import { CallkiteError } from './errors.ts';
import type { Logger } from './logger.ts';

/** Where limits are kept. */
export interface RateLimiterSource {
  /**
   * A limiter that is exact across all processes on this store. Fixed window from a key's first hit, by the store's clock.
   * Its `consume` rejects with a `RateLimiterRes` when the points are used up, and with an `Error` when the store fails.
   */
  createRateLimiter(options: {
    readonly keyPrefix: string;
    readonly points: number;
    readonly durationSeconds: number;
  }): RateLimiterAbstract;
}

/** Where an organization stands in its current minute, for `RateLimit` headers. */
export interface RateLimitState {
  readonly limit: number;
  readonly remaining: number;
  /** Whole seconds until the count starts anew. */
  readonly resetSeconds: number;
}

export interface RateLimits {
  /** Counts one request of an organization. Throws `rate_limited` with `retryAfterSeconds` when there were too many. */
  consume(organizationId: string): Promise<RateLimitState>;
  /** Before a key is looked at. Throws `rate_limited` when too many keys from this address were wrong lately. */
  checkAddress(remoteAddress: string | null): Promise<void>;
  /** After a key turned out wrong. */
  countFailure(remoteAddress: string | null): Promise<void>;
}

export interface RateLimitsDeps {
  storage: RateLimiterSource;
  requestsPerMinute: number;
  /** Wrong keys from one address; an IPv6 network (/64) counts as one. @default 60 */
  failuresPerMinute?: number;
  logger: Logger;
}

const durationSeconds = 60;

/**
 * Requests of each organization, counted over all processes on the store, in minutes that start with an
 * organization's first request: around an edge of two minutes, twice the number may pass. While the store fails, each
 * process counts for itself, as it always does for wrong keys, where exactness is not needed.
 */
export function createRateLimits(deps: RateLimitsDeps): RateLimits {
  const { requestsPerMinute, failuresPerMinute = 60, logger } = deps;
  const options = { keyPrefix: 'requests', points: requestsPerMinute, durationSeconds };
  const shared = together(deps.storage.createRateLimiter(options));
  const own = together(new RateLimiterMemory({ points: requestsPerMinute, duration: durationSeconds }));
  const failures = new RateLimiterMemory({ points: failuresPerMinute, duration: durationSeconds });

  async function count(organizationId: string, consume: Consume): Promise<RateLimitState> {
    const { place, msBeforeNext } = await consume(organizationId);
    if (place > requestsPerMinute) throw rateLimited({ msBeforeNext }, durationSeconds);
    return {
      limit: requestsPerMinute,
      remaining: requestsPerMinute - place,
      resetSeconds: wholeSeconds(msBeforeNext),
    };
  }

  return {
    async consume(organizationId) {
      try {
        return await count(organizationId, shared);
      } catch (error) {
        if (CallkiteError.isInstance(error) && error.code === 'rate_limited') throw error;
        logger.warn(
          { err: error, organizationId },
          'rate limit store failed; counting requests in this process only',
        );
        return count(organizationId, own);
      }
    },
    async checkAddress(remoteAddress) {
      const state = await failures.get(networkOf(remoteAddress));
      if (state && state.consumedPoints >= failuresPerMinute) throw rateLimited(state, durationSeconds);
    },
    async countFailure(remoteAddress) {
      await failures.penalty(networkOf(remoteAddress));
    },
  };
}

/** Counts one request. @returns which one it is of its window, from 1 */
type Consume = (key: string) => Promise<{ readonly place: number; readonly msBeforeNext: number }>;

/** Requests that are counted together. */
interface Batch {
  size: number;
  isOpen: boolean;
  readonly counted: Promise<Pick<RateLimiterRes, 'consumedPoints' | 'msBeforeNext'>>;
}

/**
 * Counts requests of one key that come at once with as few statements as can be: a statement each would wait for all the
 * others, and take up every connection meanwhile.
 */
function together(limiter: RateLimiterAbstract): Consume {
  const newest = new Map<string, Batch>();

  function begin(key: string, before: Batch | undefined): Batch {
    const batch: Batch = { size: 0, isOpen: true, counted: countAfter() };
    newest.set(key, batch);
    return batch;

    async function countAfter() {
      await before?.counted.catch(() => undefined);
      await undefined;
      batch.isOpen = false;
      try {
        return await limiter.consume(key, batch.size);
      } catch (rejection) {
        // The limiter rejects with a plain state when the points are used up, and with an error when the store fails.
        if (rejection instanceof Error) throw rejection;
        return rejection as RateLimiterRes;
      } finally {
        if (newest.get(key) === batch) newest.delete(key);
      }
    }
  }

  return async (key) => {
    const last = newest.get(key);
    const batch = last?.isOpen ? last : begin(key, last);
    batch.size += 1;
    const number = batch.size;
    const { consumedPoints, msBeforeNext } = await batch.counted;
    return { place: consumedPoints - batch.size + number, msBeforeNext };
  };
}

/** The error for a limiter that rejected. @param durationSeconds of its window: nobody waits longer */
export function rateLimited(
  state: Pick<RateLimiterRes, 'msBeforeNext'>,
  durationSeconds: number,
): CallkiteError {
  const retryAfterSeconds = Math.min(wholeSeconds(state.msBeforeNext), durationSeconds);
  return new CallkiteError('rate_limited', `Too many requests: retry in ${retryAfterSeconds} s`, {
    retryable: true,
    retryAfterSeconds,
  });
}

function wholeSeconds(ms: number): number {
  return Math.max(1, Math.ceil(ms / 1000));
}

/** What counts as one client: an IPv4 address, or an IPv6 network (/64). */
export function networkOf(remoteAddress: string | null): string {
  if (!remoteAddress || !ipaddr.isValid(remoteAddress)) return 'unknown';
  const address = ipaddr.process(remoteAddress);
  return address instanceof ipaddr.IPv6 ? address.parts.slice(0, 4).join(':') : address.toString();
}
