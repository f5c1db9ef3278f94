import assert from 'node:assert/strict';
import type { PublishableKey, VisitRecord } from '../../channels/web/web-call-store.ts';
import { createId } from '../../kernel/ids.ts';
import type { Storage } from '../../storage.ts';
import { createTenant, definition, firstPage, type StorageTest, sleep, type Tenant } from './tenant.ts';

const aliveMs = 60_000;

async function createKey(
  storage: Storage,
  tenant: Tenant,
  changes: Partial<PublishableKey> = {},
): Promise<PublishableKey> {
  return storage.webCalls.createKey({
    id: createId('pub'),
    organizationId: tenant.organizationId,
    mode: 'live',
    name: 'Website',
    key: createId('pub'),
    allowedOrigins: ['https://www.example.com'],
    workflowIds: [tenant.workflowId],
    dailyCalls: 10,
    callbackCountries: ['US'],
    ...changes,
  });
}

function newVisit(
  key: PublishableKey,
  workflowId: string,
  changes: Partial<VisitRecord> = {},
): Omit<VisitRecord, 'createdAt'> {
  return {
    callId: createId('call'),
    organizationId: key.organizationId,
    keyId: key.id,
    kind: 'call',
    workflowId,
    origin: 'https://www.example.com',
    remoteAddress: '192.0.2.1',
    page: 'https://www.example.com/prices',
    name: 'Jamie Doe',
    email: null,
    context: 'plan: gold',
    user: { id: 'user-1', verified: true },
    consent: { text: 'I agree.', version: '1', time: '2026-11-21T05:00:00Z' },
    ...changes,
  };
}

/** A visit of a web call with its token, which is its call's id. */
async function admit(
  storage: Storage,
  tenant: Tenant,
  options: { key?: PublishableKey; lifetimeMs?: number; workflowId?: string } = {},
): Promise<string> {
  const key = options.key ?? (await createKey(storage, tenant));
  const visit = newVisit(key, options.workflowId ?? tenant.workflowId);
  const token = { hash: visit.callId, lifetimeMs: options.lifetimeMs ?? 60_000 };
  assert.equal((await storage.webCalls.addVisit(visit, token)).admitted, true);
  return visit.callId;
}

async function began(storage: Storage, tenant: Tenant, alive = aliveMs): Promise<string> {
  const callId = await admit(storage, tenant);
  const begun = await storage.webCalls.begin(callId, { media: 'text', aliveMs: alive });
  assert.equal(begun.result, 'begun');
  return callId;
}

