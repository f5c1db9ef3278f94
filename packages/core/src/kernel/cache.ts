import type { Keyv } from 'keyv';
import type { Logger } from './logger.ts';
import { errorFields } from './safe-logger.ts';
import { withTimeout } from './timeout.ts';

/** An aid that nothing depends on: its absence looks like an empty cache, and is not waited for. Never rejects. */
export interface Cache {
  get<Value>(key: string): Promise<Value | undefined>;
  set(key: string, value: unknown, lifetimeMs: number): Promise<void>;
  delete(key: string): Promise<void>;
  /** Asks it now, whatever it did before. */
  isAvailable(): Promise<boolean>;
}

const patienceMs = 100;
/** So long a cache that failed is left alone; then one use finds out whether it is back. */
const restMs = 1_000;

export function createCache(keyv: Keyv, logger: Logger): Cache {
  let isAway = false;
  let restsUntilMs = 0;

  async function ask<Result>(operation: () => Promise<Result>): Promise<Result> {
    try {
      const result = await withTimeout(
        patienceMs,
        operation(),
        () => new Error(`no answer within ${patienceMs} ms`),
      );
      if (isAway) logger.info({}, 'the cache answers again');
      isAway = false;
      return result;
    } catch (error) {
      // Nothing is broken: a sentence is enough.
      const { message: reason } = errorFields(error);
      if (!isAway) logger.warn({ reason }, 'the cache does not answer: the store is asked until it does');
      isAway = true;
      restsUntilMs = performance.now() + restMs;
      throw error;
    }
  }

  async function use<Result>(operation: () => Promise<Result>): Promise<Result | undefined> {
    if (isAway) {
      if (performance.now() < restsUntilMs) return undefined;
      restsUntilMs = performance.now() + restMs;
    }
    return ask(operation).catch(() => undefined);
  }

  return {
    get: (key) => use(() => keyv.get(key)),
    async set(key, value, lifetimeMs) {
      await use(() => keyv.set(key, value, lifetimeMs));
    },
    async delete(key) {
      await use(() => keyv.delete(key));
    },
    isAvailable: () =>
      ask(() => keyv.get('available')).then(
        () => true,
        () => false,
      ),
  };
}
