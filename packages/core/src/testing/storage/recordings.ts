import assert from 'node:assert/strict';
import { createId } from '../../kernel/ids.ts';
import type { Storage } from '../../storage.ts';
import { createTenant, definition, firstPage, type StorageTest, type Tenant } from './tenant.ts';

const lookInMs = 60_000;

/** Recordings by reference, and the consent to them. */
export function recordingsContract(test: StorageTest): void {
  test('a recording is wanted once, followed by a job, and found by its call', async (storage) => {
    const tenant = await createTenant(storage);
    const { callId, attemptId, providerCallId } = await tenant.placed();
    const id = createId('rec');
    assert.deepEqual(await storage.recordings.ofCalls([callId]), []);
    assert.equal(await storage.recordings.want(callId, { id, lookInMs: 0 }), true);
    assert.equal(await storage.recordings.want(callId, { id: createId('rec'), lookInMs: 0 }), true);
    const recordings = await storage.recordings.ofCalls([callId, 'call_unknown']);
    assert.equal(recordings.length, 1);
    const [recording] = recordings;
    assert.ok(recording?.createdAt instanceof Date);
    const { createdAt: _, ...rest } = recording;
    assert.deepEqual(rest, {
      id,
      callId,
      organizationId: tenant.organizationId,
      consent: 'given',
      status: 'wanted',
      providerRecordingId: null,
      durationSeconds: null,
      expiresAt: null,
      expiresInMs: null,
      carrierCall: { attemptId, providerCallId },
    });
    assert.deepEqual(await storage.recordings.get(id), recording);
    assert.equal(await storage.recordings.get('rec_unknown'), null);
    const jobs = await tenant.jobs('follow_recording');
    assert.deepEqual(
      jobs.map(({ subjectId }) => subjectId),
      [callId],
    );
  });

  test('a report about a recording never goes backwards, and a complete one expires', async (storage) => {
    const tenant = await createTenant(storage);
    const { callId } = await tenant.placed();
    const retentionDays = 30;
    const of = async () => (await storage.recordings.ofCalls([callId]))[0];
    const begun = { providerRecordingId: 'RE1', status: 'recording', durationSeconds: null } as const;
    await storage.recordings.report(callId, { ...begun, retentionDays });
    assert.equal(await of(), undefined, 'no effect where none is wanted');
    await storage.recordings.want(callId, { id: createId('rec'), lookInMs });
    await storage.recordings.report(callId, { ...begun, retentionDays });
    assert.equal((await of())?.status, 'recording');
    await storage.recordings.report(callId, {
      ...begun,
      status: 'completed',
      durationSeconds: 12,
      retentionDays,
    });
    await storage.recordings.report(callId, { ...begun, retentionDays });
    const complete = await of();
    assert.equal(complete?.status, 'completed');
    assert.equal(complete.providerRecordingId, 'RE1');
    assert.equal(complete.durationSeconds, 12);
    const leftDays = (complete.expiresInMs ?? 0) / 86_400_000;
    assert.ok(leftDays > 29.9 && leftDays <= 30, `${leftDays} days`);
    assert.ok(complete.expiresAt instanceof Date);
    await storage.recordings.noteDeleted(callId);
    const deleted = await of();
    assert.equal(deleted?.status, 'deleted');
    assert.equal(deleted.providerRecordingId, null);
  });

  test('a refusal is for good, and what was recorded before is left to a job', async (storage) => {
    const tenant = await createTenant(storage);
    const { callId } = await tenant.placed();
    await storage.recordings.want(callId, { id: createId('rec'), lookInMs });
    assert.deepEqual(await tenant.jobs('follow_recording'), [], 'not before its time');
    await storage.recordings.forbid(callId, { id: createId('rec'), consent: 'refused' });
    assert.equal(await storage.recordings.want(callId, { id: createId('rec'), lookInMs: 0 }), false);
    const [recording] = await storage.recordings.ofCalls([callId]);
    assert.equal(recording?.consent, 'refused');
    const [job] = await tenant.jobs('follow_recording');
    assert.equal(job?.subjectId, callId);
    await storage.recordings.forbid(callId, { id: createId('rec'), consent: 'missing' });
    assert.equal((await storage.recordings.ofCalls([callId]))[0]?.consent, 'refused', 'a no is not unsaid');
    assert.equal(job && (await storage.jobs.complete(job)), false, 'whoever ran it saw the state of before');
    assert.equal((await tenant.jobs('follow_recording')).length, 1);
  });

  test('what was said is dropped at the end of a call whose callee refused, before it or after', async (storage) => {
    const { talked, ...tenant } = await createTalker(storage);
    const wordsOf = async (callId: string) => {
      const [filled] = await storage.forms.ofCall(callId);
      assert.equal(filled?.answers[0]?.value, 'Jordan');
      const { items } = await storage.deliveries.list(tenant, { callId }, firstPage);
      return {
        lines: (await storage.calls.transcript(callId)).length,
        quote: filled.answers[0].quote,
        told: items.map(({ body, status }) => ({ body: JSON.parse(body), status })),
      };
    };
    const forbid = (callId: string, consent: 'refused' | 'missing') =>
      storage.recordings.forbid(callId, { id: createId('rec'), consent });
    const kept = { lines: 1, quote: spoken.content };
    const dropped = { lines: 0, quote: '' };
    const toldOf = (callId: string, messages: readonly object[]) => [
      { body: { call_id: callId, messages, context: null }, status: 'pending' },
    ];

    const before = await talked();
    await forbid(before.callId, 'refused');
    assert.deepEqual(await wordsOf(before.callId), { ...kept, told: [] }, 'the conversation needs them');
    await before.end();
    assert.deepEqual(await wordsOf(before.callId), { ...dropped, told: toldOf(before.callId, []) });
    await assert.rejects(storage.calls.appendTranscript(before.callId, spoken), { code: 'not_found' });

    const after = await talked();
    await forbid(after.callId, 'missing');
    await after.end();
    const words = [{ role: 'user', content: spoken.content }];
    assert.deepEqual(
      await wordsOf(after.callId),
      { ...kept, told: toldOf(after.callId, words) },
      'nobody said no',
    );
    await forbid(after.callId, 'refused');
    assert.deepEqual(await wordsOf(after.callId), { ...dropped, told: toldOf(after.callId, []) });
    assert.equal((await tenant.call(after.callId)).summary, 'They are called Jordan.');
  });

  test('an answer that comes after a refusal keeps its quote until the end, and none comes after that', async (storage) => {
    const { talked } = await createTalker(storage);
    const living = await talked();
    await storage.recordings.forbid(living.callId, { id: createId('rec'), consent: 'refused' });
    await storage.forms.storeAnswer(living.callId, living.formId, answer);
    const [form] = await storage.forms.ofCall(living.callId);
    assert.equal(form?.answers[0]?.quote, answer.quote, 'the conversation needs it');
    await living.end();
    const late = storage.forms.storeAnswer(living.callId, living.formId, answer);
    await assert.rejects(late, { code: 'not_found' });
    assert.equal((await storage.forms.ofCall(living.callId))[0]?.answers[0]?.quote, '');
  });

  test('an attempt sends what a refusal has left, whatever was read before', async (storage) => {
    const { talked } = await createTalker(storage);
    const { callId, deliveryId, end } = await talked();
    await end();
    const read = await storage.deliveries.load(deliveryId);
    assert.equal(JSON.parse(read?.body ?? '').messages.length, 1);
    await storage.recordings.forbid(callId, { id: createId('rec'), consent: 'refused' });
    const begun = await storage.deliveries.beginAttempt(deliveryId);
    assert.equal(begun?.number, 1);
    assert.deepEqual(JSON.parse(begun.body), { call_id: callId, messages: [], context: null });
  });

  test('a recording that is complete after all is followed, also where the carrier was said to have none', async (storage) => {
    const tenant = await createTenant(storage);
    const absent = { providerRecordingId: null, status: 'absent', durationSeconds: null } as const;
    const complete = { providerRecordingId: 'RE1', status: 'completed', durationSeconds: 12 } as const;
    const followed = async () => {
      const { callId } = await tenant.placed();
      await storage.recordings.want(callId, { id: createId('rec'), lookInMs: 0 });
      const [job] = await tenant.jobs('follow_recording');
      assert.equal(job?.subjectId, callId);
      await storage.recordings.report(callId, { ...absent, retentionDays: 30 });
      return job;
    };
    const due = async () => {
      const jobs = await tenant.jobs('follow_recording');
      return jobs.map(({ subjectId, tries }) => ({ subjectId, tries }));
    };

    const ending = await followed();
    assert.deepEqual(await due(), [], 'somebody runs it');
    await storage.recordings.report(ending.subjectId, { ...complete, retentionDays: 30 });
    assert.equal(await storage.jobs.complete(ending), false, 'whoever ran it saw none');
    assert.deepEqual(await due(), [{ subjectId: ending.subjectId, tries: 1 }]);

    const failing = await followed();
    assert.equal(await storage.jobs.bury(failing, 'it keeps failing'), true);
    assert.deepEqual(await due(), [], 'it is buried');
    await storage.recordings.report(failing.subjectId, { ...complete, retentionDays: 30 });
    assert.deepEqual(await due(), [{ subjectId: failing.subjectId, tries: 1 }]);
  });

  test('a connection is kept while the carrier has recordings of its calls', async (storage) => {
    const tenant = await createTenant(storage);
    const stranger = await createTenant(storage);
    const remove = (of: Tenant) => storage.organizations.deleteConnection(of, of.connectionId);
    const ended = async (of: Tenant) => {
      const { callId, attemptId, providerCallId } = await of.placed();
      await storage.recordings.want(callId, { id: createId('rec'), lookInMs });
      await storage.calls.report(attemptId, { providerCallId, ...over });
      return callId;
    };
    const report = (callId: string, status: 'recording' | 'completed' | 'absent') =>
      storage.recordings.report(callId, {
        providerRecordingId: status === 'absent' ? null : 'RE1',
        status,
        durationSeconds: null,
        retentionDays: 30,
      });
    const nothing = await ended(tenant);
    await report(nothing, 'absent');
    const callId = await ended(tenant);
    const conflict = { code: 'conflict' };
    await assert.rejects(remove(tenant), conflict, 'nobody knows yet whether there is one');
    await report(callId, 'recording');
    await assert.rejects(remove(tenant), conflict);
    await report(callId, 'completed');
    await assert.rejects(remove(tenant), conflict);
    await storage.recordings.forbid(callId, { id: createId('rec'), consent: 'refused' });
    await assert.rejects(remove(tenant), conflict, 'it is still to be deleted');
    const queued = await tenant.accept();
    await assert.rejects(remove(tenant), conflict);
    assert.equal((await tenant.call(queued)).state, 'queued', 'nothing is done by halves');

    await ended(stranger);
    await storage.recordings.noteDeleted(callId);
    assert.equal(await remove(tenant), true);
  });

  test('a call that was refused before anything was recorded needs no job', async (storage) => {
    const tenant = await createTenant(storage);
    const { callId } = await tenant.placed();
    await storage.recordings.forbid(callId, { id: createId('rec'), consent: 'refused' });
    const [recording] = await storage.recordings.ofCalls([callId]);
    assert.equal(recording?.consent, 'refused');
    assert.equal(recording.status, 'deleted');
    assert.equal(await storage.recordings.want(callId, { id: createId('rec'), lookInMs: 0 }), false);
    assert.deepEqual(await tenant.jobs('follow_recording'), []);
  });
}

