import { randomBytes } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import { type WorkflowDefinition, workflowDefinition } from '@callkite/contract';
import {
  type CallkiteEvent,
  createId,
  type DeliveryStore,
  type Job,
  type Storage,
  silentLogger,
} from '@callkite/core';
import { createOutboundFetch } from '@callkite/core/node';
import { Webhook } from 'standardwebhooks';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createNotifier, type Notifier } from '../../packages/core/src/features/notifications/notifier.ts';
import { createWebhooks, type Webhooks } from '../../packages/core/src/features/notifications/webhooks.ts';
import { callbackSecretContext, createSecretBox } from '../../packages/core/src/kernel/secret-box.ts';
import { testStorage } from '../test-storage.ts';
import { type Receiver, startReceiver } from './receiver.ts';

const minute = 60_000;
const hour = 60 * minute;
const never = new AbortController().signal;
const secretBox = createSecretBox(randomBytes(32).toString('base64'));
const outbound = createOutboundFetch({ allowPrivate: true });

let storage: Storage;
let receiver: Receiver;
let organizationId: string;
let notifier: Notifier;
let webhooks: Webhooks;
let events: CallkiteEvent[];

beforeAll(async () => {
  storage = testStorage();
  await storage.start();
});

afterAll(() => storage.stop());

beforeEach(async () => {
  receiver = await startReceiver();
  events = [];
  organizationId = createId('org');
  await storage.organizations.create({ id: organizationId, name: 'Example', allowedCountries: ['US'] });
  notifier = notifierWith({});
  webhooks = createWebhooks({ storage, secretBox, outbound, onDeliveries: () => undefined });
});

/** A notifier whose store does as the test says in these. */
function notifierWith(changes: Partial<DeliveryStore>): Notifier {
  const emit = (event: CallkiteEvent) => void events.push(event);
  const deliveries = { ...storage.deliveries, ...changes };
  return createNotifier({ storage: { deliveries }, secretBox, outbound, logger: silentLogger, emit });
}

afterEach(async () => {
  receiver.close();
  for (const job of await claim()) await storage.jobs.complete(job);
});

const claim = (leaseMs = 10_000) =>
  storage.jobs.claim({ kind: 'deliver', limit: 100, leaseMs, perOrganization: 100 });

async function claimOne(leaseMs?: number): Promise<Job> {
  const [job, ...others] = await claim(leaseMs);
  expect(others).toEqual([]);
  if (!job) throw new Error('no job is due');
  return job;
}

/** Runs the one due job as the job runner would, except that what is to come later is due at once. */
async function run() {
  const job = await claimOne();
  const result = await notifier.deliver(job, never);
  if ('done' in result) await storage.jobs.complete(job);
  else await storage.jobs.reschedule(job, { delayMs: 0, resetTries: result.resetTries });
  return result;
}

async function queueTest() {
  const created = await webhooks.createIntegration(
    { organizationId, mode: 'live' },
    { name: 'hook', url: receiver.url },
  );
  const delivery = await webhooks.sendTest({ organizationId, mode: 'live' }, created.integration.id);
  return { ...created, delivery };
}

const statusOf = async (id: string) =>
  (await webhooks.getDelivery({ organizationId, mode: 'live' }, id)).delivery.status;

