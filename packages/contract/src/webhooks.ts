import * as z from 'zod';
import { displayName, nextCursor, pageQuery, resourceId, timestamp } from './fields.ts';

const fields = {
  name: displayName.describe('What the integration is for, to tell it from others'),
  // Which addresses are acceptable is decided by the guard on outbound addresses, in one place.
  url: z
    .string()
    .min(1)
    .max(2048)
    .meta({
      format: 'uri',
      description:
        'HTTPS address that gets the results in signed POSTs, repeated until it answers with 2xx. Private and reserved addresses are refused',
      examples: ['https://example.com/webhooks/calls'],
    }),
};

export const createWebhookRequest = z.strictObject(fields);
export type CreateWebhookRequest = z.input<typeof createWebhookRequest>;

export const updateWebhookRequest = z
  .strictObject(fields)
  .partial()
  .refine((change) => Object.keys(change).length > 0, 'give at least one field to change');
export type UpdateWebhookRequest = z.input<typeof updateWebhookRequest>;

/** A configured webhook integration. Attach it to a workflow by its id in `definition.metadata.webhooks`. */
export const webhookResource = z.object({
  id: z.string().describe('Id of the integration, for `definition.metadata.webhooks` of a workflow'),
  name: z.string().describe('What the integration is for'),
  url: z.string().describe('Address that gets the results'),
  former_secret_expires_at: timestamp
    .nullable()
    .describe('Until then webhooks are also signed with the previous secret; null when there is none'),
  created_at: timestamp.describe('When the integration was created'),
});
export type WebhookResource = z.infer<typeof webhookResource>;

/** What creating one and rotating its secret answer with. */
export const createdWebhook = webhookResource.extend({
  secret: z
    .string()
    .describe(
      'Verifies the signatures of webhooks (`whsec_…`). It is shown here and never again: store it now',
    ),
});
export type CreatedWebhook = z.infer<typeof createdWebhook>;

export const webhookList = z.object({
  webhooks: z.array(webhookResource).describe('The integrations of this page, newest first'),
  next_cursor: nextCursor,
});
export type WebhookList = z.infer<typeof webhookList>;

/** A notification on its way. The body is left out: it is what the call resource tells. */
export const deliveryResource = z.object({
  id: z.string().describe('Id of the delivery; webhooks carry it as `webhook-id`'),
  kind: z
    .enum(['callback', 'webhook'])
    .describe('`callback`: the result of a prompt call, sent once. `webhook`: signed, and repeated'),
  call_id: z.string().nullable().describe('The call it reports; null for a test'),
  webhook_id: z.string().nullable().describe('The webhook integration it goes to; null for a callback'),
  url: z.string().describe('The address it goes to'),
  status: z
    .enum(['pending', 'delivered', 'failed', 'unknown', 'canceled'])
    .describe(
      '`pending`: waiting, or on its way. `unknown`: a callback was begun, and the server stopped before the answer came. `canceled`: the call was erased before it arrived',
    ),
  attempt_count: z.int().describe('How many attempts have been made'),
  created_at: timestamp.describe('When it became due'),
});
export type DeliveryResource = z.infer<typeof deliveryResource>;

export const deliveryDetail = deliveryResource.extend({
  attempts: z
    .array(
      z.object({
        number: z.int().describe('Counts the attempts, from 1'),
        started_at: timestamp.describe('When the request was sent'),
        finished_at: timestamp
          .nullable()
          .describe(
            'When it was answered or failed; null while it is under way, and when the server stopped',
          ),
        status_code: z.int().nullable().describe('HTTP status of the answer; null when there was none'),
        error: z
          .string()
          .nullable()
          .describe('Short cause of a failure, such as `timeout`; null when there was an answer'),
      }),
    )
    .describe('Every attempt, in order'),
});
export type DeliveryDetail = z.infer<typeof deliveryDetail>;

export const deliveryListQuery = pageQuery.extend({
  call_id: resourceId.optional().describe('Only deliveries that report this call'),
});

export const deliveryList = z.object({
  deliveries: z.array(deliveryResource).describe('The deliveries of this page, newest first'),
  next_cursor: nextCursor,
});
export type DeliveryList = z.infer<typeof deliveryList>;