const over = { status: 'completed', answeredBy: null, durationSeconds: 1 } as const;
const spoken = { role: 'user', content: 'Jordan, and do not record me', interrupted: false } as const;
const answer = { field: 'Full name', value: 'Jordan', confirmed: true, quote: spoken.content } as const;

/** A tenant whose workflow has a form, and calls on which one line was said and one answer given. */
async function createTalker(storage: Storage) {
  const tenant = await createTenant(storage);
  const { organizationId, workflowId } = tenant;
  const { id: formId } = await storage.forms.create(tenant, {
    id: createId('form'),
    title: 'Visit',
    fields: [{ name: answer.field, type: 'text', required: true }],
  });
  await storage.workflows.update(tenant, workflowId, {
    definition: { ...definition, forms: [formId] },
  });
  const talked = async () => {
    const { callId, attemptId, providerCallId } = await tenant.placed();
    await storage.calls.appendTranscript(callId, spoken);
    await storage.forms.storeAnswer(callId, formId, answer);
    const deliveryId = createId('dlv');
    const end = async () => {
      await storage.calls.report(attemptId, { providerCallId, ...over });
      const messages = [{ role: spoken.role, content: spoken.content }];
      const told = {
        id: deliveryId,
        organizationId,
        mode: 'live',
        callId,
        kind: 'callback',
        integrationId: null,
        url: 'https://example.com/callback',
        sealedBearer: null,
        body: JSON.stringify({ call_id: callId, messages, context: null }),
      } as const;
      assert.equal(await storage.calls.finishCall(callId, 'They are called Jordan.', [told]), true);
    };
    return { callId, formId, deliveryId, end };
  };
  return { ...tenant, talked };
}
