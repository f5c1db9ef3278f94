import { formatCallback, formatWebhook, type WorkflowDefinition } from '@callkite/contract';
import type { CallRecord, TranscriptEntry } from '../../calls/call-store.ts';
import type { Delivery, NewDelivery } from '../../calls/delivery.ts';
import type { EmitEvent } from '../../kernel/events.ts';
import { createId } from '../../kernel/ids.ts';
import type { Job } from '../../kernel/jobs/job-store.ts';
import type { Logger } from '../../kernel/logger.ts';
import type { OutboundAnswer, OutboundFetch } from '../../kernel/outbound/outbound-fetch.ts';
import { callbackSecretContext, type SecretBox, webhookSecretContext } from '../../kernel/secret-box.ts';
import { formFillsOf } from '../forms/form-fills.ts';
import type { CallForm } from '../forms/form-store.ts';
import type { DeliveryStore } from './delivery-store.ts';
import { signatureHeaders } from './webhook-signature.ts';

export interface NotifierDeps {
  storage: {
    readonly deliveries: DeliveryStore;
  };
  secretBox: SecretBox;
  outbound: Pick<OutboundFetch, 'post'>;
  logger: Logger;
  emit: EmitEvent;
}

/** Tells customers what came of their calls. */
export interface Notifier {
  /**
   * Everything to be sent about a completed call, of test mode too: the callback of a prompt call, and a webhook to
   * each integration of the call's mode that the workflow names and that still exists. Store them with `finishCall`.
   */
  buildDeliveries(
    call: CallRecord,
    definition: WorkflowDefinition,
    transcript: readonly TranscriptEntry[],
    summary: string,
    forms: readonly CallForm[],
  ): Promise<readonly NewDelivery[]>;
  /**
   * Runs a `deliver` job: makes one attempt, recorded before a byte is sent. An attempt that was interrupted is
   * repeated for a webhook, and for a callback never. Where the integration is gone, the attempt fails with nothing sent.
   * Rejects when the signal aborts, leaving the attempt open.
   */
  deliver(
    job: Job,
    signal: AbortSignal,
  ): Promise<{ readonly done: true } | { readonly againInMs: number; readonly resetTries: true }>;
  /** Ends the delivery of a job that can only fail. */
  giveUp(job: Job): Promise<void>;
}

const seconds = 1_000;
const minutes = 60 * seconds;
const hours = 60 * minutes;

/** Waits between the attempts of a webhook, each give or take a fifth; about 76 hours in all. */
const webhookScheduleMs: readonly number[] = [
  5 * seconds,
  30 * seconds,
  5 * minutes,
  30 * minutes,
  2 * hours,
  5 * hours,
  10 * hours,
  14 * hours,
  20 * hours,
  24 * hours,
];
const jitter = 0.2;
/** A receiver may ask for a longer wait than ours, up to this. */
const longestRetryAfterMs = hours;
const gone = 410;

