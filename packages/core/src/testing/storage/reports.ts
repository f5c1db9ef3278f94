import assert from 'node:assert/strict';
import type { AttemptReport, HeardAnswer } from '../../calls/call-store.ts';
import type { CarrierCallStatus } from '../../calls/carrier-adapter.ts';
import { createId } from '../../kernel/ids.ts';
import { createTenant, type StorageTest } from './tenant.ts';

function report(
  providerCallId: string,
  status: CarrierCallStatus,
  changes: Partial<AttemptReport> = {},
): AttemptReport {
  return { providerCallId, status, answeredBy: null, durationSeconds: null, ...changes };
}

/** What the carrier reports, in whatever order and how often. */
export function reportsContract(test: StorageTest): void {
  test('reports move a call forward to its end', async (storage) => {
    const tenant = await createTenant(storage);
    const { callId, attemptId, providerCallId } = await tenant.placed();
    const apply = async (...parameters: [CarrierCallStatus, Partial<AttemptReport>?]) => {
      const result = await storage.calls.report(attemptId, report(providerCallId, ...parameters));
      assert.ok(result.result === 'applied');
      return `${result.changed} ${result.call.state}`;
    };
    assert.equal(await apply('initiated'), 'false dialing');
    assert.equal(await apply('ringing'), 'true ringing');
    assert.equal(await apply('ringing'), 'false ringing');
    assert.equal(await apply('in-progress'), 'true in_progress');
    assert.equal(await apply('ringing'), 'false in_progress');
    assert.ok((await tenant.call(callId)).answeredAt !== null);
    assert.equal(await apply('in-progress', { answeredBy: 'human' }), 'true in_progress');
    assert.equal(await apply('in-progress', { answeredBy: 'unknown' }), 'false in_progress');
    assert.equal(await apply('completed', { durationSeconds: 42 }), 'true completed');
    assert.equal(await apply('completed', { durationSeconds: 43 }), 'false completed');
    assert.equal(await apply('failed'), 'false completed');
    assert.equal(await apply('in-progress', { answeredBy: 'machine' }), 'false completed');
    const call = await tenant.call(callId);
    assert.deepEqual(call.outcome, { callStatus: 'success', providerStatus: 'completed' });
    assert.equal(call.answeredBy, 'human');
    assert.equal(call.durationSeconds, 42);
    assert.equal(call.reason, null);
    assert.ok(call.endedAt !== null);
    assert.equal((await storage.calls.getAttempt(attemptId))?.state, 'ended');
    assert.deepEqual(
      (await tenant.jobs('finish_call')).map((job) => job.subjectId),
      [callId],
    );
  });

  for (const status of ['busy', 'no-answer', 'failed', 'canceled'] as const) {
    test(`a call the carrier ends as ${status} was not picked up`, async (storage) => {
      const tenant = await createTenant(storage);
      const { callId, attemptId, providerCallId } = await tenant.placed();
      await storage.calls.report(attemptId, report(providerCallId, status));
      const call = await tenant.call(callId);
      assert.deepEqual(call.outcome, { callStatus: 'not_picked_up', providerStatus: status });
      assert.equal(call.answeredAt, null);
    });
  }

  test('a machine that answered is voicemail', async (storage) => {
    const tenant = await createTenant(storage);
    const { callId, attemptId, providerCallId } = await tenant.placed();
    await storage.calls.report(attemptId, report(providerCallId, 'in-progress', { answeredBy: 'machine' }));
    await storage.calls.report(attemptId, report(providerCallId, 'completed'));
    assert.deepEqual((await tenant.call(callId)).outcome, {
      callStatus: 'voicemail',
      providerStatus: 'completed',
    });
  });

  test('what was heard outweighs what the carrier detected, before and after', async (storage) => {
    const tenant = await createTenant(storage);
    const heardAs = async (...heard: readonly HeardAnswer[]) => {
      const { callId, attemptId, providerCallId } = await tenant.placed();
      const machine = { answeredBy: 'machine' } as const;
      await storage.calls.report(attemptId, report(providerCallId, 'in-progress'));
      for (const each of heard) await storage.calls.noteHeard(callId, each);
      const detected = await storage.calls.report(attemptId, report(providerCallId, 'in-progress', machine));
      assert.ok(detected.result === 'applied' && detected.changed);
      assert.equal(detected.call.heard, heard.at(-1));
      await storage.calls.report(attemptId, report(providerCallId, 'completed', machine));
      await storage.calls.noteHeard(callId, 'fax');
      const { answeredBy, outcome } = await tenant.call(callId);
      return `${answeredBy} ${outcome?.callStatus}/${outcome?.providerStatus}`;
    };
    assert.equal(await heardAs('person'), 'human success/completed');
    assert.equal(await heardAs('greeting', 'person'), 'human success/completed');
    assert.equal(await heardAs('menu'), 'unknown success/completed');
    for (const machine of ['greeting', 'voicemail', 'mailbox-full', 'screening'] as const) {
      assert.equal(await heardAs(machine), 'machine voicemail/completed');
    }
    assert.equal(await heardAs('fax'), 'fax voicemail/completed');
    // A word or two prove nothing: the carrier's verdict stands.
    assert.equal(await heardAs('someone'), 'machine voicemail/completed');
    assert.equal(await heardAs('someone', 'person'), 'human success/completed');
  });

  test('a mailbox that only its words gave away is voicemail', async (storage) => {
    const tenant = await createTenant(storage);
    const { callId, attemptId, providerCallId } = await tenant.placed();
    await storage.calls.report(attemptId, report(providerCallId, 'in-progress', { answeredBy: 'human' }));
    await storage.calls.noteHeard(callId, 'voicemail');
    await storage.calls.report(attemptId, report(providerCallId, 'completed', { answeredBy: 'human' }));
    const { outcome, answeredBy } = await tenant.call(callId);
    assert.deepEqual(outcome, { callStatus: 'voicemail', providerStatus: 'completed' });
    assert.equal(answeredBy, 'machine');
  });

  test('an end without an answer reported before is still an answered call', async (storage) => {
    const tenant = await createTenant(storage);
    const { callId, attemptId, providerCallId } = await tenant.placed();
    await storage.calls.report(attemptId, report(providerCallId, 'completed', { durationSeconds: 5 }));
    const call = await tenant.call(callId);
    assert.equal(call.outcome?.callStatus, 'success');
    assert.ok(call.answeredAt !== null && call.endedAt !== null && call.answeredAt < call.endedAt);
  });

  test('a report binds the carrier call before the answer to its placement arrives', async (storage) => {
    const tenant = await createTenant(storage);
    await tenant.accept();
    const { attempt } = await tenant.claim();
    const result = await storage.calls.report(attempt.id, report('CA-early', 'ringing'));
    assert.ok(result.result === 'applied' && result.changed);
    assert.equal((await storage.calls.getAttempt(attempt.id))?.providerCallId, 'CA-early');
    assert.equal(await storage.calls.attemptUnknown(attempt.id, 0), false);
    assert.equal(await storage.calls.attemptNotPlaced(attempt.id, { retryInMs: 0 }), false);
  });

  test('a report resolves an unknown attempt', async (storage) => {
    const tenant = await createTenant(storage);
    const callId = await tenant.accept();
    const { attempt } = await tenant.claim();
    await storage.calls.attemptUnknown(attempt.id, 60_000);
    await storage.calls.report(attempt.id, report('CA-found', 'queued'));
    assert.equal((await tenant.call(callId)).state, 'dialing');
  });

  test('a carrier call nobody waits for any more is a ghost', async (storage) => {
    const tenant = await createTenant(storage);
    const { attemptId, callId } = await tenant.placed();
    const stranger = await storage.calls.report(attemptId, report('CA-second', 'ringing'));
    assert.equal(stranger.result, 'ghost');
    assert.equal((await tenant.call(callId)).state, 'dialing', 'a ghost changes nothing');

    const requeued = await tenant.accept();
    const { attempt } = await tenant.claim();
    await storage.calls.attemptNotPlaced(attempt.id, { retryInMs: 60_000 });
    assert.equal((await storage.calls.report(attempt.id, report('CA-late', 'in-progress'))).result, 'ghost');
    assert.equal((await tenant.call(requeued)).state, 'queued');

    await tenant.accept();
    const { attempt: abandoned } = await tenant.claim();
    await storage.calls.abandonAttempt(abandoned.id, 'internal');
    assert.equal((await storage.calls.report(abandoned.id, report('CA-later', 'ringing'))).result, 'ghost');
    assert.equal(
      (await storage.calls.report(createId('att'), report('CA-none', 'ringing'))).result,
      'unknown-attempt',
    );
  });

  test('the same end reported many times at once is applied once', async (storage) => {
    const tenant = await createTenant(storage);
    const { attemptId, providerCallId } = await tenant.placed();
    const results = await Promise.all(
      Array.from({ length: 12 }, (_, index) =>
        storage.calls.report(attemptId, report(providerCallId, index % 2 === 0 ? 'completed' : 'busy')),
      ),
    );
    assert.equal(results.filter((each) => each.result === 'applied' && each.changed).length, 1);
    assert.equal((await tenant.jobs('finish_call')).length, 1);
  });

  test('a noted reason is kept, the first one', async (storage) => {
    const tenant = await createTenant(storage);
    const { callId, attemptId, providerCallId } = await tenant.placed();
    await storage.calls.noteReason(callId, 'opted_out');
    await storage.calls.noteReason(callId, 'time_limit');
    await storage.calls.report(attemptId, report(providerCallId, 'completed'));
    await storage.calls.noteReason(callId, 'internal');
    assert.equal((await tenant.call(callId)).reason, 'opted_out');
  });

  test('a call in which the agent failed is no success, and tells why', async (storage) => {
    const tenant = await createTenant(storage);
    const endedAfter = async (happened: (callId: string) => Promise<void>) => {
      const { callId, attemptId, providerCallId } = await tenant.placed();
      const answered = report(providerCallId, 'in-progress', { answeredBy: 'human' });
      await storage.calls.report(attemptId, answered);
      await happened(callId);
      await storage.calls.report(attemptId, report(providerCallId, 'completed'));
      await storage.calls.noteAgentFailed(callId);
      const { outcome, reason, answeredAt } = await tenant.call(callId);
      assert.ok(answeredAt);
      return `${outcome?.callStatus}/${outcome?.providerStatus} ${reason}`;
    };
    const { calls } = storage;
    assert.equal(
      await endedAfter((callId) => calls.noteAgentFailed(callId)),
      'not_picked_up/failed agent_unavailable',
    );
    assert.equal(
      await endedAfter((callId) => calls.noteReason(callId, 'agent_unavailable')),
      'success/completed agent_unavailable',
    );
    assert.equal(
      await endedAfter(async (callId) => {
        await calls.noteReason(callId, 'opted_out');
        await calls.noteAgentFailed(callId);
      }),
      'success/completed opted_out',
    );
    assert.equal(
      await endedAfter(async (callId) => {
        await calls.noteHeard(callId, 'voicemail');
        await calls.noteAgentFailed(callId);
      }),
      'voicemail/completed agent_unavailable',
    );
  });

  for (const status of ['canceled', 'no-answer'] as const) {
    test(`a cancel that the carrier reports as ${status} is a cancel`, async (storage) => {
      const tenant = await createTenant(storage);
      const { callId, attemptId, providerCallId } = await tenant.placed();
      await storage.calls.cancel(tenant, callId);
      await storage.calls.report(attemptId, report(providerCallId, status));
      const call = await tenant.call(callId);
      assert.deepEqual(call.outcome, { callStatus: 'not_picked_up', providerStatus: 'canceled' });
      assert.equal(call.reason, 'canceled_by_request');
    });
  }
}
