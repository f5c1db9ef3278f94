import {
  createdWebhook,
  createWebhookRequest,
  type DeliveryResource,
  deliveryDetail,
  deliveryList,
  deliveryListQuery,
  deliveryResource,
  pageQuery,
  updateWebhookRequest,
  type WebhookResource,
  webhookList,
  webhookResource,
} from '@callkite/contract';
import type { Delivery } from '../../calls/delivery.ts';
import { pageOf } from '../../kernel/page-query.ts';
import { routesOf } from '../../kernel/route.ts';
import type { WebhookIntegration } from './delivery-store.ts';
import type { Webhooks } from './webhooks.ts';

const { route } = routesOf<{ webhooks: Webhooks }>();

export const webhookRoutes = [
  route(
    {
      method: 'POST',
      path: '/webhooks',
      auth: 'key',
      tag: 'Webhooks',
      operationId: 'createWebhook',
      summary: 'Configure a webhook integration',
      description:
        'Put its id into `definition.metadata.webhooks` of the workflows whose results it shall receive.',
      body: createWebhookRequest,
      status: 201,
      answer: createdWebhook,
    },
    async ({ webhooks }, { caller, body }) => {
      const { integration, secret } = await webhooks.createIntegration(caller, body);
      return { ...toWebhook(integration), secret };
    },
  ),
  route(
    {
      method: 'GET',
      path: '/webhooks',
      auth: 'key',
      tag: 'Webhooks',
      operationId: 'listWebhooks',
      summary: 'List webhook integrations, newest first',
      query: pageQuery,
      status: 200,
      answer: webhookList,
    },
    async ({ webhooks }, { caller, query }) => {
      const page = await webhooks.listIntegrations(caller, pageOf(query));
      return { webhooks: page.items.map(toWebhook), next_cursor: page.nextCursor };
    },
  ),
  route(
    {
      method: 'PATCH',
      path: '/webhooks/{id}',
      auth: 'key',
      tag: 'Webhooks',
      operationId: 'updateWebhook',
      summary: 'Change a webhook integration',
      description:
        'Its id, its secret and the workflows that name it stay. What is on its way, and what you send again, goes to the new address.',
      body: updateWebhookRequest,
      status: 200,
      answer: webhookResource,
      refusals: ['not_found'],
    },
    async ({ webhooks }, { caller, parameters, body }) =>
      toWebhook(
        await webhooks.updateIntegration(caller, parameters.id, {
          ...(body.name !== undefined && { name: body.name }),
          ...(body.url !== undefined && { url: body.url }),
        }),
      ),
  ),
  route(
    {
      method: 'DELETE',
      path: '/webhooks/{id}',
      auth: 'key',
      tag: 'Webhooks',
      operationId: 'deleteWebhook',
      summary: 'Delete a webhook integration; what is on its way to it is given up',
      status: 204,
      refusals: ['not_found'],
    },
    ({ webhooks }, { caller, parameters }) => webhooks.deleteIntegration(caller, parameters.id),
  ),
  route(
    {
      method: 'POST',
      path: '/webhooks/{id}/rotate-secret',
      auth: 'key',
      tag: 'Webhooks',
      operationId: 'rotateWebhookSecret',
      summary: 'Change the signing secret of a webhook integration',
      description:
        'For 24 hours webhooks carry two signatures in `webhook-signature`, of the new secret and of the former one; then only the new one. Rotating again within that time ends the former secret at once.',
      status: 200,
      answer: createdWebhook,
      refusals: ['not_found'],
    },
    async ({ webhooks }, { caller, parameters }) => {
      const { integration, secret } = await webhooks.rotateSecret(caller, parameters.id);
      return { ...toWebhook(integration), secret };
    },
  ),
  route(
    {
      method: 'POST',
      path: '/webhooks/{id}/test',
      auth: 'key',
      tag: 'Webhooks',
      operationId: 'testWebhook',
      summary: 'Send a sample to a webhook integration',
      status: 202,
      answer: deliveryResource,
      refusals: ['not_found'],
    },
    async ({ webhooks }, { caller, parameters }) =>
      toDelivery(await webhooks.sendTest(caller, parameters.id)),
  ),
  route(
    {
      method: 'GET',
      path: '/webhooks/{id}/deliveries',
      auth: 'key',
      tag: 'Webhooks',
      operationId: 'listWebhookDeliveries',
      summary: 'What was sent to a webhook integration, newest first',
      query: deliveryListQuery,
      status: 200,
      answer: deliveryList,
      refusals: ['not_found'],
    },
    async ({ webhooks }, { caller, parameters, query }) => {
      const page = await webhooks.listDeliveries(
        caller,
        { integrationId: parameters.id, ...(query.call_id && { callId: query.call_id }) },
        pageOf(query),
      );
      return { deliveries: page.items.map(toDelivery), next_cursor: page.nextCursor };
    },
  ),
  route(
    {
      method: 'GET',
      path: '/deliveries',
      auth: 'key',
      tag: 'Webhooks',
      operationId: 'listDeliveries',
      summary: 'Callbacks and webhooks of the organization, newest first',
      query: deliveryListQuery,
      status: 200,
      answer: deliveryList,
    },
    async ({ webhooks }, { caller, query }) => {
      const page = await webhooks.listDeliveries(
        caller,
        query.call_id ? { callId: query.call_id } : {},
        pageOf(query),
      );
      return { deliveries: page.items.map(toDelivery), next_cursor: page.nextCursor };
    },
  ),
  route(
    {
      method: 'GET',
      path: '/deliveries/{id}',
      auth: 'key',
      tag: 'Webhooks',
      operationId: 'getDelivery',
      summary: 'A callback or webhook with its attempts',
      status: 200,
      answer: deliveryDetail,
      refusals: ['not_found'],
    },
    async ({ webhooks }, { caller, parameters }) => {
      const { delivery, attempts } = await webhooks.getDelivery(caller, parameters.id);
      return {
        ...toDelivery(delivery),
        attempts: attempts.map((attempt) => ({
          number: attempt.number,
          started_at: attempt.startedAt.toISOString(),
          finished_at: attempt.finishedAt?.toISOString() ?? null,
          status_code: attempt.statusCode,
          error: attempt.error,
        })),
      };
    },
  ),
  route(
    {
      method: 'POST',
      path: '/deliveries/{id}/resend',
      auth: 'key',
      tag: 'Webhooks',
      operationId: 'resendDelivery',
      summary: 'Send a webhook again, with the same id and bytes',
      status: 202,
      answer: deliveryResource,
      refusals: ['not_found', 'conflict'],
    },
    async ({ webhooks }, { caller, parameters }) => toDelivery(await webhooks.resend(caller, parameters.id)),
  ),
];

function toWebhook(integration: WebhookIntegration): WebhookResource {
  return {
    id: integration.id,
    name: integration.name,
    url: integration.url,
    former_secret_expires_at: integration.formerSecret?.expiresAt.toISOString() ?? null,
    created_at: integration.createdAt.toISOString(),
  };
}

function toDelivery(delivery: Delivery): DeliveryResource {
  return {
    id: delivery.id,
    kind: delivery.kind,
    call_id: delivery.callId,
    webhook_id: delivery.integrationId,
    url: delivery.url,
    status: delivery.status,
    attempt_count: delivery.attempts,
    created_at: delivery.createdAt.toISOString(),
  };
}
