import assert from 'node:assert/strict';
import type { AttemptReport, ClaimResult } from '../../calls/call-store.ts';
import type { VelocityAlarm } from '../../calls/velocity-alarm.ts';
import type { TransferLegReport } from '../../features/transfers/transfer-store.ts';
import { createId } from '../../kernel/ids.ts';
import type { Storage } from '../../storage.ts';
import {
  addLine,
  createTenant,
  fictional,
  keyOf,
  type StorageTest,
  sleep,
  type Tenant,
  transferOf,
} from './tenant.ts';

const dayMs = 24 * 3_600_000;
/** No test takes longer. */
const longestTestMs = 10_000;

const claimNext = (storage: Storage, { connectionId }: Pick<Tenant, 'connectionId'>): Promise<ClaimResult> =>
  storage.calls.claimNext(connectionId, createId('att'), null);

const used = async (storage: Storage, { organizationId }: Tenant) =>
  (await storage.usage.today(organizationId, null)).usedMinutes;

async function report(
  storage: Storage,
  attemptId: string,
  status: AttemptReport['status'],
  durationSeconds: number | null = null,
): Promise<void> {
  const providerCallId = `CA-${attemptId}`;
  const told = await storage.calls.report(attemptId, {
    providerCallId,
    status,
    answeredBy: null,
    durationSeconds,
  });
  assert.equal(told.result, 'applied');
}

async function assertSpent(tenant: Tenant, callId: string): Promise<void> {
  const call = await tenant.call(callId);
  assert.deepEqual(call.outcome, { callStatus: 'not_picked_up', providerStatus: 'failed' });
  assert.equal(call.reason, 'spending_limit');
}

