import { randomBytes } from 'node:crypto';
import { Webhook } from 'standardwebhooks';

/** A new signing secret: `whsec_` and 24 random bytes in base64. */
export function createSigningSecret(): string {
  return `whsec_${randomBytes(24).toString('base64')}`;
}

/**
 * Headers of Standard Webhooks (https://www.standardwebhooks.com), which receivers verify with any of the signing
 * secrets. The id stays the same in every attempt; time and signatures are of the attempt.
 */
export function signatureHeaders(
  secrets: readonly string[],
  id: string,
  body: string,
  at: Date,
): Record<string, string> {
  return {
    'webhook-id': id,
    'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
    'webhook-signature': secrets.map((secret) => new Webhook(secret).sign(id, at, body)).join(' '),
  };
}