describe('a webhook', () => {
  it('arrives once, signed, and is logged', async () => {
    const { secret, delivery } = await queueTest();
    expect(await run()).toEqual({ done: true });
    expect(await claim()).toEqual([]);

    const [request, ...others] = receiver.requests;
    expect(others).toEqual([]);
    const headers = request?.headers as Record<string, string>;
    expect(headers).toMatchObject({ 'content-type': 'application/json', 'webhook-id': delivery.id });
    expect(headers.authorization).toBeUndefined();
    const payload = new Webhook(secret).verify(request?.body ?? '', headers);
    expect(payload).toMatchObject({ call_id: expect.stringMatching(/^test_/), call_status: 'success' });

    const log = await webhooks.getDelivery({ organizationId, mode: 'live' }, delivery.id);
    expect(log.delivery).toMatchObject({ status: 'delivered', attempts: 1, kind: 'webhook' });
    expect(log.attempts).toEqual([
      { number: 1, startedAt: expect.any(Date), finishedAt: expect.any(Date), statusCode: 204, error: null },
    ]);
    expect(events).toEqual([
      { type: 'delivery.attempted', deliveryId: delivery.id, kind: 'webhook', delivered: true },
    ]);
  });

  it('is repeated on the schedule with the same bytes and id, then fails', async () => {
    const { secret, delivery } = await queueTest();
    receiver.answer({ status: 500 });
    const waits = [];
    for (;;) {
      const result = await run();
      if ('done' in result) break;
      expect(result.resetTries).toBe(true);
      waits.push(result.againInMs);
      expect(await statusOf(delivery.id)).toBe('pending');
    }
    const planned = [5_000, 30_000, 5 * minute, 30 * minute, ...[2, 5, 10, 14, 20, 24].map((h) => h * hour)];
    expect(waits).toHaveLength(planned.length);
    for (const [index, plan] of planned.entries()) {
      expect(waits[index]).toBeGreaterThanOrEqual(plan * 0.8);
      expect(waits[index]).toBeLessThanOrEqual(plan * 1.2);
    }
    expect(await statusOf(delivery.id)).toBe('failed');
    expect(receiver.requests).toHaveLength(11);
    expect(new Set(receiver.requests.map(({ body }) => body)).size).toBe(1);
    expect(new Set(receiver.requests.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
    for (const { body, headers } of receiver.requests) {
      new Webhook(secret).verify(body, headers as Record<string, string>);
    }
  });

  it('waits as long as the receiver asks, up to an hour', async () => {
    await queueTest();
    receiver.answer(
      { status: 503, headers: { 'retry-after': '600' } },
      { status: 429, headers: { 'retry-after': '86400' } },
      { status: 200 },
    );
    expect(await run()).toMatchObject({ againInMs: 600_000 });
    expect(await run()).toMatchObject({ againInMs: hour });
    expect(await run()).toEqual({ done: true });
  });

  it.each([301, 400, 404, 500])('is tried again after a %i', async (status) => {
    await queueTest();
    receiver.answer({ status, headers: { location: '/elsewhere' } });
    expect(await run()).toHaveProperty('againInMs');
    expect(receiver.requests.map(({ path }) => path)).toEqual(['/hook']);
  });

  it('stops when the receiver says it is gone', async () => {
    const { delivery } = await queueTest();
    receiver.answer({ status: 410 });
    expect(await run()).toEqual({ done: true });
    expect(await statusOf(delivery.id)).toBe('failed');
  });

  it('is tried again when nobody answers, with the cause in the log', async () => {
    const { delivery } = await queueTest();
    receiver.close();
    expect(await run()).toHaveProperty('againInMs');
    const { attempts } = await webhooks.getDelivery({ organizationId, mode: 'live' }, delivery.id);
    expect(attempts).toMatchObject([{ statusCode: null, error: 'connection failed' }]);
  });

  it('is repeated, with the same bytes, when the process dies after sending', async () => {
    const { delivery } = await queueTest();
    receiver.answer('never', { status: 204 });
    const dying = new AbortController();
    const interrupted = notifier.deliver(await claimOne(1), dying.signal);
    await expect.poll(() => receiver.requests.length).toBe(1);
    dying.abort();
    await expect(interrupted).rejects.toThrow();

    expect(await statusOf(delivery.id)).toBe('pending');
    expect(await run()).toEqual({ done: true });
    expect(await statusOf(delivery.id)).toBe('delivered');
    const [first, second] = receiver.requests;
    expect(second?.body).toBe(first?.body);
    expect(second?.headers['webhook-id']).toBe(first?.headers['webhook-id']);
    const { attempts } = await webhooks.getDelivery({ organizationId, mode: 'live' }, delivery.id);
    expect(attempts.map(({ finishedAt }) => finishedAt === null).sort()).toEqual([false, true]);
  });

  it('is not sent when its integration was deleted meanwhile', async () => {
    const { integration, delivery } = await queueTest();
    await webhooks.deleteIntegration({ organizationId, mode: 'live' }, integration.id);
    for (const job of await claim()) expect(await notifier.deliver(job, never)).toEqual({ done: true });
    expect(receiver.requests).toEqual([]);
    expect(await statusOf(delivery.id)).toBe('failed');
  });

  it('fails, with nothing sent, when its integration was gone before it was stored', async () => {
    const { integration } = await webhooks.createIntegration(
      { organizationId, mode: 'live' },
      {
        name: 'hook',
        url: receiver.url,
      },
    );
    await webhooks.deleteIntegration({ organizationId, mode: 'live' }, integration.id);
    const { id } = await storage.deliveries.create({
      id: createId('dlv'),
      organizationId,
      mode: 'live',
      callId: null,
      kind: 'webhook',
      integrationId: integration.id,
      url: receiver.url,
      sealedBearer: null,
      body: '{}',
    });
    expect(await run()).toEqual({ done: true });
    expect(receiver.requests).toEqual([]);
    const { delivery, attempts } = await webhooks.getDelivery({ organizationId, mode: 'live' }, id);
    expect(delivery).toMatchObject({ status: 'failed', attempts: 1 });
    expect(attempts).toMatchObject([{ statusCode: null, error: 'the integration was deleted' }]);
    expect(attempts[0]?.finishedAt).toBeInstanceOf(Date);
  });

  it('does not use up an attempt while its integration cannot be read', async () => {
    const { delivery } = await queueTest();
    const failing = notifierWith({ getIntegration: () => Promise.reject(new Error('the store fails')) });
    await expect(failing.deliver(await claimOne(1), never)).rejects.toThrow('the store fails');
    expect((await webhooks.getDelivery({ organizationId, mode: 'live' }, delivery.id)).attempts).toEqual([]);
    await setTimeout(5);
    expect(await run()).toEqual({ done: true });
    expect(receiver.requests).toHaveLength(1);
  });

  it('ends as failed when its job is given up', async () => {
    const { delivery } = await queueTest();
    await notifier.giveUp(await claimOne());
    expect(await statusOf(delivery.id)).toBe('failed');
    expect(receiver.requests).toEqual([]);
  });

  it('can be sent again, with the same bytes and id, once it is over', async () => {
    const { delivery } = await queueTest();
    await expect(webhooks.resend({ organizationId, mode: 'live' }, delivery.id)).rejects.toMatchObject({
      code: 'conflict',
    });
    await run();
    expect(await webhooks.resend({ organizationId, mode: 'live' }, delivery.id)).toMatchObject({
      status: 'pending',
    });
    await run();
    expect(receiver.requests).toHaveLength(2);
    expect(receiver.requests[1]?.body).toBe(receiver.requests[0]?.body);
    expect(receiver.requests[1]?.headers['webhook-id']).toBe(delivery.id);
    expect(await statusOf(delivery.id)).toBe('delivered');
  });
});

describe('webhook integrations', () => {
  it('refuse addresses the guard refuses, naming the field', async () => {
    const outbound = createOutboundFetch({ lookup: () => Promise.resolve(['10.0.0.1']) });
    const guarded = createWebhooks({ storage, secretBox, outbound, onDeliveries: () => undefined });
    for (const url of ['http://example.com/', 'https://127.0.0.1/', 'https://hooks.example.com/']) {
      await expect(
        guarded.createIntegration({ organizationId, mode: 'live' }, { name: 'hook', url }),
      ).rejects.toMatchObject({
        code: 'validation_failed',
        details: { url: [expect.any(String)] },
      });
    }
    expect(
      (await guarded.listIntegrations({ organizationId, mode: 'live' }, { limit: 10, cursor: null })).items,
    ).toEqual([]);
  });

  it('keep their signing secret sealed', async () => {
    const { integration, secret } = await queueTest();
    const stored = await storage.deliveries.getIntegration({ organizationId, mode: 'live' }, integration.id);
    expect(JSON.stringify(stored)).not.toContain(secret);
    await run();
  });

  it('belong to their organization', async () => {
    const { integration, delivery } = await queueTest();
    await run();
    const other = createId('org');
    await storage.organizations.create({ id: other, name: 'Other', allowedCountries: ['US'] });
    const notFound = { code: 'not_found' };
    await expect(
      webhooks.getDelivery({ organizationId: other, mode: 'live' }, delivery.id),
    ).rejects.toMatchObject(notFound);
    await expect(webhooks.resend({ organizationId: other, mode: 'live' }, delivery.id)).rejects.toMatchObject(
      notFound,
    );
    await expect(
      webhooks.sendTest({ organizationId: other, mode: 'live' }, integration.id),
    ).rejects.toMatchObject(notFound);
    await expect(
      webhooks.deleteIntegration({ organizationId: other, mode: 'live' }, integration.id),
    ).rejects.toMatchObject(notFound);
    const page = { limit: 10, cursor: null };
    expect((await webhooks.listDeliveries({ organizationId: other, mode: 'live' }, {}, page)).items).toEqual(
      [],
    );
    expect((await webhooks.listDeliveries({ organizationId, mode: 'live' }, {}, page)).items).toHaveLength(1);
  });
});

describe('the callback of a prompt call', () => {
  /** A prompt call that was canceled before it was dialed, with its deliveries stored. */
  async function finishCall(options: { secret: string | null; webhookIds?: readonly string[] }) {
    const callId = createId('call');
    const definition = definitionWith(options.webhookIds ?? []);
    await connectNumber();
    const { secret } = options;
    const accepted = await storage.calls.accept({
      callId,
      organizationId,
      mode: 'live',
      to: '+12025550142',
      toKey: 'key',
      recipientName: null,
      recipientEmail: null,
      recipientContext: null,
      callbackUrl: receiver.url,
      sealedCallbackSecret: secret && secretBox.seal(secret, callbackSecretContext(callId)),
      dialInMs: 0,
      deadlineMs: minute,
      defaultDailyMinutes: null,
      idempotency: null,
      work: {
        origin: 'prompt',
        prompt: 'Ask about the parcel',
        workflowId: createId('wf'),
        workflowName: 'Ask about the parcel',
        fallbackDefinition: definition,
      },
    });
    expect(accepted.result).toBe('accepted');
    await storage.calls.cancel({ organizationId, mode: 'live' }, callId);
    const loaded = await storage.calls.load(callId);
    if (!loaded) throw new Error('the call is gone');
    const said = { role: 'user', content: 'Hello?', interrupted: false, at: new Date() } as const;
    const deliveries = await notifier.buildDeliveries(loaded.call, definition, [said], 'Canceled.', []);
    expect(await storage.calls.finishCall(callId, 'Canceled.', deliveries)).toBe(true);
    return { call: loaded.call, deliveries };
  }

  async function connectNumber(): Promise<void> {
    const connection = await storage.organizations.saveConnection({
      id: createId('con'),
      organizationId,
      mode: 'live',
      accountId: 'AC1',
      network: null,
      sealedSecret: 'sealed',
      accountName: 'Example',
      accountType: 'full',
      businessProfile: 'Profile Approved',
      callsPerSecond: 1,
      maximumConcurrentCalls: null,
    });
    await storage.organizations.connectNumber({
      id: createId('num'),
      organizationId,
      connectionId: connection.id,
      mode: 'live',
      phoneNumber: '+12025550100',
      providerNumberId: 'PN1',
    });
  }

  it('brings the result, with the bearer token that was given', async () => {
    const { call, deliveries } = await finishCall({ secret: 'correct horse' });
    expect(await run()).toEqual({ done: true });
    const [request] = receiver.requests;
    expect(request?.headers.authorization).toBe('Bearer correct horse');
    expect(request?.headers['webhook-signature']).toBeUndefined();
    expect(JSON.parse(request?.body ?? '')).toEqual({
      call_id: call.id,
      workflow_id: call.workflowId,
      call_status: 'not_picked_up',
      provider_status: 'canceled',
      call_summary: 'Canceled.',
      reason: 'canceled_by_request',
      messages: [{ role: 'user', content: 'Hello?' }],
      context: null,
      form_fills: [],
      created_at: call.createdAt.toISOString(),
    });
    expect(await statusOf(deliveries[0]?.id ?? '')).toBe('delivered');
  });

  it('has no Authorization header without a token', async () => {
    await finishCall({ secret: null });
    await run();
    expect(receiver.requests[0]?.headers).not.toHaveProperty('authorization');
  });

  it.each([301, 429, 500])('is not repeated after a %i', async (status) => {
    const { deliveries } = await finishCall({ secret: null });
    receiver.answer({ status, headers: { 'retry-after': '1', location: '/elsewhere' } });
    expect(await run()).toEqual({ done: true });
    expect(await claim()).toEqual([]);
    expect(receiver.requests).toHaveLength(1);
    const id = deliveries[0]?.id ?? '';
    expect(await statusOf(id)).toBe('failed');
    await expect(webhooks.resend({ organizationId, mode: 'live' }, id)).rejects.toMatchObject({
      code: 'conflict',
    });
  });

  it('is not repeated when the process dies after sending: its outcome is unknown', async () => {
    const { deliveries } = await finishCall({ secret: null });
    receiver.answer('never', { status: 204 });
    const dying = new AbortController();
    const interrupted = notifier.deliver(await claimOne(1), dying.signal);
    await expect.poll(() => receiver.requests.length).toBe(1);
    dying.abort();
    await expect(interrupted).rejects.toThrow();

    expect(await run()).toEqual({ done: true });
    expect(receiver.requests).toHaveLength(1);
    expect(await statusOf(deliveries[0]?.id ?? '')).toBe('unknown');
  });

  it('is sent when the process died before its attempt began', async () => {
    await finishCall({ secret: null });
    await claimOne(1);
    await setTimeout(5);
    expect(await run()).toEqual({ done: true });
    expect(receiver.requests).toHaveLength(1);
  });

  it.each(['callback', 'webhook'] as const)(
    'brings no words that were refused after it was read and before its attempt (%s)',
    async (kind) => {
      const { integration, secret } = await webhooks.createIntegration(
        { organizationId, mode: 'live' },
        {
          name: 'hook',
          url: receiver.url,
        },
      );
      const { call, deliveries } = await finishCall({ secret: null, webhookIds: [integration.id] });
      const delivery = deliveries.find((each) => each.kind === kind);
      const refusing = notifierWith({
        async beginAttempt(deliveryId) {
          await storage.recordings.forbid(call.id, { id: createId('rec'), consent: 'refused' });
          return storage.deliveries.beginAttempt(deliveryId);
        },
      });
      for (const job of await claim()) {
        if (job.subjectId === delivery?.id) await refusing.deliver(job, never);
        await storage.jobs.complete(job);
      }
      const [request, ...others] = receiver.requests;
      expect(others).toEqual([]);
      expect(JSON.parse(delivery?.body ?? '').messages).toHaveLength(1);
      expect(JSON.parse(request?.body ?? '')).toMatchObject({ call_id: call.id, messages: [] });
      if (kind === 'callback') return;
      new Webhook(secret).verify(request?.body ?? '', request?.headers as Record<string, string>);
    },
  );

  it('goes with a webhook to each integration the workflow names and that exists', async () => {
    const { integration } = await webhooks.createIntegration(
      { organizationId, mode: 'live' },
      {
        name: 'hook',
        url: receiver.url,
      },
    );
    const { call, deliveries } = await finishCall({
      secret: null,
      webhookIds: [integration.id, integration.id, 'whk_unknown'],
    });
    expect(deliveries.map(({ kind }) => kind)).toEqual(['callback', 'webhook']);
    expect(JSON.parse(deliveries[1]?.body ?? '')).toEqual({
      call_id: call.id,
      workflow_id: call.workflowId,
      workflow_name: 'Ask about the parcel',
      phone_number_from: '+12025550100',
      phone_number_to: '+12025550142',
      call_status: 'not_picked_up',
      call_summary: 'Canceled.',
      reason: 'canceled_by_request',
      messages: [{ role: 'user', content: 'Hello?' }],
      context: JSON.stringify({ name: null, email: null, number: '+12025550142', context: null }),
      created_at: call.createdAt.toISOString().slice(0, -1),
    });
  });
});

function definitionWith(webhookIds: readonly string[]): WorkflowDefinition {
  return workflowDefinition.parse({
    objective: 'Ask about the parcel',
    metadata: { webhooks: [...webhookIds] },
  });
}
