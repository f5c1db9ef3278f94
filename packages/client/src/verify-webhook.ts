import type { WebhookPayload } from '@callkite/contract';
import { Webhook } from 'standardwebhooks';

/**
 * Checks that a webhook was signed with your secret within the last five minutes, and reads it. While a secret is being
 * rotated, webhooks are signed with the new and the former one: either will do.
 * Answer with a 2xx, and remember `webhook-id` or `call_id`: the same webhook may arrive more than once.
 *
 * @param body the raw body, before any parser
 * @param secret `whsec_…`, as shown when the webhook was created
 * @throws WebhookVerificationError
 */
export function verifyWebhook(
  body: string | Uint8Array,
  headers: Headers | Readonly<Record<string, string | readonly string[] | undefined>>,
  secret: string,
): WebhookPayload {
  const entries = headers instanceof Headers ? [...headers] : Object.entries(headers);
  const given = Object.fromEntries(entries.map(([name, value]) => [name.toLowerCase(), String(value ?? '')]));
  const text = typeof body === 'string' ? body : new TextDecoder().decode(body);
  return new Webhook(secret).verify(text, given) as WebhookPayload;
}
