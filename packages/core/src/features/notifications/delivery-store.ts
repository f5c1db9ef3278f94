import type { Delivery, NewDelivery } from '../../calls/delivery.ts';
import type { Mode, Scope } from '../../kernel/mode.ts';
import type { Page, PageRequest } from '../../kernel/page.ts';

export interface WebhookIntegration {
  readonly id: string;
  readonly organizationId: string;
  /** It receives results of calls of this mode only. */
  readonly mode: Mode;
  readonly name: string;
  readonly url: string;
  /** Signing secret (`whsec_…`), sealed. */
  readonly sealedSecret: string;
  /** The secret before that one, while it is still good; `null` afterwards, and when the secret was never changed. */
  readonly formerSecret: { readonly sealed: string; readonly expiresAt: Date } | null;
  readonly createdAt: Date;
}

export interface DeliveryAttempt {
  readonly number: number;
  readonly startedAt: Date;
  /** `null` while under way, or for ever when the process died. */
  readonly finishedAt: Date | null;
  readonly statusCode: number | null;
  /** Short cause such as `timeout` or `address refused`; never the answer's body. */
  readonly error: string | null;
}

export interface DeliveryStore {
  createIntegration(
    scope: Scope,
    integration: Omit<WebhookIntegration, keyof Scope | 'formerSecret' | 'createdAt'>,
  ): Promise<WebhookIntegration>;
  getIntegration(scope: Scope, id: string): Promise<WebhookIntegration | null>;
  listIntegrations(scope: Scope, page: PageRequest): Promise<Page<WebhookIntegration>>;
  /**
   * With the address, that of its pending deliveries changes. `null` when there is no such integration.
   */
  updateIntegration(
    scope: Scope,
    id: string,
    change: Partial<Pick<WebhookIntegration, 'name' | 'url'>>,
  ): Promise<WebhookIntegration | null>;
  /**
   * Puts a secret in place of the present one, which stays good for so long. The one before that is forgotten.
   * `null` when there is no such integration.
   */
  rotateSecret(
    scope: Scope,
    id: string,
    rotation: { readonly sealedSecret: string; readonly formerLifetimeMs: number },
  ): Promise<WebhookIntegration | null>;
  /** Pending deliveries to it end as `failed`. `false` when there is none. */
  deleteIntegration(scope: Scope, id: string): Promise<boolean>;

  /** Stores a delivery with its `deliver` job, due now. Used for test events; call results come with `finishCall`. */
  create(delivery: NewDelivery): Promise<Delivery>;
  /** Whoever owns it: for its `deliver` job. */
  load(deliveryId: string): Promise<Delivery | null>;
  get(scope: Scope, deliveryId: string): Promise<Delivery | null>;
  list(
    scope: Scope,
    filter: { readonly integrationId?: string; readonly callId?: string },
    page: PageRequest,
  ): Promise<Page<Delivery>>;
  listAttempts(scope: Scope, deliveryId: string): Promise<readonly DeliveryAttempt[]>;
  /**
   * Records that bytes are about to be sent, before any is. `null` when nothing may be sent: the delivery
   * is not pending, or it is a callback that already has an attempt (which this call then turns to `unknown`).
   * @returns also what is to be sent: a refusal to be recorded may have changed the body that was read before
   */
  beginAttempt(deliveryId: string): Promise<{ readonly number: number; readonly body: string } | null>;
  /** Records how attempt `number` ended, and where that leaves the delivery. */
  finishAttempt(
    deliveryId: string,
    number: number,
    result: {
      readonly statusCode: number | null;
      readonly error: string | null;
      readonly status: 'pending' | 'delivered' | 'failed';
    },
  ): Promise<void>;
  /** Makes a finished webhook delivery pending again, due now, with the same bytes and id, to the address of its integration. `null` when there is none; `conflict` for callbacks, while pending, and when its call is erased. */
  resend(scope: Scope, deliveryId: string): Promise<Delivery | null>;
}
