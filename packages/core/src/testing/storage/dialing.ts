import assert from 'node:assert/strict';
import { createId } from '../../kernel/ids.ts';
import type { Storage } from '../../storage.ts';
import {
  createTenant,
  fictional,
  hashed,
  optedOutOn,
  type StorageTest,
  sleep,
  type Tenant,
} from './tenant.ts';

/** How queued calls are dialed: order, limits, and what keeps a call from being dialed. */
export function dialingContract(test: StorageTest, openAnother?: () => Promise<Storage>): void {
  test('the call that waited longest is claimed, with an intent on disk', async (storage) => {
    const tenant = await createTenant(storage);
    const first = await tenant.accept();
    const second = await tenant.accept();
    const attemptId = createId('att');
    const claimed = await storage.calls.claimNext(tenant.connectionId, attemptId, null);
    assert.ok(claimed.result === 'claimed');
    const { attempt, call, connection, definition } = claimed.claim;
    assert.equal(call.id, first);
    assert.equal(call.state, 'dialing');
    assert.equal(connection.id, tenant.connectionId);
    assert.equal(definition.objective, 'Confirm the appointment.');
    assert.deepEqual(
      { ...attempt, intentAt: null, ageMs: null },
      {
        id: attemptId,
        callId: first,
        organizationId: tenant.organizationId,
        connectionId: tenant.connectionId,
        from: tenant.from,
        to: call.to,
        state: 'intent',
        providerCallId: null,
        intentAt: null,
        ageMs: null,
        fruitlessLooks: 0,
      },
    );
    assert.ok(attempt.ageMs >= 0);
    assert.equal((await storage.calls.getAttempt(attemptId))?.state, 'intent');
    assert.equal((await storage.calls.connectionOfAttempt(attemptId))?.sealedSecret, 'sealed');
    assert.equal(await storage.calls.connectionOfAttempt(createId('att')), null);
    assert.equal((await tenant.claim()).call.id, second, 'each once');
    assert.deepEqual(await storage.calls.claimNext(tenant.connectionId, createId('att'), null), {
      result: 'idle',
    });
  });

  test('a line without due calls is idle', async (storage) => {
    const tenant = await createTenant(storage);
    assert.deepEqual(await storage.calls.claimNext(tenant.connectionId, createId('att'), null), {
      result: 'idle',
    });
    assert.deepEqual(await storage.calls.claimNext(createId('con'), createId('att'), null), {
      result: 'idle',
    });
  });

  test('a call for later is neither found nor claimed before its time, and is dialed then', async (storage) => {
    const tenant = await createTenant(storage);
    const dialInMs = 1500;
    const acceptedAtMs = Date.now();
    const later = await tenant.accept({ dialInMs, deadlineMs: 60_000 });
    const isFound = async () =>
      (await storage.calls.connectionsWithDueCalls(10_000)).includes(tenant.connectionId);
    for (;;) {
      const found = await isFound();
      const { result } = await storage.calls.claimNext(tenant.connectionId, createId('att'), null);
      const sinceAcceptedMs = Date.now() - acceptedAtMs;
      if (sinceAcceptedMs < dialInMs) {
        assert.equal(found, false);
        assert.equal(result, 'idle');
      }
      if (result === 'claimed') break;
      await sleep(50);
    }
    assert.equal((await tenant.call(later)).state, 'dialing');
  });

  test('what a call for later needs is made when its time has come', async (storage) => {
    const tenant = await createTenant(storage);
    const dialInMs = 1500;
    const acceptedAtMs = Date.now();
    const { callId, ...input } = tenant.promptInput({ dialInMs });
    await storage.calls.accept({ callId, ...input });
    for (;;) {
      const jobs = await tenant.jobs('generate_workflow');
      if (Date.now() - acceptedAtMs < dialInMs) assert.deepEqual(jobs, []);
      else if (jobs.length > 0) break;
      await sleep(50);
    }
  });

  test('lines with due calls are found, unless paused or down', async (storage) => {
    const tenant = await createTenant(storage);
    const isFound = async () =>
      (await storage.calls.connectionsWithDueCalls(10_000)).includes(tenant.connectionId);
    assert.equal(await isFound(), false);
    await tenant.accept();
    assert.equal(await isFound(), true);
    await storage.calls.setConnectionDown(tenant.connectionId, 60_000);
    assert.equal(await isFound(), false);
    assert.deepEqual(await storage.calls.claimNext(tenant.connectionId, createId('att'), null), {
      result: 'idle',
    });
    await storage.calls.setConnectionDown(tenant.connectionId, 0);
    assert.equal(await isFound(), true);
    await storage.calls.pauseConnection(tenant.connectionId);
    assert.equal(await isFound(), false);
    assert.deepEqual(await storage.calls.claimNext(tenant.connectionId, createId('att'), null), {
      result: 'idle',
    });
  });

  test('open attempts stay within the concurrency limit, and an end frees a place', async (storage) => {
    const tenant = await createTenant(storage, { maximumConcurrentCalls: 2 });
    for (let count = 0; count < 3; count += 1) await tenant.accept();
    const { attempt } = await tenant.claim();
    await tenant.claim();
    const full = await storage.calls.claimNext(tenant.connectionId, createId('att'), null);
    assert.ok(full.result === 'wait' && full.waitMs > 0);
    await storage.calls.report(attempt.id, {
      providerCallId: `CA-${attempt.id}`,
      status: 'no-answer',
      answeredBy: null,
      durationSeconds: null,
    });
    await tenant.claim();
  });

  test('an unknown attempt keeps its place', async (storage) => {
    const tenant = await createTenant(storage, { maximumConcurrentCalls: 1 });
    await tenant.accept();
    await tenant.accept();
    const { attempt } = await tenant.claim();
    await storage.calls.attemptUnknown(attempt.id, 1000);
    assert.equal((await storage.calls.claimNext(tenant.connectionId, createId('att'), null)).result, 'wait');
    await storage.calls.attemptNotPlaced(attempt.id, { reason: 'placement_unconfirmed' });
    await tenant.claim();
  });

  test('the next start is waited for', async (storage) => {
    const tenant = await createTenant(storage, { callsPerSecond: 1 });
    await tenant.accept();
    await tenant.accept();
    await tenant.claim();
    const early = await storage.calls.claimNext(tenant.connectionId, createId('att'), null);
    assert.ok(early.result === 'wait' && early.waitMs > 0 && early.waitMs <= 1100);
  });

  test('a refused concurrency is halved', async (storage) => {
    const tenant = await createTenant(storage, { maximumConcurrentCalls: 4 });
    for (let count = 0; count < 5; count += 1) await tenant.accept();
    const attempts: string[] = [];
    for (let count = 0; count < 4; count += 1) attempts.push((await tenant.claim()).attempt.id);
    await storage.calls.reduceConcurrency(tenant.connectionId);
    for (const attemptId of attempts.slice(0, 2)) {
      await storage.calls.attemptNotPlaced(attemptId, { reason: 'carrier_rejected' });
    }
    assert.equal((await storage.calls.claimNext(tenant.connectionId, createId('att'), null)).result, 'wait');
    await storage.calls.attemptNotPlaced(attempts[2] ?? '', { reason: 'carrier_rejected' });
    await tenant.claim();
  });

  test('a number that is being called is not called a second time', async (storage) => {
    const tenant = await createTenant(storage);
    const to = fictional(42);
    await tenant.accept({ to });
    await tenant.accept({ to });
    const other = await tenant.accept();
    const { attempt } = await tenant.claim();
    assert.equal((await tenant.claim()).call.id, other, 'later calls to others are not held up');
    assert.equal((await storage.calls.claimNext(tenant.connectionId, createId('att'), null)).result, 'wait');
    await storage.calls.attemptNotPlaced(attempt.id, { reason: 'carrier_rejected' });
    assert.equal((await tenant.claim()).call.to, to);
  });

  test('a call past its deadline ends, whatever the state of the line', async (storage) => {
    const tenant = await createTenant(storage);
    const callId = await tenant.accept({ deadlineMs: 20 });
    await storage.calls.pauseConnection(tenant.connectionId);
    await sleep(40);
    assert.ok((await storage.calls.connectionsWithDueCalls(10_000)).includes(tenant.connectionId));
    assert.deepEqual(await storage.calls.claimNext(tenant.connectionId, createId('att'), null), {
      result: 'idle',
    });
    await assertFailed(tenant, callId, 'carrier_unavailable');
  });

  test('an opt-out ends the queued calls to the number, and only those', async (storage) => {
    const tenant = await createTenant(storage);
    const stranger = await createTenant(storage);
    const to = fictional(11);
    const callId = await tenant.accept({ to });
    const other = await tenant.accept({ to: fictional(12) });
    const strangers = await stranger.accept({ to });
    assert.equal(await storage.doNotCall.add(tenant, [hashed(to)], optedOutOn(other)), 1);
    assert.equal(await storage.doNotCall.add(tenant, [hashed(to)], optedOutOn(other)), 0);
    assert.equal((await storage.doNotCall.find(tenant, hashed(to)))?.callId, other);
    assert.equal(await storage.doNotCall.find(stranger, hashed(to)), null);
    await assertFailed(tenant, callId, 'blocked_dnc');
    assert.equal((await tenant.call(other)).state, 'queued');
    assert.equal((await stranger.call(strangers)).state, 'queued');
  });

  test('calls of a deleted connection end', async (storage) => {
    const tenant = await createTenant(storage);
    const callId = await tenant.accept();
    assert.equal(await storage.organizations.deleteConnection(tenant, tenant.connectionId), true);
    await assertFailed(tenant, callId, 'carrier_unavailable');
    assert.deepEqual(await storage.organizations.listNumbers(tenant), []);
  });

  test('a connection with open attempts is not deleted', async (storage) => {
    const tenant = await createTenant(storage);
    const { attemptId } = await tenant.placed();
    const { organizations } = storage;
    await assert.rejects(organizations.deleteConnection(tenant, tenant.connectionId), {
      code: 'conflict',
    });
    await storage.calls.abandonAttempt(attemptId, 'carrier_record_stuck');
    assert.equal(await organizations.deleteConnection(tenant, tenant.connectionId), true);
    assert.equal(await organizations.deleteConnection(tenant, tenant.connectionId), false);
  });

  const processes = openAnother === undefined ? 'one process' : 'three processes';
  test(`${processes} claiming at once keep calls per second and concurrency, and lose nothing`, async (storage) => {
    const callsPerSecond = 8;
    const tenant = await createTenant(storage, { callsPerSecond, maximumConcurrentCalls: 4 });
    const accepted = new Set<string>();
    for (let count = 0; count < 14; count += 1) accepted.add(await tenant.accept());
    const others = openAnother === undefined ? [] : [await openAnother(), await openAnother()];
    const starts: number[] = [];
    const dialed: string[] = [];
    let open = 0;
    let mostOpen = 0;
    const work = async (store: Storage) => {
      for (;;) {
        const claimed = await store.calls.claimNext(tenant.connectionId, createId('att'), null);
        if (claimed.result === 'idle') return;
        if (claimed.result === 'wait') {
          await sleep(Math.min(claimed.waitMs, 50));
          continue;
        }
        assert.ok(claimed.result === 'claimed');
        const { attempt } = claimed.claim;
        starts.push(attempt.intentAt.getTime());
        dialed.push(attempt.callId);
        open += 1;
        mostOpen = Math.max(mostOpen, open);
        await sleep(150);
        open -= 1;
        await store.calls.report(attempt.id, {
          providerCallId: `CA-${attempt.id}`,
          status: 'completed',
          answeredBy: null,
          durationSeconds: 1,
        });
      }
    };
    try {
      await Promise.all([storage, ...others].flatMap((store) => [work(store), work(store)]));
    } finally {
      await Promise.all(others.map((store) => store.stop()));
    }
    assert.deepEqual(new Set(dialed), accepted);
    assert.equal(dialed.length, accepted.size, 'no call was dialed twice');
    assert.ok(mostOpen <= 4);
    starts.sort((a, b) => a - b);
    for (const [index, start] of starts.entries()) {
      const next = starts[index + callsPerSecond];
      assert.ok(next === undefined || next - start >= 1000, 'too many starts within a second');
    }
  });
}

async function assertFailed(tenant: Tenant, callId: string, reason: string): Promise<void> {
  const call = await tenant.call(callId);
  assert.equal(call.state, 'completed');
  assert.deepEqual(call.outcome, { callStatus: 'not_picked_up', providerStatus: 'failed' });
  assert.equal(call.reason, reason);
  assert.ok(call.endedAt !== null);
  assert.deepEqual(
    (await tenant.jobs('finish_call')).map((job) => job.subjectId),
    [callId],
  );
}
