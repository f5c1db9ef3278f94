import ipaddr from 'ipaddr.js';
import { type RateLimiterAbstract, RateLimiterMemory, type RateLimiterRes } from 'rate-limiter-flexible';
import { CallkiteError } from '../errors.ts';
import type { Logger } from '../ports/logger.ts';
import type { Storage } from '../ports/storage.ts';

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
  storage: Pick<Storage, 'createRateLimiter'>;
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
  const shared = deps.storage.createRateLimiter(options);
  const own = new RateLimiterMemory({ points: requestsPerMinute, duration: durationSeconds });
  const failures = new RateLimiterMemory({ points: failuresPerMinute, duration: durationSeconds });

  async function count(limiter: RateLimiterAbstract, organizationId: string): Promise<RateLimitState> {
    try {
      const state = await limiter.consume(organizationId);
      return {
        limit: requestsPerMinute,
        remaining: state.remainingPoints,
        resetSeconds: wholeSeconds(state.msBeforeNext),
      };
    } catch (rejection) {
      // The limiter rejects with a plain state when the points are used up, and with an error when the store fails.
      throw rejection instanceof Error
        ? rejection
        : rateLimited(rejection as RateLimiterRes, durationSeconds);
    }
  }

  return {
    async consume(organizationId) {
      try {
        return await count(shared, organizationId);
      } catch (error) {
        if (CallkiteError.isInstance(error) && error.code === 'rate_limited') throw error;
        logger.warn(
          { err: error, organizationId },
          'rate limit store failed; counting requests in this process only',
        );
        return count(own, organizationId);
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

/** The error for a limiter that rejected. @param durationSeconds of its window: nobody waits longer */
export function rateLimited(state: RateLimiterRes, durationSeconds: number): CallkiteError {
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
