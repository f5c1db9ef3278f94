import assert from 'node:assert/strict';
import { workflowDefinition } from '@callkite/contract';
import type { CallRecord } from '../../calls/call-store.ts';
import type { NewDelivery } from '../../calls/delivery.ts';
import type { VisitRecord } from '../../channels/web/web-call-store.ts';
import { createId } from '../../kernel/ids.ts';
import type { Storage } from '../../storage.ts';
import {
  createTenant,
  definition,
  fictional,
  firstPage,
  idempotency,
  type StorageTest,
  type Tenant,
  transferOf,
} from './tenant.ts';

const blank = { name: 'Blank', definition: workflowDefinition.parse({ objective: 'Nothing.' }) };
const words = { role: 'user', content: 'I am Jordan Avery.', interrupted: false } as const;
const answer = { field: 'Name', value: 'Jordan Avery', confirmed: true, quote: 'I am Jordan Avery.' };
const use = { turn: 1, index: 0, name: 'find_order', input: '{"name":"Jordan Avery"}' };
const recipient = {
  recipientName: 'Jordan Avery',
  recipientEmail: 'jordan@example.com',
  recipientContext: 'Likes tea',
};

/** Erasing what was said on a call and who it was with. */
export function erasingContract(test: StorageTest): void {
  test('an erased call has no content left, and keeps what it is counted by', async (storage) => {
    const { tenant, callId, formId, before } = await talked(storage);
    assert.equal(await storage.calls.finishCall(callId, 'Jordan Avery will come.', []), true);
    const erased = await erase(storage, tenant, callId);
    assert.ok(erased.erasedAt instanceof Date);
    assert.deepEqual(erased, {
      ...before,
      to: 'erased',
      recipientName: null,
      recipientEmail: null,
      recipientContext: null,
      summary: '',
      erasedAt: erased.erasedAt,
    });
    assert.deepEqual(await tenant.call(callId), erased);
    assert.deepEqual(await storage.calls.transcript(callId), []);
    const [form] = await storage.forms.ofCall(callId);
    assert.deepEqual([form?.id, form?.answers], [formId, []]);
    const [used] = await storage.toolCalls.ofCall(callId);
    assert.deepEqual(
      [used?.name, used?.input, used?.status, used?.result],
      ['find_order', '', 'running', null],
    );
    const [transfer] = await storage.transfers.ofCall(callId);
    assert.deepEqual([transfer?.reason, transfer?.summary, transfer?.message], ['', '', null]);
    assert.deepEqual(
      transfer?.legs.map(({ to }) => to),
      ['erased'],
    );
    const found = await storage.calls.list(tenant, { to: before.to }, firstPage);
    assert.deepEqual(found.items, []);
    assert.equal((await storage.calls.load(callId))?.definition.objective, definition.objective);
  });

  test('a call is erased once it is over, by its organization, and once', async (storage) => {
    const tenant = await createTenant(storage);
    const stranger = await createTenant(storage);
    const { callId, attemptId, providerCallId } = await tenant.placed(recipient);
    await assert.rejects(erase(storage, tenant, callId), { code: 'conflict' });
    assert.equal((await tenant.call(callId)).recipientName, 'Jordan Avery');
    await end(storage, attemptId, providerCallId);
    assert.equal(await storage.calls.erase(stranger, callId, blank), null);
    assert.equal(await storage.calls.erase(tenant, createId('call'), blank), null);
    assert.equal((await tenant.call(callId)).recipientName, 'Jordan Avery');
    const [first, second] = await Promise.all([
      erase(storage, tenant, callId),
      erase(storage, tenant, callId),
    ]);
    assert.deepEqual(first, second);
    assert.deepEqual(await erase(storage, tenant, callId), first);
    assert.equal((await tenant.call(callId)).state, 'completed');
  });

  test('of an idempotency key its hash is left, by which repeated requests still find their answer', async (storage) => {
    const tenant = await createTenant(storage);
    const claim = idempotency('Jordan Avery', '{}');
    const used = { ...claim, organizationId: tenant.organizationId };
    const erasedCall = async (lifetimeMs: number) => {
      const placed = await tenant.placed({ idempotency: { ...claim, lifetimeMs } });
      await end(storage, placed.attemptId, placed.providerCallId);
      await erase(storage, tenant, placed.callId);
      return placed.callId;
    };
    // The second time, the hash of the first is still there.
    await erasedCall(1);
    const callId = await erasedCall(claim.lifetimeMs);
    const replayed = { ...claim.answer, callId, fingerprintMatches: true };
    assert.deepEqual(await storage.calls.findAnswer(used), replayed);
    assert.deepEqual(await storage.calls.accept(tenant.input({ idempotency: claim })), {
      result: 'replayed',
      answer: replayed,
    });
    assert.deepEqual(await storage.calls.findAnswer({ ...used, key: 'another' }), replayed);
    assert.equal(await storage.calls.findAnswer({ ...used, keyHash: 'hash of another' }), null);
  });

  test('nothing that comes late brings content back', async (storage) => {
    const { tenant, callId, formId, transferId } = await talked(storage);
    await erase(storage, tenant, callId);
    const erased = await tenant.call(callId);
    const missing = { code: 'not_found' };
    await assert.rejects(storage.calls.appendTranscript(callId, words), missing);
    await assert.rejects(storage.forms.storeAnswer(callId, formId, answer), missing);
    await assert.rejects(storage.toolCalls.begin(callId, { ...use, turn: 2 }), missing);
    await storage.toolCalls.finish(callId, use, { status: 'ok', result: 'Jordan Avery' });
    assert.equal((await storage.toolCalls.ofCall(callId))[0]?.result, null);
    assert.equal(await storage.transfers.storeMessage(callId, transferId, 'Call Jordan back'), false);
    await storage.calls.setVoicemailMessage(callId, 'Hello Jordan');
    await storage.webCalls.addContext(callId, 'Jordan');
    const late = delivery(tenant, callId);
    assert.equal(await storage.calls.finishCall(callId, 'Jordan will come.', [late]), false);
    assert.equal(await storage.deliveries.load(late.id), null);
    assert.deepEqual(await tenant.call(callId), erased);
    assert.deepEqual(await storage.calls.transcript(callId), []);
    assert.deepEqual((await storage.forms.ofCall(callId))[0]?.answers, []);
  });

  test('what is stored while a call is being erased is erased too, or refused', async (storage) => {
    for (let round = 0; round < 5; round += 1) {
      const { tenant, callId, formId } = await talked(storage);
      await Promise.allSettled([
        ...Array.from({ length: 3 }, () => storage.calls.appendTranscript(callId, words)),
        ...Array.from({ length: 3 }, () => storage.forms.storeAnswer(callId, formId, answer)),
        storage.toolCalls.finish(callId, use, { status: 'ok', result: 'Jordan Avery' }),
        erase(storage, tenant, callId),
        ...Array.from({ length: 3 }, () => storage.forms.storeAnswer(callId, formId, answer)),
        storage.calls.finishCall(callId, 'Jordan will come.', [delivery(tenant, callId)]),
      ]);
      assert.equal((await tenant.call(callId)).summary, '');
      assert.deepEqual(await storage.calls.transcript(callId), []);
      assert.deepEqual((await storage.forms.ofCall(callId))[0]?.answers, []);
      assert.equal((await storage.toolCalls.ofCall(callId))[0]?.result, null);
      const { items } = await storage.deliveries.list(tenant, { callId }, firstPage);
      assert.ok(items.every(({ status, body }) => status === 'canceled' && body === ''));
    }
  });

  test('of an erased call pending deliveries are canceled, and nothing is sent again', async (storage) => {
    const { tenant, callId } = await talked(storage);
    const { deliveries } = storage;
    const waiting = delivery(tenant, callId);
    const arrived = delivery(tenant, callId);
    const underWay = delivery(tenant, callId);
    const callback = {
      ...delivery(tenant, callId),
      kind: 'callback',
      url: 'https://example.com/results?who=jordan',
      sealedBearer: 'sealed',
    } as const;
    await storage.calls.finishCall(callId, 'Jordan will come.', [waiting, arrived, underWay, callback]);
    for (const { id } of [arrived, underWay, callback]) await deliveries.beginAttempt(id);
    const delivered = { statusCode: 200, error: null, status: 'delivered' } as const;
    await deliveries.finishAttempt(arrived.id, 1, delivered);
    await erase(storage, tenant, callId);

    const statusOf = async ({ id }: NewDelivery) => (await deliveries.load(id))?.status;
    const statuses = () => Promise.all([waiting, arrived, underWay, callback].map(statusOf));
    assert.deepEqual(await statuses(), ['canceled', 'delivered', 'canceled', 'unknown']);
    for (const { id } of [waiting, arrived, underWay, callback]) {
      assert.equal((await deliveries.load(id))?.body, '');
    }
    const sent = await deliveries.load(callback.id);
    assert.deepEqual([sent?.url, sent?.sealedBearer], ['https://example.com', null]);
    assert.equal((await deliveries.load(waiting.id))?.url, waiting.url);
    assert.deepEqual(await tenant.jobs('deliver'), []);
    assert.equal(await deliveries.beginAttempt(waiting.id), null);
    for (const { id } of [waiting, arrived, callback]) {
      await assert.rejects(deliveries.resend(tenant, id), {
        code: 'conflict',
        message: /erased/,
      });
    }
    await deliveries.finishAttempt(underWay.id, 1, { statusCode: 500, error: null, status: 'pending' });
    assert.equal(await statusOf(underWay), 'canceled');
    await deliveries.finishAttempt(callback.id, 1, delivered);
    assert.equal(await statusOf(callback), 'delivered');
  });

  test('a delivery that got through while its call was being erased is known as delivered', async (storage) => {
    const { tenant, callId } = await talked(storage);
    const underWay = delivery(tenant, callId);
    await storage.calls.finishCall(callId, 'Jordan will come.', [underWay]);
    await storage.deliveries.beginAttempt(underWay.id);
    await erase(storage, tenant, callId);
    const result = { statusCode: 200, error: null, status: 'delivered' } as const;
    await storage.deliveries.finishAttempt(underWay.id, 1, result);
    assert.equal((await storage.deliveries.load(underWay.id))?.status, 'delivered');
  });

  test('the recording of an erased call is left to a job, and is never to be had again', async (storage) => {
    const tenant = await createTenant(storage);
    const { callId, attemptId, providerCallId } = await tenant.placed();
    await storage.recordings.want(callId, { id: createId('rec'), lookInMs: 60_000 });
    await end(storage, attemptId, providerCallId);
    assert.deepEqual(await tenant.jobs('follow_recording'), [], 'not before its time');
    await erase(storage, tenant, callId);
    const of = async () => (await storage.recordings.ofCalls([callId]))[0];
    assert.equal((await of())?.consent, 'withdrawn');
    const [job] = await tenant.jobs('follow_recording');
    assert.equal(job?.subjectId, callId);
    await storage.recordings.report(callId, {
      providerRecordingId: 'RE1',
      status: 'completed',
      durationSeconds: 12,
      retentionDays: 30,
    });
    assert.equal((await of())?.consent, 'withdrawn');
    await storage.recordings.noteDeleted(callId);
    assert.deepEqual([(await of())?.status, (await of())?.providerRecordingId], ['deleted', null]);

    const unrecorded = await tenant.placed();
    await end(storage, unrecorded.attemptId, unrecorded.providerCallId);
    await erase(storage, tenant, unrecorded.callId);
    assert.deepEqual(await storage.recordings.ofCalls([unrecorded.callId]), []);
    const lookInMs = 0;
    assert.equal(await storage.recordings.want(unrecorded.callId, { id: createId('rec'), lookInMs }), false);
    assert.ok(
      (await tenant.jobs('follow_recording')).some(({ subjectId }) => subjectId === unrecorded.callId),
    );
  });

  test('the workflow of an erased prompt call goes with the last call that runs it', async (storage) => {
    const tenant = await createTenant(storage);
    const input = tenant.promptInput();
    const { workflowId } = input.work;
    await storage.calls.accept(input);
    await storage.calls.setGeneratedWorkflow(input.callId, {
      name: 'Call Jordan',
      definition: workflowDefinition.parse({ objective: 'Ask Jordan.' }),
    });
    const again = await tenant.accept({ work: { origin: 'workflow', workflowId } });
    for (const callId of [input.callId, again]) await storage.calls.cancel(tenant, callId);

    const first = await erase(storage, tenant, input.callId);
    assert.deepEqual([first.prompt, first.workflowName], [null, blank.name]);
    assert.equal((await storage.workflows.get(tenant, workflowId))?.name, 'Call Jordan');
    assert.equal((await tenant.call(again)).workflowName, 'Call Jordan');

    await erase(storage, tenant, again);
    assert.equal(await storage.workflows.get(tenant, workflowId), null);
    for (const version of [1, 2]) {
      const left = await storage.workflows.getVersion(tenant, workflowId, version);
      assert.deepEqual([left?.name, left?.definition], [blank.name, blank.definition]);
    }
    assert.equal((await tenant.call(again)).workflowName, blank.name);
    assert.deepEqual((await storage.calls.load(input.callId))?.definition, blank.definition);
  });

  test('of the visitor of an erased web call only the visit is known', async (storage) => {
    const tenant = await createTenant(storage);
    const { organizationId, workflowId } = tenant;
    const { webCalls } = storage;
    const key = await webCalls.createKey({
      id: createId('pub'),
      organizationId,
      mode: 'live',
      name: 'Website',
      key: createId('pub'),
      allowedOrigins: ['https://example.com'],
      workflowIds: [workflowId],
      dailyCalls: 10,
      callbackCountries: [],
    });
    const visit: Omit<VisitRecord, 'createdAt'> = {
      callId: createId('call'),
      organizationId,
      keyId: key.id,
      kind: 'call',
      workflowId,
      origin: 'https://example.com',
      remoteAddress: '192.0.2.7',
      page: 'https://example.com/jordan',
      name: 'Jordan Avery',
      email: 'jordan@example.com',
      context: 'plan: gold',
      user: { id: 'jordan', verified: true },
      consent: { text: 'I, Jordan, agree.', version: '1', time: '2026-11-21T05:00:00Z' },
    };
    await webCalls.addVisit(visit, { hash: visit.callId, lifetimeMs: 60_000 });
    const begun = await webCalls.begin(visit.callId, { media: 'text', aliveMs: 60_000 });
    assert.ok(begun.result === 'begun');
    await webCalls.end(visit.callId, begun.epoch, null);
    const erased = await erase(storage, tenant, visit.callId);
    assert.deepEqual([erased.to, erased.recipientName, erased.recipientContext], ['browser', null, null]);
    const left = await webCalls.visitOf(visit.callId);
    assert.ok(left !== null);
    const { createdAt: _, ...rest } = left;
    assert.deepEqual(rest, {
      ...visit,
      remoteAddress: null,
      page: null,
      name: null,
      email: null,
      context: null,
      user: null,
      consent: null,
    });
  });
}

