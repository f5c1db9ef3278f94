import assert from 'node:assert/strict';
import type { TransferLegReport, TransferStep } from '../../features/transfers/transfer-store.ts';
import { createId } from '../../kernel/ids.ts';
import type { Storage } from '../../storage.ts';
import {
  byApi,
  createTenant,
  fictional,
  firstPage,
  hashed,
  keyOf,
  type StorageTest,
  type Tenant,
  tick,
  transferOf,
} from './tenant.ts';

const settings = {
  name: 'Billing',
  mode: 'warm',
  phoneNumber: fictional(60),
  transferUrl: 'https://example.com/who',
  fallbackNumbers: [fictional(61)],
  ringSeconds: 25,
  takeMessages: true,
} as const;

/** A call that talks. */
async function liveCall(storage: Storage, tenant: Tenant): Promise<{ callId: string; attemptId: string }> {
  const { callId, attemptId, providerCallId } = await tenant.placed();
  await storage.calls.report(attemptId, inProgress(providerCallId));
  return { callId, attemptId };
}

const inProgress = (providerCallId: string) =>
  ({ providerCallId, status: 'in-progress', answeredBy: null, durationSeconds: null }) as const;

const progress = (report: Partial<TransferLegReport>): TransferLegReport => ({
  providerCallId: null,
  progress: 'dialed',
  outcome: null,
  seconds: null,
  ...report,
});

const ended = (outcome: TransferLegReport['outcome'], seconds: number | null = null) =>
  progress({ progress: 'ended', outcome, seconds });

/** The number of the step, for a step that dials or waits for one. */
const rung = (step: TransferStep) => [step.step, 'leg' in step ? step.leg.to : null];

