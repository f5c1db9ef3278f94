import type { CallStore, StoredAnswer, UsedKey } from '../../calls/call-store.ts';
import type { Cache } from '../../kernel/cache.ts';
import { CallkiteError } from '../../kernel/errors.ts';
import { withTimeout } from '../../kernel/timeout.ts';

/** The answer to a request for a call: new, or the stored one of an earlier request with the same key. */
export interface AcceptedCall {
  readonly status: number;
  /** JSON text, the same bytes for every replay. */
  readonly body: string;
  /** `null` for a replay of an answer from before the store kept it. */
  readonly callId: string | null;
  readonly replayed: boolean;
  /** The key was used before with another body; the stored answer is returned all the same. */
  readonly bodyMismatch: boolean;
}

/**
 * What surrounds the store's claim of an idempotency key: telling bodies apart, and finding answers before a request is
 * looked into. The cache may forget at any time and decides nothing: two first requests always meet in the store.
 */
export interface Idempotency {
  /** How long a key belongs to the first request that used it. */
  readonly lifetimeMs: number;
  /** @param body the validated one; its `idempotencyKey` is left out, and the order of its fields does not count */
  use(used: Pick<UsedKey, 'organizationId' | 'endpoint' | 'key'>, body: object): Promise<UsedKey>;
  /**
   * The answer of an earlier request with this key; otherwise what `accept`, which claims the key in the store, makes of
   * this one. Equal requests that arrive meanwhile are not looked into: they get its answer, or its error. Throws
   * `request_in_progress` when they would have to wait for longer than 5 s.
   */
  once(used: UsedKey, accept: () => Promise<AcceptedCall>): Promise<AcceptedCall>;
}

interface RememberedAnswer {
  readonly status: number;
  readonly body: string;
  /** Absent in what an earlier version remembered. */
  readonly callId?: string | null;
  readonly fingerprint: string;
}

const lifetimeMs = 5 * 60_000;
/** Shorter by more than an acceptance can take, so that no answer is replayed after the store gave its key free. */
const cacheMs = lifetimeMs - 10_000;

const waitMs = 5_000;

export function createIdempotency(deps: {
  cache: Cache;
  store: Pick<CallStore, 'findAnswer'>;
  /** Keyed hashes of an organization's texts. */
  hashes: { of(organizationId: string): Promise<(text: string) => string> };
}): Idempotency {
  const { cache, store, hashes } = deps;
  /** Requests that this process is answering. */
  const underWay = new Map<string, Promise<AcceptedCall>>();

  async function find(used: UsedKey): Promise<StoredAnswer | null> {
    const known = await cache.get<RememberedAnswer>(cacheKey(used));
    if (!known) return store.findAnswer(used);
    const { status, body, callId = null, fingerprint } = known;
    return { status, body, callId, fingerprintMatches: fingerprint === used.fingerprint };
  }

  async function answer(used: UsedKey, accept: () => Promise<AcceptedCall>): Promise<AcceptedCall> {
    const stored = await find(used);
    if (stored) return replayOf(stored);
    const accepted = await accept();
    if (!accepted.replayed) {
      const { status, body, callId } = accepted;
      const remembered = { status, body, callId, fingerprint: used.fingerprint } satisfies RememberedAnswer;
      await cache.set(cacheKey(used), remembered, cacheMs);
    }
    return accepted;
  }

  return {
    lifetimeMs,
    async use(used, body) {
      const { organizationId, endpoint, key } = used;
      const { idempotencyKey: _, ...rest } = body as { idempotencyKey?: unknown };
      const hash = await hashes.of(organizationId);
      return {
        ...used,
        keyHash: hash(`idempotency key\n${endpoint}\n${key}`),
        fingerprint: hash(`body\n${endpoint}\n${canonicalJson(rest)}`),
      };
    },
    async once(used, accept) {
      const request = `${cacheKey(used)} ${used.fingerprint}`;
      const first = underWay.get(request);
      if (first) return { ...(await withTimeout(waitMs, first, requestInProgress)), replayed: true };
      const answered = answer(used, accept).finally(() => underWay.delete(request));
      underWay.set(request, answered);
      return answered;
    },
  };
}

export const replayOf = (stored: StoredAnswer): AcceptedCall => ({
  status: stored.status,
  body: stored.body,
  callId: stored.callId,
  replayed: true,
  bodyMismatch: !stored.fingerprintMatches,
});

function requestInProgress(): CallkiteError {
  return new CallkiteError(
    'request_in_progress',
    'A request with this idempotency key is still being processed. Retry it to get its response.',
    { retryable: true, retryAfterSeconds: 1 },
  );
}

const cacheKey = ({ keyHash }: UsedKey) => `replay:${keyHash}`;

function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map((item) => canonicalJson(item)).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  const fields = Object.entries(value)
    .filter(([, field]) => field !== undefined)
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([name, field]) => `${JSON.stringify(name)}:${canonicalJson(field)}`);
  return `{${fields.join(',')}}`;
}
