import type { Delivery, DeliveryAttempt, WebhookIntegration } from '../ports/delivery-store.ts';
import type { Page, PageRequest } from '../ports/storage.ts';

/** Methods throw `not_found` for what the organization does not have. */
export interface Webhooks {
  /** Throws `validation_failed` for an address the guard refuses. The signing secret is returned here and never again. */
  createIntegration(
    organizationId: string,
    input: { name: string; url: string },
  ): Promise<{ readonly integration: WebhookIntegration; readonly secret: string }>;
  listIntegrations(organizationId: string, page: PageRequest): Promise<Page<WebhookIntegration>>;
  deleteIntegration(organizationId: string, id: string): Promise<void>;
  /** Queues a sample webhook, marked as a test in its `call_id`. */
  sendTest(organizationId: string, integrationId: string): Promise<Delivery>;
  listDeliveries(
    organizationId: string,
    filter: { integrationId?: string; callId?: string },
    page: PageRequest,
  ): Promise<Page<Delivery>>;
  getDelivery(
    organizationId: string,
    deliveryId: string,
  ): Promise<{ readonly delivery: Delivery; readonly attempts: readonly DeliveryAttempt[] }>;
  /** Same bytes, same id. Throws `conflict` while it is pending, and for callbacks, which are sent at most once. */
  resend(organizationId: string, deliveryId: string): Promise<Delivery>;
}
