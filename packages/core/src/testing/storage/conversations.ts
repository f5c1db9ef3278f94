import assert from 'node:assert/strict';
import { createId } from '../../kernel/ids.ts';
import { createTenant, definition, firstPage, type StorageTest } from './tenant.ts';

/** Cancellation, transcript and result of a call. */
export function conversationsContract(test: StorageTest): void {
  test('a queued call is canceled at once', async (storage) => {
    const tenant = await createTenant(storage);
    const stranger = await createTenant(storage);
    const callId = await tenant.accept();
    assert.equal(await storage.calls.cancel(stranger, callId), null);
    assert.equal(await storage.calls.cancel(tenant, createId('call')), null);
    const canceled = await storage.calls.cancel(tenant, callId);
    assert.equal(canceled?.attempt, null);
    assert.equal(canceled?.call.state, 'completed');
    assert.deepEqual(canceled?.call.outcome, { callStatus: 'not_picked_up', providerStatus: 'canceled' });
    assert.equal(canceled?.call.reason, 'canceled_by_request');
    assert.equal(canceled?.call.cancelRequested, true);
    assert.deepEqual(await storage.calls.claimNext(tenant.connectionId, createId('att'), null), {
      result: 'idle',
    });
    assert.equal((await tenant.jobs('finish_call')).length, 1);
    assert.deepEqual(await storage.calls.cancel(tenant, callId), canceled);
  });

  test('a prompt call can be canceled while its workflow is being generated', async (storage) => {
    const tenant = await createTenant(storage);
    const input = tenant.promptInput();
    await storage.calls.accept(input);
    await storage.calls.cancel(tenant, input.callId);
    assert.deepEqual(await tenant.jobs('generate_workflow'), []);
    await storage.calls.setGeneratedWorkflow(input.callId, null);
    assert.equal((await tenant.call(input.callId)).state, 'completed');
  });

  test('a live call is marked and its attempt returned', async (storage) => {
    const tenant = await createTenant(storage);
    const { callId, attemptId } = await tenant.placed();
    const canceled = await storage.calls.cancel(tenant, callId);
    assert.equal(canceled?.call.cancelRequested, true);
    assert.equal(canceled?.call.state, 'dialing');
    assert.equal(canceled?.attempt?.id, attemptId);
    assert.equal((await tenant.call(callId)).cancelRequested, true);
  });

  test('of a cancel and a claim at once both know of the other', async (storage) => {
    const tenant = await createTenant(storage);
    for (let round = 0; round < 10; round += 1) {
      const callId = await tenant.accept();
      const [canceled, claimed] = await Promise.all([
        storage.calls.cancel(tenant, callId),
        storage.calls.claimNext(tenant.connectionId, createId('att'), null),
      ]);
      if (claimed.result === 'claimed') {
        assert.equal(canceled?.attempt?.id, claimed.claim.attempt.id);
      } else {
        assert.equal(canceled?.call.state, 'completed');
      }
    }
  });

  test('the transcript keeps its order', async (storage) => {
    const tenant = await createTenant(storage);
    const { callId } = await tenant.placed();
    assert.deepEqual(await storage.calls.transcript(callId), []);
    assert.equal(await storage.calls.appendTranscript(callId, hello), 1);
    const numbers = await Promise.all(
      Array.from({ length: 10 }, (_, index) =>
        storage.calls.appendTranscript(callId, {
          role: index % 2 === 0 ? 'user' : 'assistant',
          content: `entry ${index}`,
          interrupted: index === 3,
        }),
      ),
    );
    assert.deepEqual(
      numbers.toSorted((a, b) => a - b),
      Array.from({ length: 10 }, (_, index) => index + 2),
    );
    const entries = await storage.calls.transcript(callId);
    assert.equal(entries.length, 11);
    for (const [index, number] of numbers.entries()) {
      assert.equal(entries[number - 1]?.content, `entry ${index}`);
      assert.equal(entries[number - 1]?.interrupted, index === 3);
    }
    assert.ok(entries[0]?.at instanceof Date);
    await assert.rejects(storage.calls.appendTranscript(createId('call'), hello), { code: 'not_found' });
  });

  test('lost channels are counted', async (storage) => {
    const tenant = await createTenant(storage);
    const { callId } = await tenant.placed();
    assert.equal(await storage.calls.countLostChannel(callId), 1);
    assert.equal(await storage.calls.countLostChannel(callId), 2);
  });

  test('a call is finished once, with its deliveries', async (storage) => {
    const tenant = await createTenant(storage);
    const { organizationId } = tenant;
    const { callId, attemptId, providerCallId } = await tenant.placed();
    const deliveries = (['callback', 'webhook'] as const).map((kind) => ({
      id: createId('dlv'),
      organizationId,
      mode: tenant.mode,
      callId,
      kind,
      integrationId: kind === 'webhook' ? 'whk_1' : null,
      url: 'https://example.com/hook',
      sealedBearer: null,
      body: '{"a":"ä"}',
    }));
    assert.equal(await storage.calls.finishCall(callId, 'Too early', []), false);
    await storage.calls.report(attemptId, {
      providerCallId,
      status: 'completed',
      answeredBy: null,
      durationSeconds: 1,
    });
    const finished = await Promise.all([
      storage.calls.finishCall(callId, 'They will come.', deliveries),
      storage.calls.finishCall(callId, 'They will come.', deliveries),
    ]);
    assert.deepEqual(finished.toSorted(), [false, true]);
    assert.equal((await tenant.call(callId)).summary, 'They will come.');
    const stored = await storage.deliveries.list(tenant, { callId }, firstPage);
    assert.deepEqual(stored.items.map(({ id }) => id).toSorted(), deliveries.map(({ id }) => id).toSorted());
    assert.ok(stored.items.every((item) => item.body === '{"a":"ä"}' && item.status === 'pending'));
    assert.deepEqual(
      (await tenant.jobs('deliver')).map((job) => job.subjectId).toSorted(),
      deliveries.map(({ id }) => id).toSorted(),
    );
  });

  test('the record of a call waits for the last words of its conversation', async (storage) => {
    const tenant = await createTenant(storage);
    const { calls } = storage;
    const { callId, attemptId, providerCallId } = await tenant.placed();
    await calls.report(attemptId, { providerCallId, ...answered });
    const [former, holder] = [createId('conv'), createId('conv')];
    assert.equal(await calls.holdConversation(callId, former, 60_000), true);
    assert.equal(await calls.holdConversation(callId, holder, 60_000), true);
    assert.deepEqual(await calls.prolongConversations([former, holder], 60_000), [holder]);
    await calls.releaseConversation(callId, former);
    assert.equal(await calls.seal(callId, patient), null, 'it goes on');
    await calls.report(attemptId, { providerCallId, ...over });
    const waiting = await calls.seal(callId, patient);
    assert.ok(waiting?.sealed === false && waiting.againInMs > 1_000);
    assert.deepEqual(await calls.prolongConversations([holder], 60_000), [], 'it is over');
    await calls.appendTranscript(callId, hello);
    await calls.releaseConversation(callId, holder);
    assert.deepEqual(await calls.seal(callId, patient), { sealed: true });
    assert.deepEqual(await calls.seal(callId, patient), { sealed: true });
    await assert.rejects(calls.appendTranscript(callId, hello), { code: 'not_found' });
    assert.equal((await calls.transcript(callId)).length, 1);
    const { outcome, reason } = await tenant.call(callId);
    assert.deepEqual([outcome?.callStatus, reason], ['success', null]);
    assert.equal(await calls.holdConversation(callId, createId('conv'), 60_000), false);
  });

  test('nothing is added to a sealed record, and an erased one is not sealed', async (storage) => {
    const tenant = await createTenant(storage);
    const { calls, forms } = storage;
    const formId = createId('form');
    await forms.create(tenant, {
      id: formId,
      title: 'Contact',
      fields: [{ name: 'Name', type: 'text', required: true }],
    });
    await storage.workflows.update(tenant, tenant.workflowId, {
      definition: { ...definition, forms: [formId] },
    });
    const { callId, attemptId, providerCallId } = await tenant.placed();
    await calls.report(attemptId, { providerCallId, ...over });
    const answer = { field: 'Name', value: 'Jordan', confirmed: true, quote: 'Jordan' };
    await calls.appendTranscript(callId, hello);
    await forms.storeAnswer(callId, formId, answer);
    assert.deepEqual(await calls.seal(callId, impatient), { sealed: true });
    const late = { ...answer, value: 'Robin' };
    await assert.rejects(forms.storeAnswer(callId, formId, late), { code: 'not_found' });
    await assert.rejects(calls.appendTranscript(callId, hello), { code: 'not_found' });
    assert.equal((await forms.ofCall(callId))[0]?.answers[0]?.value, 'Jordan');
    assert.equal((await calls.transcript(callId)).length, 1);

    const erased = await tenant.placed();
    await calls.report(erased.attemptId, { providerCallId: erased.providerCallId, ...over });
    await calls.erase(tenant, erased.callId, { name: 'Blank', definition });
    assert.equal(await calls.seal(erased.callId, impatient), null);
    assert.equal(await calls.seal(createId('call'), impatient), null);
  });

  test('a conversation whose process is lost is told of, and is waited for so long only', async (storage) => {
    const tenant = await createTenant(storage);
    const { calls } = storage;
    const endedAs = async (talk: (callId: string) => Promise<void>, seconds = 8) => {
      const { callId, attemptId, providerCallId } = await tenant.placed();
      await calls.report(attemptId, { providerCallId, ...answered });
      await talk(callId);
      await calls.report(attemptId, { providerCallId, ...over, durationSeconds: seconds });
      assert.deepEqual(await calls.seal(callId, { settle: 0, lease: 0, longest: 60_000 }), { sealed: true });
      const { outcome, reason } = await tenant.call(callId);
      return `${outcome?.callStatus}/${outcome?.providerStatus} ${reason}`;
    };
    const hold = (callId: string) => calls.holdConversation(callId, createId('conv'), 0);
    const lost = 'not_picked_up/failed connection_lost';
    assert.equal(await endedAs(async (callId) => void (await hold(callId))), lost);
    assert.equal(
      await endedAs(async (callId) => {
        await hold(callId);
        await calls.appendTranscript(callId, hello);
      }),
      lost,
    );
    assert.equal(
      await endedAs(async (callId) => {
        await hold(callId);
        await calls.noteConversationOver(callId);
      }),
      'success/completed connection_lost',
    );
    assert.equal(
      await endedAs(async (callId) => {
        await hold(callId);
        await calls.noteReason(callId, 'opted_out');
      }),
      'success/completed opted_out',
    );
    assert.equal(
      await endedAs(async (callId) => {
        await hold(callId);
        await calls.noteHeard(callId, 'voicemail');
      }),
      'voicemail/completed connection_lost',
    );
    assert.equal(await endedAs(async () => {}), 'not_picked_up/failed agent_unavailable');
    assert.equal(await endedAs(async () => {}, 1), 'success/completed null', 'they hung up at once');
    assert.equal(
      await endedAs(async (callId) => void (await calls.appendTranscript(callId, hello))),
      'success/completed null',
    );
  });

  test('a conversation that begins as the call ends is waited for, or does not begin', async (storage) => {
    const tenant = await createTenant(storage);
    const { calls } = storage;
    for (let time = 0; time < 10; time += 1) {
      const { callId, attemptId, providerCallId } = await tenant.placed();
      await calls.report(attemptId, { providerCallId, ...answered });
      const [isHeld] = await Promise.all([
        calls.holdConversation(callId, createId('conv'), 60_000),
        calls.report(attemptId, { providerCallId, ...over }),
      ]);
      const sealing = await calls.seal(callId, { ...patient, settle: 0 });
      assert.equal(sealing?.sealed, !isHeld);
    }
  });

  test('calls have owners all along: the sweeper finds nothing', async (storage) => {
    const tenant = await createTenant(storage);
    const { callId, attemptId, providerCallId } = await tenant.placed();
    assert.equal(await storage.calls.adoptOrphans(), 0);
    await storage.calls.report(attemptId, {
      providerCallId,
      status: 'busy',
      answeredBy: null,
      durationSeconds: null,
    });
    assert.equal(await storage.calls.adoptOrphans(), 0);
    const [job] = await tenant.jobs('finish_call');
    assert.ok(job !== undefined);
    await storage.calls.finishCall(callId, '', []);
    await storage.jobs.complete(job);
    assert.equal(await storage.calls.adoptOrphans(), 0);
  });

  test('a call whose work vanished is given it again', async (storage) => {
    const tenant = await createTenant(storage);
    const { callId, attemptId, providerCallId } = await tenant.placed();
    await storage.calls.report(attemptId, {
      providerCallId,
      status: 'busy',
      answeredBy: null,
      durationSeconds: null,
    });
    const [job] = await tenant.jobs('finish_call');
    assert.ok(job !== undefined);
    await storage.jobs.complete(job);
    assert.equal(await storage.calls.adoptOrphans(), 1);
    assert.deepEqual(
      (await tenant.jobs('finish_call')).map(({ subjectId }) => subjectId),
      [callId],
    );
  });
}

const hello = { role: 'assistant', content: 'Hello', interrupted: false } as const;
const answered = { status: 'in-progress', answeredBy: 'human', durationSeconds: null } as const;
const over = { status: 'completed', answeredBy: 'human', durationSeconds: 8 } as const;
const impatient = { settle: 0, lease: 0, longest: 0 };
const patient = { settle: 60_000, lease: 60_000, longest: 60_000 };