export function createNotifier(deps: NotifierDeps): Notifier {
  const { secretBox, outbound, logger, emit } = deps;
  const { deliveries } = deps.storage;

  /** What makes the headers for a body; `null` when the integration is gone. */
  async function openHeaders(delivery: Delivery): Promise<((body: string) => Record<string, string>) | null> {
    const common = { 'content-type': 'application/json', 'user-agent': 'Callkite' };
    if (delivery.kind === 'callback') {
      if (delivery.sealedBearer === null) return () => common;
      const bearer = secretBox.open(delivery.sealedBearer, callbackSecretContext(delivery.callId ?? ''));
      return () => ({ ...common, authorization: `Bearer ${bearer}` });
    }
    const { integrationId } = delivery;
    const integration = integrationId && (await deliveries.getIntegration(delivery, integrationId));
    if (!integration) return null;
    const { sealedSecret, formerSecret } = integration;
    const secrets = [sealedSecret, ...(formerSecret ? [formerSecret.sealed] : [])].map((sealed) =>
      secretBox.open(sealed, webhookSecretContext(integration.id)),
    );
    return (body) => ({ ...common, ...signatureHeaders(secrets, delivery.id, body, new Date()) });
  }

  /** Ends a delivery that can only fail. */
  async function fail(deliveryId: string, error: string): Promise<void> {
    const attempt = await deliveries.beginAttempt(deliveryId);
    if (!attempt) return;
    const failed = { statusCode: null, error, status: 'failed' } as const;
    await deliveries.finishAttempt(deliveryId, attempt.number, failed);
  }

  /** Wait before the next attempt; `null` when this was the last. */
  function nextAttemptInMs(delivery: Delivery, number: number, answer: OutboundAnswer): number | null {
    const planned = webhookScheduleMs[number - 1];
    if (delivery.kind === 'callback' || answer.status === gone || planned === undefined) return null;
    const varied = planned * (1 + jitter * (2 * Math.random() - 1));
    const asked = Math.min((answer.retryAfterSeconds ?? 0) * seconds, longestRetryAfterMs);
    return Math.round(Math.max(varied, asked));
  }

  return {
    async buildDeliveries(call, definition, transcript, summary, forms) {
      if (!call.outcome) throw new Error('only a completed call can be told about');
      const formFills = definition.forms.length === 0 ? null : formFillsOf(forms);
      const result = { call, outcome: call.outcome, reason: call.reason, summary, transcript, formFills };
      const common = { organizationId: call.organizationId, mode: call.mode, callId: call.id };
      const built: NewDelivery[] = [];
      if (call.origin === 'prompt' && call.callbackUrl !== null) {
        built.push({
          ...common,
          id: createId('dlv'),
          kind: 'callback',
          integrationId: null,
          url: call.callbackUrl,
          sealedBearer: call.sealedCallbackSecret,
          body: JSON.stringify(formatCallback(result)),
        });
      }
      const named = new Set(definition.metadata.webhooks ?? []);
      for (const integrationId of named) {
        const integration = await deliveries.getIntegration(call, integrationId);
        if (!integration) continue;
        built.push({
          ...common,
          id: createId('dlv'),
          kind: 'webhook',
          integrationId,
          url: integration.url,
          sealedBearer: null,
          body: JSON.stringify(formatWebhook(result)),
        });
      }
      return built;
    },

    async deliver(job, signal) {
      const delivery = await deliveries.load(job.subjectId);
      if (delivery?.status !== 'pending') return { done: true };
      // Before the attempt begins: what fails here does not count as one.
      const headersFor = await openHeaders(delivery);
      if (!headersFor) {
        await fail(delivery.id, 'the integration was deleted');
        return { done: true };
      }
      const attempt = await deliveries.beginAttempt(delivery.id);
      if (!attempt) {
        if ((await deliveries.load(delivery.id))?.status === 'unknown') {
          logger.warn(
            { deliveryId: delivery.id, callId: delivery.callId },
            'callback attempt interrupted; whether it arrived is unknown',
          );
        }
        return { done: true };
      }

      const { number, body } = attempt;
      const answer = await outbound.post({ url: delivery.url, headers: headersFor(body), body, signal });
      // An answer that came is worth recording even when the job was taken away meanwhile.
      if (answer.status === null) signal.throwIfAborted();
      const delivered = answer.status !== null && answer.status >= 200 && answer.status < 300;
      const againInMs = delivered ? null : nextAttemptInMs(delivery, number, answer);
      await deliveries.finishAttempt(delivery.id, number, {
        statusCode: answer.status,
        error: answer.error,
        status: delivered ? 'delivered' : againInMs === null ? 'failed' : 'pending',
      });
      emit({ type: 'delivery.attempted', deliveryId: delivery.id, kind: delivery.kind, delivered });
      if (!delivered && againInMs === null) {
        const { id: deliveryId, kind, callId } = delivery;
        logger.warn({ deliveryId, kind, callId, status: answer.status }, 'notification not delivered');
      }
      return againInMs === null ? { done: true } : { againInMs, resetTries: true };
    },

    giveUp: (job) => fail(job.subjectId, 'internal error'),
  };
}
