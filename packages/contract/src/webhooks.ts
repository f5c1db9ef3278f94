import * as z from 'zod';
import { displayName, nextCursor, pageQuery, resourceId, timestamp } from './fields.ts';

// Which addresses are acceptable is decided by the guard on outbound addresses, in one place.
export const createWebhookRequest = z.strictObject({
  name: displayName,
  url: z
    .string()
    .min(1)
    .max(2048)
    .meta({ format: 'uri', description: 'HTTPS address; private and reserved addresses are refused' }),
});
export type CreateWebhookRequest = z.input<typeof createWebhookRequest>;

/** A configured webhook integration. Attach it to a workflow by its id in `definition.metadata.webhooks`. */
export const webhookResource = z.object({
  id: z.string(),
  name: z.string(),
  url: z.string(),
  former_secret_expires_at: timestamp
    .nullable()
    .describe('Until then webhooks are signed with the former secret too; null when there is none'),
  created_at: timestamp,
});
export type WebhookResource = z.infer<typeof webhookResource>;

/** What creating one and rotating its secret answer with. */
export const createdWebhook = webhookResource.extend({
  secret: z.string().describe('Verifies signatures (`whsec_…`). Shown here and never again'),
});
export type CreatedWebhook = z.infer<typeof createdWebhook>;

export const webhookList = z.object({ webhooks: z.array(webhookResource), next_cursor: nextCursor });
export type WebhookList = z.infer<typeof webhookList>;

/** A notification on its way. The body is left out: it is what the call resource tells. */
export const deliveryResource = z.object({
  id: z.string(),
  kind: z.enum(['callback', 'webhook']),
  call_id: z.string().nullable(),
  webhook_id: z.string().nullable(),
  url: z.string(),
  status: z
    .enum(['pending', 'delivered', 'failed', 'unknown', 'canceled'])
    .describe('`canceled`: the call was erased before it arrived'),
  attempt_count: z.int(),
  created_at: timestamp,
});
export type DeliveryResource = z.infer<typeof deliveryResource>;

export const deliveryDetail = deliveryResource.extend({
  attempts: z.array(
    z.object({
      number: z.int(),
      started_at: timestamp,
      finished_at: timestamp.nullable(),
      status_code: z.int().nullable(),
      error: z.string().nullable(),
    }),
  ),
});
export type DeliveryDetail = z.infer<typeof deliveryDetail>;

export const deliveryListQuery = pageQuery.extend({ call_id: resourceId.optional() });

export const deliveryList = z.object({ deliveries: z.array(deliveryResource), next_cursor: nextCursor });
export type DeliveryList = z.infer<typeof deliveryList>;