/** Whom calls may be transferred to, and the transfers of calls. */
export function transfersContract(test: StorageTest): void {
  test('transfer integrations are kept, changed and deleted, by their organization only', async (storage) => {
    const tenant = await createTenant(storage);
    const { organizationId } = tenant;
    const stranger = await createTenant(storage);
    const { transfers } = storage;
    const first = await transfers.createIntegration(tenant, { id: createId('tri'), ...settings });
    assert.deepEqual(
      { ...first, createdAt: null },
      { id: first.id, organizationId, ...settings, createdAt: null },
    );
    await tick();
    const { id } = await transfers.createIntegration(tenant, { id: createId('tri'), ...settings });
    const page = await transfers.listIntegrations(tenant, { limit: 1, cursor: null });
    assert.deepEqual(
      page.items.map((each) => each.id),
      [id],
    );
    const rest = await transfers.listIntegrations(tenant, { limit: 1, cursor: page.nextCursor });
    assert.deepEqual(rest.items, [first]);
    const changed = await transfers.updateIntegration(tenant, first.id, {
      mode: 'cold',
      transferUrl: null,
      fallbackNumbers: [],
    });
    assert.deepEqual(changed, { ...first, mode: 'cold', transferUrl: null, fallbackNumbers: [] });
    assert.deepEqual(await transfers.updateIntegration(tenant, first.id, {}), changed);
    assert.deepEqual(await transfers.getIntegration(tenant, first.id), changed);
    assert.equal(await transfers.getIntegration(stranger, id), null);
    assert.equal(await transfers.updateIntegration(stranger, id, { name: 'x' }), null);
    assert.equal(await transfers.deleteIntegration(stranger, id), false);
    assert.deepEqual((await transfers.listIntegrations(stranger, firstPage)).items, []);
    assert.equal(await transfers.deleteIntegration(tenant, id), true);
    assert.equal(await transfers.deleteIntegration(tenant, id), false);
    assert.equal(await transfers.getIntegration(tenant, id), null);
  });

  test('a call has one transfer under way, stored once', async (storage) => {
    const tenant = await createTenant(storage);
    const { callId } = await liveCall(storage, tenant);
    const { transfers } = storage;
    const [first, second] = [transferOf(callId), transferOf(callId)];
    assert.deepEqual(await Promise.all([transfers.request(first), transfers.request(first)]), [true, true]);
    assert.equal(await transfers.request(second), false);
    assert.equal(await transfers.request(transferOf(createId('call'))), false);
    const [stored, ...others] = await transfers.ofCall(callId);
    assert.deepEqual(others, []);
    assert.ok(stored?.requestedAt instanceof Date);
    const { legs, requestedAt: _, ...about } = stored;
    const { legs: wanted, ...asked } = first;
    assert.deepEqual(about, { ...asked, outcome: null, message: null, endedAt: null });
    assert.deepEqual(
      legs.map(({ id, to, source, dialedAt, outcome }) => [{ id, to, source }, dialedAt, outcome]),
      wanted.map((leg) => [leg, null, null]),
    );
    assert.deepEqual(await transfers.ofCall(createId('call')), []);
  });

  test('a number is told again until the carrier has told of it, and the next one after it', async (storage) => {
    const tenant = await createTenant(storage);
    const { callId } = await liveCall(storage, tenant);
    const { transfers } = storage;
    assert.deepEqual(await transfers.proceed(callId, keyOf, null), { step: 'none' });
    const transfer = transferOf(callId);
    const [first, second] = transfer.legs.map(({ id }) => id) as [string, string];
    assert.equal(
      await transfers.report(first, progress({})),
      null,
      'nothing is known of a leg before it is dialed',
    );
    await transfers.request(transfer);
    assert.equal(await transfers.report(first, progress({ progress: 'connected' })), null);
    const steps = await Promise.all([1, 2, 3].map(() => transfers.proceed(callId, keyOf, null)));
    assert.deepEqual(steps.map(rung), Array(3).fill(['dial', fictional(60)]));
    await transfers.report(first, progress({ providerCallId: 'CA-leg-1' }));
    assert.deepEqual(rung(await transfers.proceed(callId, keyOf, null)), ['under-way', fictional(60)]);
    await transfers.report(first, ended('busy'));
    await transfers.report(first, ended('no_answer'));
    assert.deepEqual(rung(await transfers.proceed(callId, keyOf, null)), ['dial', fictional(61)]);
    await transfers.report(second, progress({ progress: 'answered' }));
    const refused = await transfers.report(second, ended('refused', 7));
    assert.equal(refused?.endedAt, null);
    assert.deepEqual(await transfers.proceed(callId, keyOf, null), { step: 'return' });
    assert.deepEqual(await transfers.proceed(callId, keyOf, null), { step: 'return' });
    const [over] = await transfers.ofCall(callId);
    assert.equal(over?.outcome, 'refused');
    assert.ok(over.endedAt);
    assert.deepEqual(
      over.legs.map(({ outcome, providerCallId, seconds }) => [outcome, providerCallId, seconds]),
      [
        ['busy', 'CA-leg-1', null],
        ['refused', null, 7],
      ],
    );
    assert.ok(over.legs.every(({ dialedAt, endedAt }) => dialedAt && endedAt));
    assert.deepEqual(
      over.legs.map(({ answeredAt }) => answeredAt !== null),
      [false, true],
    );
  });

  test('the callee is taken back once, and can be transferred again', async (storage) => {
    const tenant = await createTenant(storage);
    const { callId } = await liveCall(storage, tenant);
    const { transfers } = storage;
    const transfer = transferOf(callId, [fictional(60)]);
    await transfers.request(transfer);
    await transfers.proceed(callId, keyOf, null);
    assert.equal(await transfers.takeBack(callId), null, 'not while it is under way');
    await transfers.report(transfer.legs[0]?.id ?? '', ended('no_answer'));
    await transfers.proceed(callId, keyOf, null);
    await storage.calls.noteConversationOver(callId);
    const back = await Promise.all([transfers.takeBack(callId), transfers.takeBack(callId)]);
    assert.deepEqual(back.map((each) => each?.id ?? null).toSorted(), [transfer.id, null].toSorted());
    assert.equal((await tenant.call(callId)).conversationOver, false);
    assert.deepEqual(await transfers.proceed(callId, keyOf, null), { step: 'none' });
    assert.equal(await transfers.storeMessage(callId, transfer.id, 'Call me.'), true);
    assert.equal(await transfers.storeMessage(callId, transfer.id, 'Call me back.'), true);
    assert.equal(await transfers.storeMessage(createId('call'), transfer.id, 'x'), false);
    assert.equal((await transfers.ofCall(callId))[0]?.message, 'Call me back.');
    const again = transferOf(callId);
    assert.equal(await transfers.request(again), true);
    assert.deepEqual(
      (await transfers.ofCall(callId)).map(({ id }) => id),
      [transfer.id, again.id],
    );
  });

  test('who is connected stays connected, whatever is told later', async (storage) => {
    const tenant = await createTenant(storage);
    const { callId, attemptId } = await liveCall(storage, tenant);
    const { transfers } = storage;
    const transfer = transferOf(callId);
    const id = transfer.legs[0]?.id ?? '';
    await transfers.request(transfer);
    await transfers.proceed(callId, keyOf, null);
    await transfers.report(id, progress({ progress: 'connected', providerCallId: 'CA-leg' }));
    assert.deepEqual(await transfers.proceed(callId, keyOf, null), { step: 'connected' });
    const talking = (await transfers.ofCall(callId))[0];
    assert.equal(talking?.outcome, 'connected');
    assert.equal(talking.endedAt, null);
    await transfers.report(id, progress({ progress: 'answered', seconds: 42 }));
    const over = await transfers.report(id, ended('failed', 3));
    assert.equal(over?.outcome, 'connected');
    assert.ok(over.endedAt);
    assert.equal(over.legs[0]?.seconds, 42);
    assert.equal(over.legs[0]?.outcome, 'connected');
    assert.deepEqual(await transfers.proceed(callId, keyOf, null), { step: 'none' });
    assert.equal(await transfers.takeBack(callId), null);
    await storage.calls.report(attemptId, {
      providerCallId: `CA-${attemptId}`,
      status: 'completed',
      answeredBy: null,
      durationSeconds: 60,
    });
    assert.equal((await transfers.ofCall(callId))[0]?.outcome, 'connected');
  });

  test('numbers that may not be rung are passed over', async (storage) => {
    const tenant = await createTenant(storage);
    const { callId } = await liveCall(storage, tenant);
    const { transfers } = storage;
    await storage.doNotCall.add(tenant, [hashed(fictional(61))], byApi);
    await transfers.request(transferOf(callId, [fictional(60), fictional(61), fictional(62)]));
    const ringable = (to: string) => (to === fictional(60) ? null : keyOf(to));
    assert.deepEqual(rung(await transfers.proceed(callId, ringable, null)), ['dial', fictional(62)]);
    const [transfer] = await transfers.ofCall(callId);
    assert.deepEqual(
      transfer?.legs.map(({ outcome, dialedAt }) => [outcome, dialedAt !== null]),
      [
        ['not_allowed', false],
        ['not_allowed', false],
        [null, true],
      ],
    );
    const other = (await liveCall(storage, tenant)).callId;
    await transfers.request(transferOf(other, [fictional(61)]));
    assert.deepEqual(await transfers.proceed(other, keyOf, null), { step: 'return' });
    assert.equal((await transfers.ofCall(other))[0]?.outcome, 'not_allowed');
  });

  test('a transfer ends with its call, and none begins on a call that is to end', async (storage) => {
    const tenant = await createTenant(storage);
    const { transfers } = storage;
    const { callId, attemptId } = await liveCall(storage, tenant);
    const transfer = transferOf(callId);
    await transfers.request(transfer);
    await transfers.proceed(callId, keyOf, null);
    await storage.calls.report(attemptId, {
      providerCallId: `CA-${attemptId}`,
      status: 'completed',
      answeredBy: null,
      durationSeconds: 9,
    });
    const [over] = await transfers.ofCall(callId);
    assert.equal(over?.outcome, 'call_ended');
    assert.ok(over.endedAt);
    assert.deepEqual(
      over.legs.map(({ outcome, endedAt }) => [outcome, endedAt !== null]),
      [
        ['call_ended', true],
        [null, false],
      ],
    );
    assert.deepEqual(await transfers.proceed(callId, keyOf, null), { step: 'none' });
    assert.equal(await transfers.request(transferOf(callId)), false);
    const late = await transfers.report(transfer.legs[0]?.id ?? '', ended('connected', 5));
    assert.equal(late?.outcome, 'connected', 'the carrier knows better');

    const opted = await liveCall(storage, tenant);
    await transfers.request(transferOf(opted.callId));
    await storage.calls.noteReason(opted.callId, 'opted_out');
    assert.deepEqual(await transfers.proceed(opted.callId, keyOf, null), { step: 'none' });
    assert.equal((await transfers.ofCall(opted.callId))[0]?.outcome, 'call_ended');

    const canceled = await liveCall(storage, tenant);
    await storage.calls.cancel(tenant, canceled.callId);
    assert.equal(await transfers.request(transferOf(canceled.callId)), false);
  });

  test('who is rung takes a place of the line', async (storage) => {
    const tenant = await createTenant(storage, { maximumConcurrentCalls: 2 });
    const { callId, attemptId } = await liveCall(storage, tenant);
    const transfer = transferOf(callId, [fictional(60)]);
    await storage.transfers.request(transfer);
    await storage.transfers.proceed(callId, keyOf, null);
    await tenant.accept();
    const claimed = () => storage.calls.claimNext(tenant.connectionId, createId('att'), null);
    assert.equal((await claimed()).result, 'wait');
    await storage.calls.report(attemptId, {
      providerCallId: `CA-${attemptId}`,
      status: 'completed',
      answeredBy: null,
      durationSeconds: 9,
    });
    assert.equal((await tenant.claim()).call.state, 'dialing');
  });
}
