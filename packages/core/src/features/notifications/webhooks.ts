import { formatWebhook } from '@callkite/contract';
import type { Delivery } from '../../calls/delivery.ts';
import { CallkiteError } from '../../kernel/errors.ts';
import { createId } from '../../kernel/ids.ts';
import type { Scope } from '../../kernel/mode.ts';
import { checkAddressField } from '../../kernel/outbound/address-field.ts';
import type { OutboundFetch } from '../../kernel/outbound/outbound-fetch.ts';
import type { Page, PageRequest } from '../../kernel/page.ts';
import { type SecretBox, webhookSecretContext } from '../../kernel/secret-box.ts';
import type { DeliveryAttempt, DeliveryStore, WebhookIntegration } from './delivery-store.ts';
import { createSigningSecret } from './webhook-signature.ts';

export interface IntegrationWithSecret {
  readonly integration: WebhookIntegration;
  /** `whsec_…` */
  readonly secret: string;
}

/** Methods throw `not_found` for what the organization does not have in this mode. */
export interface Webhooks {
  /** Throws `validation_failed` for an address the guard refuses. The signing secret is returned here and never again. */
  createIntegration(scope: Scope, input: { name: string; url: string }): Promise<IntegrationWithSecret>;
  listIntegrations(scope: Scope, page: PageRequest): Promise<Page<WebhookIntegration>>;
  /** What is on its way goes to a new address too. Throws `validation_failed` for an address the guard refuses. */
  updateIntegration(
    scope: Scope,
    id: string,
    change: { name?: string; url?: string },
  ): Promise<WebhookIntegration>;
  /**
   * Signs with a new secret from now on, returned here and never again, and for 24 hours with the present one too. The one
   * before that ends at once.
   */
  rotateSecret(scope: Scope, id: string): Promise<IntegrationWithSecret>;
  deleteIntegration(scope: Scope, id: string): Promise<void>;
  /** Queues a sample webhook, marked as a test in its `call_id`. */
  sendTest(scope: Scope, integrationId: string): Promise<Delivery>;
  listDeliveries(
    scope: Scope,
    filter: { integrationId?: string; callId?: string },
    page: PageRequest,
  ): Promise<Page<Delivery>>;
  getDelivery(
    scope: Scope,
    deliveryId: string,
  ): Promise<{ readonly delivery: Delivery; readonly attempts: readonly DeliveryAttempt[] }>;
  /**
   * Same bytes, same id, to the present address of the integration. Throws `conflict` while it is pending, for callbacks, which are sent at most once, and when the
   * call it tells of is erased.
   */
  resend(scope: Scope, deliveryId: string): Promise<Delivery>;
}

export interface WebhooksDeps {
  storage: {
    readonly deliveries: DeliveryStore;
  };
  secretBox: SecretBox;
  outbound: Pick<OutboundFetch, 'checkResolved'>;
  /** There is something to deliver. */
  onDeliveries(): void;
}

/** Receivers have so long to change over to a new secret. */
const formerLifetimeMs = 24 * 3_600_000;

export function createWebhooks(deps: WebhooksDeps): Webhooks {
  const { secretBox, outbound, onDeliveries } = deps;
  const { deliveries } = deps.storage;

  function newSecret(integrationId: string): { secret: string; sealedSecret: string } {
    const secret = createSigningSecret();
    return { secret, sealedSecret: secretBox.seal(secret, webhookSecretContext(integrationId)) };
  }

  return {
    async createIntegration(scope, { name, url }) {
      await checkAddressField(outbound, 'url', url);
      const id = createId('whk');
      const { secret, sealedSecret } = newSecret(id);
      const integration = await deliveries.createIntegration(scope, { id, name, url, sealedSecret });
      return { integration, secret };
    },
    listIntegrations: (scope, page) => deliveries.listIntegrations(scope, page),
    async updateIntegration(scope, id, change) {
      if (change.url !== undefined) await checkAddressField(outbound, 'url', change.url);
      return (await deliveries.updateIntegration(scope, id, change)) ?? missing('Webhook');
    },
    async rotateSecret(scope, id) {
      const { secret, sealedSecret } = newSecret(id);
      const integration =
        (await deliveries.rotateSecret(scope, id, { sealedSecret, formerLifetimeMs })) ?? missing('Webhook');
      return { integration, secret };
    },
    async deleteIntegration(scope, id) {
      if (!(await deliveries.deleteIntegration(scope, id))) missing('Webhook');
    },

    async sendTest(scope, integrationId) {
      const integration = (await deliveries.getIntegration(scope, integrationId)) ?? missing('Webhook');
      const id = createId('dlv');
      const delivery = await deliveries.create({
        id,
        organizationId: scope.organizationId,
        mode: scope.mode,
        callId: null,
        kind: 'webhook',
        integrationId,
        url: integration.url,
        sealedBearer: null,
        body: JSON.stringify(sampleWebhook(id)),
      });
      onDeliveries();
      return delivery;
    },
    async listDeliveries(scope, filter, page) {
      const { integrationId } = filter;
      if (integrationId !== undefined && !(await deliveries.getIntegration(scope, integrationId))) {
        missing('Webhook');
      }
      return deliveries.list(scope, filter, page);
    },
    async getDelivery(scope, deliveryId) {
      const delivery = (await deliveries.get(scope, deliveryId)) ?? missing('Delivery');
      return { delivery, attempts: await deliveries.listAttempts(scope, deliveryId) };
    },
    async resend(scope, deliveryId) {
      const delivery = (await deliveries.resend(scope, deliveryId)) ?? missing('Delivery');
      onDeliveries();
      return delivery;
    },
  };
}

function sampleWebhook(deliveryId: string) {
  return formatWebhook({
    call: {
      id: `test_${deliveryId}`,
      workflowId: 'test',
      workflowName: 'Test of the webhook integration',
      from: '+12025550100',
      to: '+12025550101',
      recipientName: 'Sample Recipient',
      recipientEmail: 'recipient@example.com',
      recipientContext: null,
      createdAt: new Date(),
    },
    outcome: { callStatus: 'success', providerStatus: 'completed' },
    reason: null,
    summary: 'This is a test of your webhook integration. No call was made.',
    transcript: [
      { role: 'assistant', content: 'Hello, this is a test.' },
      { role: 'user', content: 'Received.' },
    ],
    formFills: null,
  });
}

function missing(what: string): never {
  throw new CallkiteError('not_found', `${what} not found`);
}
