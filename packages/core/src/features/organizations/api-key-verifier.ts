import type { Cache } from '../../kernel/cache.ts';
import { CallkiteError } from '../../kernel/errors.ts';
import { matchesHash, parseApiKey } from './api-keys.ts';
import type { ApiKeyRecord, OrganizationStore } from './organization-store.ts';

/** What is remembered of a key that was found valid. */
type KnownKey = Pick<ApiKeyRecord, 'id' | 'organizationId' | 'mode' | 'hash'>;

export interface ApiKeyVerifierDeps {
  store: Pick<OrganizationStore, 'findApiKey'>;
  /** Spares the store a look-up per request. */
  cache: Cache;
}

export interface ApiKeyVerifier {
  /** Throws `unauthenticated`. */
  verify(key: string): Promise<KnownKey>;
  /** Call it after a key was revoked: from then on this process asks the store. */
  forget(lookupId: string): Promise<void>;
}

/** How long another process may still accept a revoked key. */
const cacheMs = 5_000;

export function createApiKeyVerifier({ store, cache }: ApiKeyVerifierDeps): ApiKeyVerifier {
  // A look-up that was under way during a revocation must not put the revoked key back into the cache.
  let revocations = 0;

  /** Of requests that come at once with one key, one asks the store. */
  const lookUps = new Map<string, Promise<KnownKey | null>>();

  async function find(lookupId: string): Promise<KnownKey | null> {
    const known = await cache.get<KnownKey>(cacheKey(lookupId));
    if (known) return known;
    const underWay = lookUps.get(lookupId);
    if (underWay) return underWay;
    const lookUp = lookFor(lookupId).finally(() => {
      if (lookUps.get(lookupId) === lookUp) lookUps.delete(lookupId);
    });
    lookUps.set(lookupId, lookUp);
    return lookUp;
  }

  async function lookFor(lookupId: string): Promise<KnownKey | null> {
    const before = revocations;
    const record = await store.findApiKey(lookupId);
    if (!record || record.revokedAt) return null;
    const { id, organizationId, mode, hash } = record;
    const found = { id, organizationId, mode, hash };
    if (before === revocations) await cache.set(cacheKey(lookupId), found, cacheMs);
    return found;
  }

  return {
    async verify(key) {
      const parsed = parseApiKey(key);
      const known = parsed ? await find(parsed.lookupId) : null;
      if (!matchesHash(key, known?.hash ?? null) || !known) {
        throw new CallkiteError('unauthenticated', 'API key missing or invalid');
      }
      return known;
    },
    async forget(lookupId) {
      revocations += 1;
      lookUps.delete(lookupId);
      await cache.delete(cacheKey(lookupId));
    },
  };
}

function cacheKey(lookupId: string): string {
  return `api-key:${lookupId}`;
}
