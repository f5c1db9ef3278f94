import type { Mode } from '../kernel/mode.ts';

/**
 * A notification on its way.
 * - `callback`: at most one attempt on the wire. An attempt that was begun and never finished ends as `unknown`.
 * - `webhook`: repeated until it succeeds or its schedule is used up (`failed`).
 */
export interface Delivery {
  readonly id: string;
  readonly organizationId: string;
  readonly mode: Mode;
  readonly callId: string | null;
  readonly kind: 'callback' | 'webhook';
  /** `null` for callbacks. */
  readonly integrationId: string | null;
  readonly url: string;
  /** Bearer token of a callback, sealed; `null` when none was given, and for webhooks. */
  readonly sealedBearer: string | null;
  /** Exact bytes of every attempt; empty once the call is erased. */
  readonly body: string;
  /** `canceled`: the call was erased before it arrived. */
  readonly status: 'pending' | 'delivered' | 'failed' | 'unknown' | 'canceled';
  readonly attempts: number;
  readonly createdAt: Date;
}

export type NewDelivery = Omit<Delivery, 'status' | 'attempts' | 'createdAt'>;
