import { createHash } from 'node:crypto';
import type { StoredAnswer } from '../ports/call-store.ts';
import type { Cache } from './cache.ts';

/** A key as one request used it. */
export interface UsedKey {
  readonly organizationId: string;
  /** Keys of different endpoints have nothing to do with each other. */
  readonly endpoint: string;
  readonly key: string;
  readonly fingerprint: string;
}

/**
 * What surrounds the store's claim of an idempotency key: telling bodies apart, and finding finished answers where they
 * are cheaper to find. The cache may forget at any time and decides nothing: two first requests always meet in the store.
 */
export interface Idempotency {
  /** How long a key belongs to the first request that used it. */
  readonly lifetimeMs: number;
  /**
   * SHA-256, hex, over the endpoint and the validated body, whatever the order of its fields.
   * @param body its `idempotencyKey` is left out
   */
  fingerprint(endpoint: string, body: object): string;
  /** The answer of an earlier request with this key, if the cache still has it. */
  find(used: UsedKey): Promise<StoredAnswer | null>;
  /** Call it right after the store accepted the request. */
  remember(
    used: UsedKey,
    answer: { readonly status: number; readonly body: string; readonly callId: string },
  ): Promise<void>;
}

interface RememberedAnswer {
  readonly status: number;
  readonly body: string;
  /** Absent in what an earlier version remembered. */
  readonly callId?: string;
  readonly fingerprint: string;
}

const lifetimeMs = 5 * 60_000;
/** Shorter by more than an acceptance can take, so that no answer is replayed after the store gave its key free. */
const cacheMs = lifetimeMs - 10_000;

export function createIdempotency({ cache }: { cache: Cache }): Idempotency {
  return {
    lifetimeMs,
    fingerprint(endpoint, body) {
      const { idempotencyKey: _, ...rest } = body as { idempotencyKey?: unknown };
      return sha256(`${endpoint}\n${canonicalJson(rest)}`);
    },
    async find(used) {
      const known = await cache.get<RememberedAnswer>(cacheKey(used));
      if (!known) return null;
      const { status, body, callId = null, fingerprint } = known;
      return { status, body, callId, fingerprintMatches: fingerprint === used.fingerprint };
    },
    async remember(used, { status, body, callId }) {
      const remembered: RememberedAnswer = { status, body, callId, fingerprint: used.fingerprint };
      await cache.set(cacheKey(used), remembered, cacheMs);
    },
  };
}

function cacheKey({ organizationId, endpoint, key }: UsedKey): string {
  return `replay:${sha256(JSON.stringify([organizationId, endpoint, key]))}`;
}

function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map((item) => canonicalJson(item)).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  const fields = Object.entries(value)
    .filter(([, field]) => field !== undefined)
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([name, field]) => `${JSON.stringify(name)}:${canonicalJson(field)}`);
  return `{${fields.join(',')}}`;
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