/** Web calls: their keys, who may begin one, who owns it, and how it ends. */
export function webCallsContract(test: StorageTest): void {
  test('publishable keys are found, changed and revoked by their organization', async (storage) => {
    const tenant = await createTenant(storage);
    const stranger = await createTenant(storage);
    const { webCalls } = storage;
    const key = await createKey(storage, tenant);
    assert.deepEqual(await webCalls.findKey(key.key), key);
    assert.equal(await webCalls.findKey('nobody'), null);
    assert.deepEqual((await webCalls.listKeys(tenant.organizationId, firstPage)).items, [key]);
    assert.deepEqual((await webCalls.listKeys(stranger.organizationId, firstPage)).items, []);
    assert.equal(await webCalls.updateKey(stranger.organizationId, key.id, { name: 'x' }), null);
    const changed = await webCalls.updateKey(tenant.organizationId, key.id, {
      allowedOrigins: ['https://*.example.org'],
      dailyCalls: 3,
    });
    assert.deepEqual(changed, { ...key, allowedOrigins: ['https://*.example.org'], dailyCalls: 3 });
    assert.deepEqual(await webCalls.updateKey(tenant.organizationId, key.id, {}), changed);
    assert.equal(await webCalls.revokeKey(stranger.organizationId, key.id), null);
    const revoked = await webCalls.revokeKey(tenant.organizationId, key.id);
    assert.ok(revoked?.revokedAt);
    assert.deepEqual(await webCalls.revokeKey(tenant.organizationId, key.id), revoked);
    assert.deepEqual(await webCalls.findKey(key.key), revoked);
  });

  test('a web call begins with its token, once, as an answered call of nobody’s line', async (storage) => {
    const tenant = await createTenant(storage);
    const { webCalls } = storage;
    const callId = await admit(storage, tenant);
    assert.equal(await storage.calls.get(tenant, callId), null);
    const admission = await webCalls.admissionOf(callId);
    assert.equal(admission?.state, 'new');
    assert.deepEqual(await webCalls.visitOf(callId), admission.visit);
    assert.deepEqual(admission.visit.consent, {
      text: 'I agree.',
      version: '1',
      time: '2026-11-21T05:00:00Z',
    });
    const results = await Promise.all(
      Array.from({ length: 5 }, () => webCalls.begin(callId, { media: 'audio', aliveMs })),
    );
    assert.deepEqual(
      results.map(({ result }) => result).sort(),
      ['begun', ...Array.from({ length: 4 }, () => 'stale')].sort(),
    );
    const call = await tenant.call(callId);
    assert.equal(call.state, 'in_progress');
    assert.equal(call.connectionId, null);
    assert.equal(call.from, 'browser');
    assert.equal(call.to, 'browser');
    assert.equal(call.answeredBy, 'human');
    assert.equal(call.recipientName, 'Jamie Doe');
    assert.equal(call.recipientContext, 'plan: gold');
    assert.equal(call.workflowName, 'Reminder');
    assert.ok(call.answeredAt);
    assert.deepEqual((await storage.calls.load(callId))?.definition, definition);
    const live = await webCalls.admissionOf(callId);
    assert.equal(live?.state, 'live');
    assert.equal(live.media, 'audio');
    assert.equal(await storage.calls.adoptOrphans(), 0);
    assert.equal((await tenant.call(callId)).state, 'in_progress');
  });

  test('a web call binds the forms of its workflow', async (storage) => {
    const tenant = await createTenant(storage);
    const form = await storage.forms.create(tenant, {
      id: createId('form'),
      title: 'Contact',
      fields: [{ name: 'Name', type: 'text', required: true }],
    });
    const workflowId = createId('wf');
    await storage.workflows.create(tenant, {
      id: workflowId,
      name: 'With a form',
      definition: { ...definition, forms: [form.id] },
    });
    const key = await createKey(storage, tenant, { workflowIds: [workflowId] });
    const callId = await admit(storage, tenant, { key, workflowId });
    await storage.webCalls.begin(callId, { media: 'text', aliveMs });
    assert.deepEqual(
      (await storage.forms.ofCall(callId)).map(({ id }) => id),
      [form.id],
    );
  });

  test('a token that is late, or whose key or workflow is gone, begins nothing', async (storage) => {
    const tenant = await createTenant(storage);
    const { webCalls } = storage;
    const begin = (callId: string) => webCalls.begin(callId, { media: 'text', aliveMs });
    const late = await admit(storage, tenant, { lifetimeMs: 0 });
    await sleep(2);
    assert.equal((await webCalls.admissionOf(late))?.state, 'stale');
    assert.deepEqual(await begin(late), { result: 'stale' });
    const key = await createKey(storage, tenant);
    const revoked = await admit(storage, tenant, { key });
    await webCalls.revokeKey(tenant.organizationId, key.id);
    assert.equal((await webCalls.admissionOf(revoked))?.state, 'stale');
    assert.deepEqual(await begin(revoked), { result: 'stale' });
    const orphan = await admit(storage, tenant);
    await storage.workflows.delete(tenant, tenant.workflowId);
    assert.deepEqual(await begin(orphan), { result: 'workflow-not-found' });
    assert.deepEqual(await begin(createId('call')), { result: 'stale' });
    for (const callId of [late, revoked, orphan]) {
      assert.equal(await storage.calls.get(tenant, callId), null);
    }
  });

  test('the day of a key is exact, however many begin at once', async (storage) => {
    const tenant = await createTenant(storage);
    const { webCalls } = storage;
    const key = await createKey(storage, tenant, { dailyCalls: 3 });
    const callIds = await Promise.all(Array.from({ length: 6 }, () => admit(storage, tenant, { key })));
    const results = await Promise.all(
      callIds.map((callId) => webCalls.begin(callId, { media: 'text', aliveMs })),
    );
    assert.equal(results.filter(({ result }) => result === 'begun').length, 3);
    assert.equal(results.filter(({ result }) => result === 'budget-spent').length, 3);
    const visit = newVisit(key, tenant.workflowId);
    const refused = await webCalls.addVisit(visit, { hash: visit.callId, lifetimeMs: 60_000 });
    assert.equal(refused.admitted, false);
    assert.ok(refused.nextDayInSeconds > 0 && refused.nextDayInSeconds <= 24 * 3600);
    assert.equal(await webCalls.visitOf(visit.callId), null);
  });

  test('call-backs count at once, until they are taken back', async (storage) => {
    const tenant = await createTenant(storage);
    const { webCalls } = storage;
    const key = await createKey(storage, tenant, { dailyCalls: 2 });
    const visits = Array.from({ length: 4 }, () => newVisit(key, tenant.workflowId, { kind: 'callback' }));
    const results = await Promise.all(visits.map((visit) => webCalls.addVisit(visit, null)));
    assert.equal(results.filter(({ admitted }) => admitted).length, 2);
    const admitted = visits.find((_, index) => results[index]?.admitted);
    assert.ok(admitted);
    await webCalls.removeVisit(admitted.callId);
    assert.equal(await webCalls.visitOf(admitted.callId), null);
    const another = newVisit(key, tenant.workflowId, { kind: 'callback', user: null, consent: null });
    assert.equal((await webCalls.addVisit(another, null)).admitted, true);
    assert.deepEqual(await webCalls.begin(another.callId, { media: 'text', aliveMs }), { result: 'stale' });
    const { createdAt, ...stored } = (await webCalls.visitOf(another.callId)) ?? {};
    assert.ok(createdAt);
    assert.deepEqual(stored, another);
  });

  test('who takes a web call over is its only owner', async (storage) => {
    const tenant = await createTenant(storage);
    const { webCalls } = storage;
    const callId = await began(storage, tenant);
    assert.equal(await webCalls.keepAlive(callId, 1, aliveMs), 'held');
    const epoch = await webCalls.takeOver(callId, aliveMs);
    assert.ok(epoch !== null && epoch > 1);
    assert.equal(await webCalls.keepAlive(callId, 1, aliveMs), 'lost');
    assert.equal(await webCalls.end(callId, 1, null), null);
    assert.equal(await webCalls.keepAlive(callId, epoch, aliveMs), 'held');
    assert.ok(await webCalls.end(callId, epoch, null));
    assert.equal(await webCalls.keepAlive(callId, epoch, aliveMs), 'lost');
    assert.equal(await webCalls.takeOver(callId, aliveMs), null);
    assert.equal(await webCalls.takeOver(await admit(storage, tenant), aliveMs), null);
  });

  test('a web call ends once, and its result is owed from then on', async (storage) => {
    const tenant = await createTenant(storage);
    const { webCalls } = storage;
    const callId = await began(storage, tenant);
    await storage.calls.appendTranscript(callId, {
      role: 'assistant',
      content: 'Hello.',
      interrupted: false,
    });
    const ended = await webCalls.end(callId, 1, null);
    assert.deepEqual(ended?.outcome, { callStatus: 'success', providerStatus: 'completed' });
    assert.equal(ended.reason, null);
    assert.ok(ended.endedAt && ended.durationSeconds !== null);
    assert.equal(await webCalls.end(callId, 1, null), null);
    assert.equal((await webCalls.admissionOf(callId))?.state, 'over');
    assert.deepEqual(
      (await tenant.jobs('finish_call')).map(({ subjectId }) => subjectId),
      [callId],
    );
    assert.deepEqual(await tenant.jobs('watch_web_call'), []);
    assert.equal(await webCalls.aliveForMs(callId), null);
  });

  test('how a web call ended is told by what was heard, asked for and noted', async (storage) => {
    const tenant = await createTenant(storage);
    const { webCalls, calls } = storage;
    const unheard = await webCalls.end(await began(storage, tenant), 1, null);
    assert.deepEqual(unheard?.outcome, { callStatus: 'not_picked_up', providerStatus: 'failed' });
    const canceled = await began(storage, tenant);
    const asked = await calls.cancel(tenant, canceled);
    assert.equal(asked?.attempt, null);
    assert.equal(await webCalls.keepAlive(canceled, 1, aliveMs), 'canceled');
    const ended = await webCalls.end(canceled, 1, null);
    assert.deepEqual(ended?.outcome, { callStatus: 'not_picked_up', providerStatus: 'canceled' });
    assert.equal(ended.reason, 'canceled_by_request');
    const noted = await began(storage, tenant);
    await calls.noteReason(noted, 'callee_silent');
    assert.equal((await webCalls.end(noted, 1, 'connection_lost'))?.reason, 'callee_silent');
    const failed = await began(storage, tenant);
    await calls.appendTranscript(failed, { role: 'assistant', content: 'Hello.', interrupted: false });
    await calls.noteAgentFailed(failed);
    const broken = await webCalls.end(failed, 1, null);
    assert.deepEqual(broken?.outcome, { callStatus: 'not_picked_up', providerStatus: 'failed' });
    assert.equal(broken.reason, 'agent_unavailable');
  });

  test('a web call nobody holds any more is ended by whoever watches over it', async (storage) => {
    const tenant = await createTenant(storage);
    const { webCalls } = storage;
    const callId = await began(storage, tenant, 100);
    const alive = await webCalls.aliveForMs(callId);
    assert.ok(alive !== null && alive <= 100);
    await webCalls.keepAlive(callId, 1, 300);
    assert.equal(await webCalls.end(callId, null, 'connection_lost'), null, 'somebody holds it');
    await sleep(320);
    assert.equal(await webCalls.aliveForMs(callId), 0);
    assert.deepEqual(
      (await tenant.jobs('watch_web_call')).map(({ subjectId }) => subjectId),
      [callId],
    );
    const ended = await webCalls.end(callId, null, 'connection_lost');
    assert.equal(ended?.reason, 'connection_lost');
    assert.equal(await webCalls.end(callId, null, 'connection_lost'), null);
    assert.equal(await webCalls.keepAlive(callId, 1, aliveMs), 'lost');
  });

  test('what a page adds is kept as long as there is room', async (storage) => {
    const tenant = await createTenant(storage);
    const { webCalls } = storage;
    const callId = await began(storage, tenant);
    await webCalls.addContext(callId, 'basket: bicycle');
    await webCalls.addContext(callId, 'x'.repeat(10_000));
    assert.equal((await tenant.call(callId)).recipientContext, 'plan: gold\nbasket: bicycle');
    await webCalls.end(callId, 1, null);
    await webCalls.addContext(callId, 'too late');
    assert.equal((await tenant.call(callId)).recipientContext, 'plan: gold\nbasket: bicycle');
  });
}
