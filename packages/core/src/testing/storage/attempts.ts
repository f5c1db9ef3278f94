import assert from 'node:assert/strict';
import { createId } from '../../kernel/ids.ts';
import { createTenant, type StorageTest, sleep } from './tenant.ts';

/** How attempts are resolved, and that each is resolved once. */
export function attemptsContract(test: StorageTest): void {
  test('a placed attempt is bound to its carrier call, once', async (storage) => {
    const tenant = await createTenant(storage);
    await tenant.accept();
    const { attempt } = await tenant.claim();
    const sid = `CA-${attempt.id}`;
    assert.equal(await storage.calls.isBound(sid), false);
    assert.equal(await storage.calls.attemptPlaced(attempt.id, sid), true);
    assert.equal(await storage.calls.isBound(sid), true);
    const stored = await storage.calls.getAttempt(attempt.id);
    assert.equal(stored?.state, 'placed');
    assert.equal(stored?.providerCallId, sid);
    assert.equal(await storage.calls.attemptPlaced(attempt.id, 'CA-other'), false);
    assert.equal(await storage.calls.attemptUnknown(attempt.id, 10), false);
    assert.equal(await storage.calls.attemptNotPlaced(attempt.id, { retryInMs: 0 }), false);
    assert.equal(await storage.calls.attemptPlaced(createId('att'), sid), false);
    assert.equal(await storage.calls.getAttempt(createId('att')), null);
  });

  test("a webhook that is quicker than the carrier's answer makes no ghost", async (storage) => {
    const tenant = await createTenant(storage);
    await tenant.accept();
    const { attempt } = await tenant.claim();
    const providerCallId = `CA-${attempt.id}`;
    const report = { providerCallId, answeredBy: null, durationSeconds: null };
    await storage.calls.report(attempt.id, { ...report, status: 'initiated' });
    assert.equal(await storage.calls.attemptPlaced(attempt.id, providerCallId), true);
    assert.equal(await storage.calls.attemptPlaced(attempt.id, 'CA-other'), false);
    await storage.calls.report(attempt.id, { ...report, status: 'busy' });
    assert.equal(await storage.calls.attemptPlaced(attempt.id, providerCallId), true);
    assert.equal((await storage.calls.getAttempt(attempt.id))?.state, 'ended');
  });

  test('one carrier call is not bound to two attempts', async (storage) => {
    const tenant = await createTenant(storage);
    const { providerCallId } = await tenant.placed();
    await tenant.accept();
    const { attempt } = await tenant.claim();
    assert.equal(await storage.calls.attemptPlaced(attempt.id, providerCallId), false);
  });

  test('an unknown attempt is looked after, and can still turn out placed', async (storage) => {
    const tenant = await createTenant(storage);
    const callId = await tenant.accept();
    const { attempt } = await tenant.claim();
    assert.deepEqual(await tenant.jobs('watch_attempt'), [], 'not before its time');
    assert.equal(await storage.calls.attemptUnknown(attempt.id, 0), true);
    assert.equal((await tenant.call(callId)).state, 'unknown');
    assert.deepEqual(
      (await tenant.jobs('watch_attempt')).map((job) => job.subjectId),
      [attempt.id],
    );
    assert.equal(await storage.calls.countFruitlessLook(attempt.id), 1);
    assert.equal(await storage.calls.countFruitlessLook(attempt.id), 2);
    assert.equal((await storage.calls.getAttempt(attempt.id))?.fruitlessLooks, 2);
    assert.equal(await storage.calls.attemptPlaced(attempt.id, `CA-${attempt.id}`), true);
    assert.equal((await tenant.call(callId)).state, 'dialing');
  });

  test('an unknown attempt is not looked after before its time', async (storage) => {
    const tenant = await createTenant(storage);
    await tenant.accept();
    const { attempt } = await tenant.claim();
    await storage.calls.attemptUnknown(attempt.id, 60_000);
    assert.deepEqual(await tenant.jobs('watch_attempt'), []);
  });

  test('becoming unknown takes the watch away from whoever holds it', async (storage) => {
    const tenant = await createTenant(storage);
    await tenant.accept();
    const { attempt } = await tenant.claim();
    await storage.calls.attemptUnknown(attempt.id, 0);
    const [job] = await tenant.jobs('watch_attempt');
    assert.ok(job !== undefined);
    // A frozen dialer wakes up now and says that nothing was sent.
    await storage.calls.attemptNotPlaced(attempt.id, { retryInMs: 0 });
    assert.equal(await storage.jobs.reschedule(job, { delayMs: 0 }), false);
    assert.equal((await tenant.claim()).call.id, attempt.callId, 'the call has an owner: the queue');
  });

  test('an attempt that rang nobody gives the call back to the queue', async (storage) => {
    const tenant = await createTenant(storage);
    const callId = await tenant.accept();
    const { attempt } = await tenant.claim();
    assert.equal(await storage.calls.attemptNotPlaced(attempt.id, { retryInMs: 80 }), true);
    assert.equal((await storage.calls.getAttempt(attempt.id))?.state, 'not_placed');
    assert.equal((await tenant.call(callId)).state, 'queued');
    assert.deepEqual(await storage.calls.claimNext(tenant.connectionId, createId('att'), null), {
      result: 'idle',
    });
    await sleep(100);
    const second = await tenant.claim();
    assert.equal(second.call.id, callId);
    assert.notEqual(second.attempt.id, attempt.id);
    assert.equal(await storage.calls.attemptNotPlaced(attempt.id, { retryInMs: 0 }), false);
  });

  test('or ends it with a reason', async (storage) => {
    const tenant = await createTenant(storage);
    const callId = await tenant.accept();
    const { attempt } = await tenant.claim();
    assert.equal(await storage.calls.attemptNotPlaced(attempt.id, { reason: 'invalid_number' }), true);
    const call = await tenant.call(callId);
    assert.deepEqual(call.outcome, { callStatus: 'not_picked_up', providerStatus: 'failed' });
    assert.equal(call.reason, 'invalid_number');
    assert.equal((await tenant.jobs('finish_call')).length, 1);
  });

  test('a canceled call is not dialed again', async (storage) => {
    const tenant = await createTenant(storage);
    const callId = await tenant.accept();
    const { attempt } = await tenant.claim();
    const canceled = await storage.calls.cancel(tenant, callId);
    assert.equal(canceled?.attempt?.id, attempt.id);
    await storage.calls.attemptNotPlaced(attempt.id, { retryInMs: 0 });
    const call = await tenant.call(callId);
    assert.deepEqual(call.outcome, { callStatus: 'not_picked_up', providerStatus: 'canceled' });
    assert.equal(call.reason, 'canceled_by_request');
  });

  test('an abandoned attempt ends its call and frees its place', async (storage) => {
    const tenant = await createTenant(storage, { maximumConcurrentCalls: 1 });
    const { callId, attemptId } = await tenant.placed();
    assert.equal(await storage.calls.abandonAttempt(attemptId, 'carrier_record_stuck'), true);
    assert.equal(await storage.calls.abandonAttempt(attemptId, 'internal'), false);
    const call = await tenant.call(callId);
    assert.deepEqual(call.outcome, { callStatus: 'not_picked_up', providerStatus: 'failed' });
    assert.equal(call.reason, 'carrier_record_stuck');
    await tenant.accept();
    await tenant.claim();
  });

  test('of several who resolve one attempt at once, one does', async (storage) => {
    const tenant = await createTenant(storage);
    for (let round = 0; round < 10; round += 1) {
      const callId = await tenant.accept();
      const { attempt } = await tenant.claim();
      await storage.calls.attemptUnknown(attempt.id, 60_000);
      const won = await Promise.all([
        storage.calls.attemptPlaced(attempt.id, `CA-${attempt.id}`),
        storage.calls.attemptNotPlaced(attempt.id, { retryInMs: 60_000 }),
        storage.calls.attemptNotPlaced(attempt.id, { reason: 'placement_unconfirmed' }),
      ]);
      assert.equal(won.filter(Boolean).length, 1);
      const expected = ['dialing', 'queued', 'completed'][won.indexOf(true)];
      assert.equal((await tenant.call(callId)).state, expected);
    }
    assert.equal(await storage.calls.adoptOrphans(), 0);
  });
}
