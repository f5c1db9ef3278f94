import { createHmac, timingSafeEqual } from 'node:crypto';

const toleranceSeconds = 300;

/** Whether a request carries a fresh signature of Standard Webhooks (https://www.standardwebhooks.com) by this secret. */
export function isSigned(
  secret: string,
  headers: Readonly<Record<string, unknown>>,
  rawBody: Buffer,
  now = new Date(),
): boolean {
  const timestamp = Number(headers['webhook-timestamp']);
  if (!(Math.abs(now.getTime() / 1000 - timestamp) <= toleranceSeconds)) return false;
  const expected = createHmac('sha256', Buffer.from(secret.trim().replace(/^whsec_/, ''), 'base64'))
    .update(`${String(headers['webhook-id'])}.${timestamp}.`)
    .update(rawBody)
    .digest();
  return String(headers['webhook-signature'] ?? '')
    .split(' ')
    .filter((signature) => signature.startsWith('v1,'))
    .map((signature) => Buffer.from(signature.slice(3), 'base64'))
    .some((given) => given.length === expected.length && timingSafeEqual(given, expected));
}
