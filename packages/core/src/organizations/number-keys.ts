import { createHmac, randomBytes } from 'node:crypto';
import type { DoNotCallStore } from '../ports/do-not-call-store.ts';
import type { SecretBox } from './secret-box.ts';

/**
 * Keyed hashes of phone numbers, one way: they tell whether a number is on the do-not-call list after the number itself
 * was erased. The key is the store's own, sealed with the server's, so that it outlives a change of the server's key.
 */
export interface NumberKeys {
  /** Makes the keys of an organization's numbers. */
  of(organizationId: string): Promise<(phoneNumber: string) => string>;
  /** Replaces the numbers that erased calls of an earlier version left on the do-not-call list. */
  hashErased(): Promise<void>;
}

const context = 'do-not-call-key';

export function createNumberKeys(deps: {
  store: Pick<DoNotCallStore, 'hashKey' | 'resealHashKey' | 'hashErased'>;
  secretBox: Pick<SecretBox, 'seal' | 'open'>;
  /** Whether to seal the key with the present key of the server, so that a former one can be dropped. */
  reseal: boolean;
}): NumberKeys {
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

  const hash = (bytes: Buffer, organizationId: string, phoneNumber: string) =>
    createHmac('sha256', bytes).update(`${organizationId}\n${phoneNumber}`).digest('base64url');

  return {
    async of(organizationId) {
      const bytes = await keyBytes();
      return (phoneNumber) => hash(bytes, organizationId, phoneNumber);
    },
    async hashErased() {
      const bytes = await keyBytes();
      await store.hashErased((organizationId, phoneNumber) => hash(bytes, organizationId, phoneNumber));
    },
  };
}