/** A call with something of everything, that is over and not yet finished. */
async function talked(storage: Storage) {
  const tenant = await createTenant(storage);
  const { workflowId } = tenant;
  const formId = createId('form');
  await storage.forms.create(tenant, {
    id: formId,
    title: 'Contact',
    fields: [{ name: 'Name', type: 'text', required: true }],
  });
  await storage.workflows.update(tenant, workflowId, {
    definition: { ...definition, forms: [formId] },
  });
  const { callId, attemptId, providerCallId } = await tenant.placed(recipient);
  await storage.calls.report(attemptId, {
    providerCallId,
    status: 'in-progress',
    answeredBy: null,
    durationSeconds: null,
  });
  await storage.calls.appendTranscript(callId, words);
  await storage.forms.storeAnswer(callId, formId, answer);
  assert.equal(await storage.toolCalls.begin(callId, use), null);
  const transfer = transferOf(callId, [fictional(60)]);
  const { id: transferId } = transfer;
  assert.equal(
    await storage.transfers.request({
      ...transfer,
      reason: 'Jordan wants a person',
      summary: 'It is about the invoice of Jordan.',
    }),
    true,
  );
  assert.equal(await storage.transfers.storeMessage(callId, transferId, 'Call Jordan back'), true);
  await end(storage, attemptId, providerCallId);
  return { tenant, callId, formId, transferId, before: await tenant.call(callId) };
}

async function end(storage: Storage, attemptId: string, providerCallId: string): Promise<void> {
  const report = { providerCallId, status: 'completed', answeredBy: null, durationSeconds: 12 } as const;
  await storage.calls.report(attemptId, report);
}

async function erase(storage: Storage, tenant: Tenant, callId: string): Promise<CallRecord> {
  const erased = await storage.calls.erase(tenant, callId, blank);
  assert.ok(erased !== null);
  return erased;
}

function delivery({ organizationId }: Tenant, callId: string): NewDelivery {
  return {
    id: createId('dlv'),
    organizationId,
    mode: 'live',
    callId,
    kind: 'webhook',
    integrationId: 'whk_1',
    url: 'https://example.com/hook',
    sealedBearer: null,
    body: '{"call_summary":"Jordan will come."}',
  };
}
