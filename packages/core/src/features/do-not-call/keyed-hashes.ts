import { createHmac, randomBytes } from 'node:crypto';
import type { SecretBox } from '../../kernel/secret-box.ts';
import type { DoNotCallStore } from './do-not-call-store.ts';

/**
 * Keyed hashes, one way, of what may name a person: a phone number that is not called, the idempotency key of a call. They
 * tell whether it is the same one after it was erased. The key of the hashes is the store's own, sealed with the server's,
 * so that it outlives a change of the server's key.
 */
export interface KeyedHashes {
  /** Makes the hashes of an organization. */
  of(organizationId: string): Promise<(text: string) => string>;
  /** Replaces the numbers that erased calls of an earlier version left on the do-not-call list. */
  hashErased(): Promise<void>;
}

const context = 'do-not-call-key';

export function createKeyedHashes(deps: {
  store: Pick<DoNotCallStore, 'hashKey' | 'resealHashKey' | 'hashErased'>;
  secretBox: Pick<SecretBox, 'seal' | 'open'>;
  /** Whether to seal the key with the present key of the server, so that a former one can be dropped. */
  reseal: boolean;
}): KeyedHashes {
  const { store, secretBox, reseal } = deps;
  let key: Promise<Buffer> | undefined;

  async function load(): Promise<Buffer> {
    const fresh = randomBytes(32).toString('base64url');
    const opened = secretBox.open(await store.hashKey(secretBox.seal(fresh, context)), context);
    if (reseal && opened !== fresh) await store.resealHashKey(secretBox.seal(opened, context));
    return Buffer.from(opened, 'base64url');
  }

  async function keyBytes(): Promise<Buffer> {
    key ??= load();
    try {
      return await key;
    } catch (error) {
      // The store was away: the next one asks again.
      key = undefined;
      throw error;
    }
  }

  const hash = (bytes: Buffer, organizationId: string, text: string) =>
    createHmac('sha256', bytes).update(`${organizationId}\n${text}`).digest('base64url');

  return {
    async of(organizationId) {
      const bytes = await keyBytes();
      return (text) => hash(bytes, organizationId, text);
    },
    async hashErased() {
      const bytes = await keyBytes();
      await store.hashErased((organizationId, phoneNumber) => hash(bytes, organizationId, phoneNumber));
    },
  };
}
