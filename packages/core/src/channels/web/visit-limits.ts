import type { RateLimiterAbstract, RateLimiterRes } from 'rate-limiter-flexible';
import { CallkiteError } from '../../kernel/errors.ts';
import type { RateLimiterSource } from '../../kernel/rate-limit.ts';
import { networkOf, rateLimited } from '../../kernel/rate-limit.ts';

export interface VisitRates {
  /** Web calls and call-backs asked for from one address; an IPv6 network (/64) counts as one. @default 20 */
  perAddressAndMinute?: number;
  /** The same with one publishable key. @default 120 */
  perKeyAndMinute?: number;
  /** Call-backs to one number, whoever asks for them. Of those at a later time, so many in seven days. @default 2 */
  callbacksPerNumberAndHour?: number;
}

/** How often visitors of web pages may ask for something, over all processes. All throw `rate_limited`. */
export interface VisitLimits {
  countVisit(visit: { readonly remoteAddress: string | null; readonly keyId: string }): Promise<void>;
  /** `later`: not to be called at once, so that nobody saves up calls to come all together. */
  countCallback(
    organizationId: string,
    phoneNumber: string,
    options: { readonly later: boolean },
  ): Promise<void>;
}

export interface VisitLimitsDeps {
  storage: RateLimiterSource;
  rates: VisitRates;
  /** Keyed digest: numbers that were called back are counted for days, and are not to be told by that. */
  hmac(text: string): string;
}

export function createVisitLimits({ storage, rates, hmac }: VisitLimitsDeps): VisitLimits {
  const { perAddressAndMinute = 20, perKeyAndMinute = 120, callbacksPerNumberAndHour = 2 } = rates;
  const limiter = (keyPrefix: string, points: number, durationSeconds: number) =>
    storage.createRateLimiter({ keyPrefix, points, durationSeconds });
  const ofAddress = limiter('visits-of-address', perAddressAndMinute, 60);
  const ofKey = limiter('visits-of-key', perKeyAndMinute, 60);
  const ofNumber = limiter('callbacks-to-number', callbacksPerNumberAndHour, 3600);
  const laterOfNumber = limiter('later-callbacks-to-number', callbacksPerNumberAndHour, 7 * 24 * 3600);

  return {
    async countVisit({ remoteAddress, keyId }) {
      await count(ofAddress, networkOf(remoteAddress));
      await count(ofKey, keyId);
    },
    async countCallback(organizationId, phoneNumber, { later }) {
      const number = hmac(`${organizationId}:${phoneNumber}`);
      await count(ofNumber, number);
      if (later) await count(laterOfNumber, number);
    },
  };
}

async function count(limiter: RateLimiterAbstract, key: string): Promise<void> {
  try {
    await limiter.consume(key);
  } catch (rejection) {
    if (!(rejection instanceof Error)) throw rateLimited(rejection as RateLimiterRes, limiter.duration);
    throw new CallkiteError(
      'storage_unavailable',
      'The database did not respond in time. Try again shortly.',
      {
        retryable: true,
        retryAfterSeconds: 1,
        cause: rejection,
      },
    );
  }
}
