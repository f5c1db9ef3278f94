import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from 'node:crypto';
import { CallkiteError } from './errors.ts';

/** Keeps secrets at rest unreadable, and unusable in any place but the one they were sealed for. */
export interface SecretBox {
  /** @param context what the secret belongs to, from one of the functions below */
  seal(text: string, context: string): string;
  /** Throws `internal` when the text was sealed with an unknown key or for another context. */
  open(sealed: string, context: string): string;
  /** Whether the text opens without a former key. */
  isSealedWithCurrentKey(sealed: string, context: string): boolean;
  /** Keyed digest, base64url. Digests of one purpose tell nothing about those of another. */
  hmac(purpose: string, text: string): string;
  /** The digests that count when one is checked: the current key's, then those of former keys. */
  hmacs(purpose: string, text: string): readonly string[];
}

/**
 * Context of a carrier account's secret. It names the account, not the stored row, since two requests may race to
 * create that row.
 */
export function connectionSecretContext(connection: {
  readonly organizationId: string;
  readonly mode: string;
  readonly accountId: string;
}): string {
  return `connection:${connection.organizationId}:${connection.mode}:${connection.accountId}`;
}

/** Context of the bearer token for a call's callback. */
export function callbackSecretContext(callId: string): string {
  return `callback:${callId}`;
}

/** Context of a webhook integration's signing secret. */
export function webhookSecretContext(integrationId: string): string {
  return `webhook:${integrationId}`;
}

const version = 'v1';
const cipher = 'aes-256-gcm';
const nonceBytes = 12;
const tagBytes = 16;

/** What one secret key does. */
interface KeyRing {
  seal(text: string, context: string): string;
  /** `null` when the text was sealed with another key or for another context. */
  open(sealed: string, context: string): string | null;
  hmac(purpose: string, text: string): string;
}

/**
 * @param secretKey 32 bytes, base64. Throws `validation_failed` for anything else.
 * @param formerKeys keys that still open what they sealed
 */
export function createSecretBox(secretKey: string, formerKeys: readonly string[] = []): SecretBox {
  const current = createKeyRing(secretKey);
  const rings = [current, ...formerKeys.map(createKeyRing)];

  return {
    seal: current.seal,
    open(sealed, context) {
      for (const ring of rings) {
        const text = ring.open(sealed, context);
        if (text !== null) return text;
      }
      throw new CallkiteError(
        'internal',
        'a stored secret cannot be opened: check that secretKey is the one it was sealed with',
        { details: { secretKey: ['is not the one a stored secret was sealed with'] } },
      );
    },
    isSealedWithCurrentKey: (sealed, context) => current.open(sealed, context) !== null,
    hmac: current.hmac,
    hmacs: (purpose, text) => rings.map((ring) => ring.hmac(purpose, text)),
  };
}

function createKeyRing(secretKey: string): KeyRing {
  const master = Buffer.from(secretKey, 'base64');
  if (master.length !== 32 || master.toString('base64') !== secretKey) {
    throw new CallkiteError(
      'validation_failed',
      'secretKey must be 32 bytes in base64: create one with `openssl rand -base64 32`',
    );
  }
  const derive = (purpose: string) => Buffer.from(hkdfSync('sha256', master, '', `callkite:${purpose}`, 32));
  const sealingKey = derive('seal');
  const digestKeys = new Map<string, Buffer>();

  function digestKey(purpose: string): Buffer {
    const known = digestKeys.get(purpose);
    if (known) return known;
    const key = derive(`hmac:${purpose}`);
    digestKeys.set(purpose, key);
    return key;
  }

  return {
    seal(text, context) {
      const nonce = randomBytes(nonceBytes);
      const sealing = createCipheriv(cipher, sealingKey, nonce).setAAD(Buffer.from(context));
      const bytes = Buffer.concat([
        nonce,
        sealing.update(text, 'utf8'),
        sealing.final(),
        sealing.getAuthTag(),
      ]);
      return `${version}.${bytes.toString('base64url')}`;
    },
    open(sealed, context) {
      const [tag, encoded] = sealed.split('.');
      const bytes = Buffer.from(encoded ?? '', 'base64url');
      if (tag !== version || bytes.length < nonceBytes + tagBytes) return null;
      const opening = createDecipheriv(cipher, sealingKey, bytes.subarray(0, nonceBytes))
        .setAAD(Buffer.from(context))
        .setAuthTag(bytes.subarray(-tagBytes));
      try {
        const text = opening.update(bytes.subarray(nonceBytes, -tagBytes));
        return Buffer.concat([text, opening.final()]).toString('utf8');
      } catch {
        return null;
      }
    },
    hmac: (purpose, text) => createHmac('sha256', digestKey(purpose)).update(text).digest('base64url'),
  };
}
