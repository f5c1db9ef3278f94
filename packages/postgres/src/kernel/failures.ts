import { CallkiteError } from '@callkite/core';

/**
 * SQLSTATE classes and codes that mean "not now", as opposed to "never": connection trouble (08), wrong or expired
 * credentials (28, as during a rotation), out of resources (53), operator intervention (57), I/O errors (58),
 * serialization (40), a lock not had in time (55P03), a missing database or a read-only one (3D000, 25006).
 */
const unavailable = /^(08|28|40|53|57|58)...$|^(55P03|3D000|25006)$/;

/** Codes of Node's network errors. */
const unreachable = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ECONNABORTED',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
  'ENOENT',
]);

/** pg reports these without a code. */
const lostConnection =
  /^(connection terminated|query read timeout|timeout (expired|exceeded)|client (has encountered|was closed)|cannot use a pool after|server closed)/i;

/** SQLSTATE of an error the database answered with; `null` for anything else. */
export function sqlState(error: unknown): string | null {
  return typeof error === 'object' &&
    error !== null &&
    'severity' in error &&
    'code' in error &&
    typeof error.code === 'string'
    ? error.code
    : null;
}

function isUnavailable(error: unknown): boolean {
  const state = sqlState(error);
  return state === null ? isConnectionLost(error) : unavailable.test(state);
}

/** Whether the way to the database broke, as opposed to an error it answered with. */
export function isConnectionLost(error: unknown): boolean {
  if (!(error instanceof Error) || sqlState(error) !== null) return false;
  if ('code' in error && typeof error.code === 'string' && unreachable.has(error.code)) return true;
  return (
    lostConnection.test(error.message) ||
    (error instanceof AggregateError && error.errors.some(isConnectionLost))
  );
}

/** What leaves the package for an error of the database or of the way to it. */
function translated(error: unknown): unknown {
  return isUnavailable(error)
    ? new CallkiteError('storage_unavailable', 'The database did not respond in time. Try again shortly.', {
        retryable: true,
        retryAfterSeconds: 1,
        cause: error,
      })
    : error;
}

/**
 * The same store, with its failures translated. A step that lost a deadlock or a serialization conflict has been
 * rolled back whole, so it is tried once more.
 */
export function guarded<Store extends object>(store: Store): Store {
  return new Proxy(store, {
    get(target, name, receiver) {
      const method: unknown = Reflect.get(target, name, receiver);
      if (typeof method !== 'function') return method;
      return async (...parameters: unknown[]) => {
        const run = () => Reflect.apply(method, target, parameters);
        try {
          return await run();
        } catch (error) {
          const state = sqlState(error);
          if (state !== '40P01' && state !== '40001') throw translated(error);
        }
        try {
          return await run();
        } catch (error) {
          throw translated(error);
        }
      };
    },
  });
}