/** What calls cost, and that none begins beyond the limit of a day. */
export function spendingContract(anyTime: StorageTest, openAnother?: () => Promise<Storage>): void {
  const test: StorageTest = (name, run) =>
    anyTime(name, async (storage) => {
      const leftMs = dayMs - ((await storage.ping()).nowMs % dayMs);
      if (leftMs < longestTestMs) await sleep(leftMs);
      await run(storage);
    });

  test('the limit of an organization is its own, none, or the one of the server', async (storage) => {
    const tenant = await createTenant(storage, { dailyCallMinutes: 7 });
    const { organizationId } = tenant;
    const { organizations, usage: spending } = storage;
    const limit = async () => (await spending.today(organizationId, 30)).limitMinutes;
    assert.equal(await limit(), 7);
    const changed = await organizations.update(organizationId, { dailyCallMinutes: null, name: 'Other' });
    assert.deepEqual([changed?.dailyCallMinutes, changed?.name], [null, 'Other']);
    assert.deepEqual(await organizations.get(organizationId), changed);
    assert.equal(await limit(), null);
    await organizations.update(organizationId, { dailyCallMinutes: 'default', allowedCountries: ['GB'] });
    assert.deepEqual(await organizations.update(organizationId, {}), {
      ...changed,
      dailyCallMinutes: 'default',
      allowedCountries: ['GB'],
    });
    assert.equal(await limit(), 30);
    assert.equal((await spending.today(organizationId, null)).limitMinutes, null);
    assert.equal(await organizations.update(createId('org'), { dailyCallMinutes: 1 }), null);
    const created = await organizations.create({ id: createId('org'), name: 'New', allowedCountries: [] });
    assert.equal(created.dailyCallMinutes, 'default');
  });

  test('an open call takes a minute at least, an ended one its minutes, an unanswered one none', async (storage) => {
    const tenant = await createTenant(storage);
    const stranger = await createTenant(storage);
    assert.equal(await used(storage, tenant), 0);
    const calls = [];
    for (let count = 0; count < 5; count += 1) calls.push((await tenant.placed()).attemptId);
    const [talks, ends, rings, lost, canceled] = calls as [string, string, string, string, string];
    assert.equal(await used(storage, tenant), 5);
    await report(storage, talks, 'in-progress');
    await report(storage, ends, 'in-progress');
    assert.equal(await used(storage, tenant), 5);
    await report(storage, ends, 'completed', 121);
    assert.equal(await used(storage, tenant), 7);
    await report(storage, ends, 'completed', 500);
    assert.equal(await used(storage, tenant), 7, 'the first end counts');
    await report(storage, rings, 'no-answer', 0);
    await storage.calls.abandonAttempt(lost, 'carrier_record_missing');
    await report(storage, canceled, 'canceled');
    assert.equal(await used(storage, tenant), 4);
    await tenant.accept();
    await storage.calls.attemptNotPlaced((await tenant.claim()).attempt.id, { reason: 'carrier_rejected' });
    assert.equal(await used(storage, tenant), 4);
    await report(storage, talks, 'completed', 60);
    assert.equal(await used(storage, tenant), 4);
    assert.equal(await used(storage, stranger), 0);
  });

  test('no call begins beyond the limit: due ones end, and what has begun goes on', async (storage) => {
    const tenant = await createTenant(storage, { dailyCallMinutes: 2 });
    const due = [];
    for (let count = 0; count < 4; count += 1) due.push(await tenant.accept());
    const { attempt } = await tenant.claim();
    await report(storage, attempt.id, 'in-progress');
    await tenant.claim();
    const later = await tenant.accept({ dialInMs: dayMs });
    assert.deepEqual(await claimNext(storage, tenant), {
      result: 'spent',
      organizationId: tenant.organizationId,
    });
    assert.deepEqual(await claimNext(storage, tenant), { result: 'idle' });
    for (const callId of due.slice(2)) await assertSpent(tenant, callId);
    assert.equal((await tenant.jobs('finish_call')).length, 2);
    assert.equal((await tenant.call(due[0] ?? '')).state, 'in_progress');
    assert.equal((await tenant.call(later)).state, 'queued');
    await report(storage, attempt.id, 'completed', 600);
    assert.equal((await tenant.call(due[0] ?? '')).outcome?.callStatus, 'success');
    assert.equal(await used(storage, tenant), 11);
  });

  test('calls for today are refused when the minutes are used up, others are taken', async (storage) => {
    const tenant = await createTenant(storage, { dailyCallMinutes: 1 });
    const { attemptId } = await tenant.placed();
    const refused = await storage.calls.accept(tenant.input());
    assert.ok(refused.result === 'spending-limit');
    assert.ok(refused.retryAfterSeconds > 0 && refused.retryAfterSeconds <= dayMs / 1000);
    assert.equal((await storage.calls.accept(tenant.promptInput())).result, 'spending-limit');
    await tenant.accept({ dialInMs: dayMs });
    await storage.calls.pauseConnection(tenant.connectionId);
    assert.equal((await storage.calls.accept(tenant.input())).result, 'spending-limit');
    await storage.organizations.update(tenant.organizationId, { dailyCallMinutes: 2 });
    assert.equal((await storage.calls.accept(tenant.input())).result, 'no-usable-number');
    await storage.organizations.update(tenant.organizationId, { dailyCallMinutes: 1 });
    await report(storage, attemptId, 'busy');
    assert.equal((await storage.calls.accept(tenant.input())).result, 'no-usable-number', 'nothing was used');
  });

  test('organizations without a limit of their own have the one of the server', async (storage) => {
    const tenant = await createTenant(storage);
    await storage.organizations.update(tenant.organizationId, { dailyCallMinutes: 'default' });
    await tenant.placed();
    const callId = await tenant.accept();
    const input = tenant.input({ defaultDailyMinutes: 1 });
    assert.equal((await storage.calls.accept(input)).result, 'spending-limit');
    const claimed = await storage.calls.claimNext(tenant.connectionId, createId('att'), 1);
    assert.equal(claimed.result, 'spent');
    await assertSpent(tenant, callId);
  });

  test('calls in test mode cost nothing and have no limit', async (storage) => {
    const tenant = await createTenant(storage, { dailyCallMinutes: 1 });
    const connectionId = await addLine(storage, tenant, 'test');
    await tenant.placed();
    for (let count = 0; count < 2; count += 1) {
      const input = tenant.input({ mode: 'test' });
      assert.deepEqual(await storage.calls.accept(input), { result: 'accepted', connectionId });
      const claimed = await claimNext(storage, { connectionId });
      assert.ok(claimed.result === 'claimed');
      if (count === 0) await report(storage, claimed.claim.attempt.id, 'completed', 500);
    }
    assert.equal(await used(storage, tenant), 1);
  });

  test('people a call is transferred to count as calls do, and are not rung beyond the limit', async (storage) => {
    const tenant = await createTenant(storage, { dailyCallMinutes: 2 });
    const { transfers } = storage;
    const { callId, attemptId } = await tenant.placed();
    await report(storage, attemptId, 'in-progress');
    const transfer = transferOf(callId, [fictional(60), fictional(61)]);
    const [first = '', second = ''] = transfer.legs.map(({ id }) => id);
    const told = (progress: TransferLegReport['progress'], seconds: number | null = null) => ({
      providerCallId: null,
      progress,
      outcome: progress === 'ended' ? ('refused' as const) : null,
      seconds,
    });
    await transfers.request(transfer);
    assert.equal((await transfers.proceed(callId, keyOf, null)).step, 'dial');
    assert.equal(await used(storage, tenant), 2);
    await transfers.report(first, told('answered'));
    await transfers.report(first, told('ended'));
    assert.equal(await used(storage, tenant), 2, 'by the clock, until the carrier tells the seconds');
    await transfers.report(first, told('answered', 61));
    assert.equal(await used(storage, tenant), 3);
    assert.equal((await transfers.proceed(callId, keyOf, null)).step, 'return');
    const outcomes = (await transfers.ofCall(callId))[0]?.legs.map(({ id, outcome, dialedAt }) => [
      id,
      outcome,
      dialedAt !== null,
    ]);
    assert.deepEqual(outcomes, [
      [first, 'refused', true],
      [second, 'not_allowed', false],
    ]);
    await report(storage, attemptId, 'completed', 61);
    assert.equal(await used(storage, tenant), 4);
  });

  test('of all who look one gets each alarm, and a new limit has alarms of its own', async (storage) => {
    const tenant = await createTenant(storage, { dailyCallMinutes: 4 });
    const { organizationId } = tenant;
    const alarms = async () =>
      (await Promise.all([1, 2, 3].map(() => storage.usage.takeAlarm(organizationId, null)))).filter(
        (alarm) => alarm !== null,
      );
    for (let count = 0; count < 3; count += 1) await tenant.placed();
    assert.deepEqual(await alarms(), []);
    await tenant.placed();
    assert.deepEqual(await alarms(), [{ percent: 100, usedMinutes: 4, limitMinutes: 4 }]);
    assert.deepEqual(await alarms(), []);
    await storage.organizations.update(organizationId, { dailyCallMinutes: 5 });
    assert.deepEqual(await alarms(), [{ percent: 80, usedMinutes: 4, limitMinutes: 5 }]);
    await tenant.placed();
    assert.deepEqual(await alarms(), [{ percent: 100, usedMinutes: 5, limitMinutes: 5 }]);
    await storage.organizations.update(organizationId, { name: 'Other' });
    assert.deepEqual(await alarms(), []);
    await storage.organizations.update(organizationId, { dailyCallMinutes: null });
    assert.deepEqual(await alarms(), []);
  });

  test('the twentieth dial to a new prefix is an alarm, and no other', async (storage) => {
    const tenant = await createTenant(storage);
    const stranger = await createTenant(storage);
    const line = await addLine(storage, tenant, 'test');
    const { callId, attemptId } = await tenant.placed();
    await report(storage, attemptId, 'in-progress');
    const alarms: (VelocityAlarm | null)[] = [];
    const dial = async (from = tenant) => {
      await from.accept();
      alarms.push((await from.claim()).velocityAlarm);
    };
    for (let count = 0; count < 17; count += 1) await dial();
    await storage.calls.accept(tenant.input({ mode: 'test' }));
    const tested = await claimNext(storage, { connectionId: line });
    assert.ok(tested.result === 'claimed');
    alarms.push(tested.claim.velocityAlarm);
    for (let count = 0; count < 3; count += 1) await dial(stranger);
    await storage.transfers.request(transferOf(callId));
    const step = await storage.transfers.proceed(callId, keyOf, null);
    assert.ok(step.step === 'dial');
    alarms.push(step.velocityAlarm);
    assert.deepEqual(new Set(alarms), new Set([null]));
    const again = await storage.transfers.proceed(callId, keyOf, null);
    assert.ok(again.step === 'dial', 'as long as the carrier has not told of it');
    for (let count = 0; count < 3; count += 1) await dial();
    const prefix = fictional(0).slice(0, -4);
    assert.deepEqual(alarms.slice(-3), [{ prefix, dials: 20 }, null, null]);
  });

  const processes = openAnother === undefined ? 'one process' : 'three processes';
  test(`${processes} claiming at once on two lines begin as many calls as there are minutes`, async (storage) => {
    const limit = 5;
    const tenant = await createTenant(storage, { dailyCallMinutes: limit });
    const lines = [tenant.connectionId];
    const accepted: string[] = [];
    const accept = async (connectionId: string) => {
      for (let count = 0; count < 8; count += 1) {
        const input = tenant.input();
        assert.deepEqual(await storage.calls.accept(input), { result: 'accepted', connectionId });
        accepted.push(input.callId);
      }
    };
    await accept(tenant.connectionId);
    lines.push(await addLine(storage, tenant, 'live'));
    await accept(lines[1] ?? '');
    const others = openAnother === undefined ? [] : [await openAnother(), await openAnother()];
    const begun: string[] = [];
    const work = async (store: Storage, connectionId: string) => {
      for (;;) {
        const claimed = await claimNext(store, { connectionId });
        if (claimed.result === 'idle') return;
        if (claimed.result === 'wait') await sleep(Math.min(claimed.waitMs, 20));
        if (claimed.result === 'claimed') begun.push(claimed.claim.call.id);
      }
    };
    try {
      await Promise.all(
        [storage, ...others].flatMap((store) => lines.map((connectionId) => work(store, connectionId))),
      );
    } finally {
      await Promise.all(others.map((store) => store.stop()));
    }
    assert.equal(begun.length, limit);
    for (const callId of accepted) if (!begun.includes(callId)) await assertSpent(tenant, callId);
  });
}
