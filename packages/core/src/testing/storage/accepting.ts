import assert from 'node:assert/strict';
import { createId } from '../../kernel/ids.ts';
import {
  byApi,
  createTenant,
  definition,
  fictional,
  hashed,
  idempotency,
  type StorageTest,
  sleep,
} from './tenant.ts';

/** How calls are taken in. */
export function acceptingContract(test: StorageTest): void {
  test('an accepted call is queued with what it was given', async (storage) => {
    const tenant = await createTenant(storage);
    const callId = await tenant.accept({
      to: fictional(7),
      recipientName: 'Robin',
      recipientEmail: 'robin@example.com',
      recipientContext: 'Prefers mornings',
      callbackUrl: 'https://example.com/done',
      sealedCallbackSecret: 'sealed',
    });
    const { createdAt, ...call } = await tenant.call(callId);
    assert.ok(createdAt instanceof Date);
    assert.deepEqual(call, {
      id: callId,
      organizationId: tenant.organizationId,
      mode: 'live',
      origin: 'workflow',
      workflowId: tenant.workflowId,
      workflowVersion: 1,
      workflowName: 'Reminder',
      connectionId: tenant.connectionId,
      from: tenant.from,
      to: fictional(7),
      recipientName: 'Robin',
      recipientEmail: 'robin@example.com',
      recipientContext: 'Prefers mornings',
      prompt: null,
      callbackUrl: 'https://example.com/done',
      sealedCallbackSecret: 'sealed',
      state: 'queued',
      outcome: null,
      reason: null,
      answeredBy: null,
      heard: null,
      voicemailMessage: null,
      cancelRequested: false,
      conversationOver: false,
      summary: null,
      answeredAt: null,
      endedAt: null,
      durationSeconds: null,
      erasedAt: null,
    });
  });

  test('a workflow call runs the version that was current when it was accepted', async (storage) => {
    const tenant = await createTenant(storage);
    const callId = await tenant.accept();
    await storage.workflows.update(tenant, tenant.workflowId, {
      definition: { ...definition, objective: 'Something else.' },
    });
    const loaded = await storage.calls.load(callId);
    assert.equal(loaded?.call.workflowVersion, 1);
    assert.equal(loaded?.definition.objective, definition.objective);
  });

  test('refusals come in their order and store nothing', async (storage) => {
    const tenant = await createTenant(storage);
    const stranger = await createTenant(storage);
    const refused = async (changes: Parameters<typeof tenant.input>[0], expected: string) => {
      const input = tenant.input({ idempotency: idempotency('k', 'b'), ...changes });
      assert.equal((await storage.calls.accept(input)).result, expected);
      assert.equal(await storage.calls.get(tenant, input.callId), null);
    };
    const to = fictional(9);
    await storage.doNotCall.add(tenant, [hashed(to)], byApi);
    await storage.calls.setConnectionDown(tenant.connectionId, 90_000);
    await refused({}, 'carrier-down');
    await storage.calls.pauseConnection(tenant.connectionId);
    await refused({}, 'no-usable-number');
    await refused({ to }, 'number-opted-out');
    await refused(
      { to, work: { origin: 'workflow', workflowId: stranger.workflowId } },
      'workflow-forbidden',
    );
    await refused({ to, work: { origin: 'workflow', workflowId: createId('wf') } }, 'workflow-not-found');
    await storage.workflows.delete(stranger, stranger.workflowId);
    await refused({ work: { origin: 'workflow', workflowId: stranger.workflowId } }, 'workflow-not-found');
  });

  test('a carrier that is down is told with the seconds that are left', async (storage) => {
    const tenant = await createTenant(storage);
    await storage.calls.setConnectionDown(tenant.connectionId, 90_000);
    const result = await storage.calls.accept(tenant.input());
    assert.equal(result.result, 'carrier-down');
    assert.ok(
      result.result === 'carrier-down' && result.retryAfterSeconds > 80 && result.retryAfterSeconds <= 90,
    );
    await storage.calls.setConnectionDown(tenant.connectionId, 0);
    await tenant.accept();
  });

  test('a line belongs to one mode', async (storage) => {
    const tenant = await createTenant(storage);
    assert.deepEqual(await storage.calls.accept(tenant.input({ mode: 'test' })), {
      result: 'no-usable-number',
    });
  });

  test('a repeated key gets the first answer, whatever the rest of the request', async (storage) => {
    const tenant = await createTenant(storage);
    const callId = await tenant.accept({ idempotency: idempotency('key', '{"n":1}') });
    const again = tenant.input({ idempotency: idempotency('key', '{"n":1}') });
    assert.deepEqual(await storage.calls.accept(again), {
      result: 'replayed',
      answer: { status: 200, body: '{"n":1}', callId, fingerprintMatches: true },
    });
    const other = tenant.input({
      idempotency: idempotency('key', '{"n":2}'),
      work: { origin: 'workflow', workflowId: createId('wf') },
    });
    assert.deepEqual(await storage.calls.accept(other), {
      result: 'replayed',
      answer: { status: 200, body: '{"n":1}', callId, fingerprintMatches: false },
    });
    const listed = tenant.input({ idempotency: idempotency('key', '{"n":1}') });
    await storage.doNotCall.add(tenant, [hashed(listed.to)], byApi);
    await storage.calls.pauseConnection(tenant.connectionId);
    assert.equal((await storage.calls.accept(listed)).result, 'replayed');
    for (const { callId: id } of [again, other, listed]) {
      assert.equal(await storage.calls.get(tenant, id), null);
    }
  });

  test('the answer of a key can be asked for, until the key is free again', async (storage) => {
    const tenant = await createTenant(storage);
    const stranger = await createTenant(storage);
    const { lifetimeMs: _, answer: stored, ...claim } = idempotency('key', '{"n":1}');
    const used = { ...claim, organizationId: tenant.organizationId };
    assert.equal(await storage.calls.findAnswer(used), null);
    const callId = await tenant.accept({ idempotency: idempotency('key', '{"n":1}') });
    const answer = { ...stored, callId, fingerprintMatches: true };
    assert.deepEqual(await storage.calls.findAnswer(used), answer);
    assert.deepEqual(await storage.calls.findAnswer({ ...used, fingerprint: 'other' }), {
      ...answer,
      fingerprintMatches: false,
    });
    for (const other of [
      { organizationId: stranger.organizationId },
      { endpoint: 'POST /call-prompt' },
      { key: 'other', keyHash: 'hash of other' },
    ]) {
      assert.equal(await storage.calls.findAnswer({ ...used, ...other }), null);
    }
    await tenant.accept({ idempotency: idempotency('brief', '{}', { lifetimeMs: 1 }) });
    await sleep(20);
    assert.equal(await storage.calls.findAnswer({ ...used, key: 'brief', keyHash: 'hash of brief' }), null);
  });

  test('keys are scoped to organization and endpoint', async (storage) => {
    const tenant = await createTenant(storage);
    const stranger = await createTenant(storage);
    await tenant.accept({ idempotency: idempotency('key', 'a') });
    await stranger.accept({ idempotency: idempotency('key', 'b') });
    await tenant.accept({ idempotency: { ...idempotency('key', 'c'), endpoint: 'POST /call-prompt' } });
  });

  test('of 25 concurrent requests with one key one is accepted and 24 replay it', async (storage) => {
    const tenant = await createTenant(storage);
    const results = await Promise.all(
      Array.from({ length: 25 }, (_, index) =>
        storage.calls.accept(tenant.input({ idempotency: idempotency('key', `answer ${index}`) })),
      ),
    );
    assert.equal(results.filter(({ result }) => result === 'accepted').length, 1);
    const bodies = new Set(results.flatMap((each) => (each.result === 'replayed' ? [each.answer.body] : [])));
    assert.equal(results.filter(({ result }) => result === 'replayed').length, 24);
    assert.equal(bodies.size, 1);
    const calls = await storage.calls.list(tenant, {}, { limit: 100, cursor: null });
    assert.equal(calls.items.length, 1);
  });

  test('an expired key is free again, for exactly one of those who want it', async (storage) => {
    const tenant = await createTenant(storage);
    const taken = idempotency('key', 'old', { lifetimeMs: 30 });
    await tenant.accept({ idempotency: taken });
    await sleep(60);
    await storage.calls.purgeIdempotency();
    const results = await Promise.all(
      Array.from({ length: 10 }, (_, index) =>
        storage.calls.accept(tenant.input({ idempotency: idempotency('key', `new ${index}`) })),
      ),
    );
    assert.equal(results.filter(({ result }) => result === 'accepted').length, 1);
    assert.ok(results.every((each) => each.result !== 'replayed' || each.answer.body.startsWith('new')));
  });

  test('a prompt call brings its workflow and waits for its generation', async (storage) => {
    const tenant = await createTenant(storage);
    const input = tenant.promptInput();
    assert.equal((await storage.calls.accept(input)).result, 'accepted');
    const call = await tenant.call(input.callId);
    assert.equal(call.origin, 'prompt');
    assert.equal(call.prompt, 'Ask whether they are open on Monday.');
    assert.equal(call.workflowName, 'Opening hours');
    const workflow = await storage.workflows.get(tenant, call.workflowId);
    assert.equal(workflow?.source, 'prompt');
    assert.deepEqual(workflow?.definition, definition);
    assert.deepEqual(
      (await tenant.jobs('generate_workflow')).map((job) => job.subjectId),
      [input.callId],
    );
    assert.deepEqual(await storage.calls.claimNext(tenant.connectionId, createId('att'), null), {
      result: 'idle',
    });

    await storage.calls.setGeneratedWorkflow(input.callId, {
      name: 'Monday hours',
      definition: { ...definition, objective: 'Ask about Monday.' },
    });
    const loaded = await storage.calls.load(input.callId);
    assert.equal(loaded?.call.workflowVersion, 2);
    assert.equal(loaded?.call.workflowName, 'Monday hours');
    assert.equal(loaded?.definition.objective, 'Ask about Monday.');
    assert.equal((await storage.workflows.get(tenant, call.workflowId))?.version, 2);

    await storage.calls.setGeneratedWorkflow(input.callId, { name: 'Late', definition });
    assert.equal((await tenant.call(input.callId)).workflowVersion, 2, 'a second generation changes nothing');
    assert.equal((await tenant.claim()).call.id, input.callId);
  });

  test('a prompt call without a generated workflow is dialed with the fallback', async (storage) => {
    const tenant = await createTenant(storage);
    const input = tenant.promptInput();
    await storage.calls.accept(input);
    await storage.calls.setGeneratedWorkflow(input.callId, null);
    const { call, definition: dialed } = await tenant.claim();
    assert.equal(call.workflowVersion, 1);
    assert.deepEqual(dialed, definition);
  });

  test('a call whose workflow wants a message for mailboxes is dialed once it is written', async (storage) => {
    const tenant = await createTenant(storage);
    const { connectionId } = tenant;
    const workflowId = createId('wf');
    const voicemail = { message: 'Please call back.', generate: true };
    await storage.workflows.create(tenant, {
      id: workflowId,
      name: 'Call back',
      definition: { ...definition, voicemail },
    });
    const work = { origin: 'workflow', workflowId } as const;
    const idle = async () => {
      assert.deepEqual(await storage.calls.claimNext(connectionId, createId('att'), null), {
        result: 'idle',
      });
    };
    const written = await tenant.accept({ work });
    await idle();
    assert.deepEqual(
      (await tenant.jobs('write_voicemail')).map((job) => job.subjectId),
      [written],
    );
    await storage.calls.setVoicemailMessage(written, 'We called about Monday.');
    await storage.calls.setVoicemailMessage(written, 'Too late.');
    const { call } = await tenant.claim();
    assert.equal(call.id, written);
    assert.equal(call.voicemailMessage, 'We called about Monday.');

    const unwritten = await tenant.accept({ work });
    await storage.calls.setVoicemailMessage(unwritten, null);
    assert.equal((await tenant.claim()).call.voicemailMessage, null);

    const canceled = await tenant.accept({ work });
    await storage.calls.cancel(tenant, canceled);
    assert.deepEqual(
      (await tenant.jobs('write_voicemail')).filter((job) => job.subjectId === canceled),
      [],
    );
    await storage.calls.setVoicemailMessage(canceled, 'Nobody is called.');
    await idle();

    await tenant.accept();
    assert.equal((await tenant.claim()).call.voicemailMessage, null, 'nothing is asked of other workflows');
  });

  test('calls are listed newest first, in pages, by filter, and only to their organization', async (storage) => {
    const tenant = await createTenant(storage);
    const stranger = await createTenant(storage);
    const ids: string[] = [];
    for (let index = 0; index < 5; index += 1) ids.unshift(await tenant.accept({ to: fictional(index + 1) }));
    const seen: string[] = [];
    let cursor: string | null = null;
    do {
      const page: Awaited<ReturnType<typeof storage.calls.list>> = await storage.calls.list(
        tenant,
        {},
        { limit: 2, cursor },
      );
      seen.push(...page.items.map((call) => call.id));
      assert.ok(seen.length <= ids.length, 'no call is listed twice');
      cursor = page.nextCursor;
    } while (cursor !== null);
    assert.deepEqual(seen, ids);
    const filtered = async (filter: Parameters<typeof storage.calls.list>[1]) =>
      (await storage.calls.list(tenant, { ...filter }, { limit: 10, cursor: null })).items.map(
        (call) => call.to,
      );
    assert.deepEqual(await filtered({ to: fictional(3) }), [fictional(3)]);
    assert.equal((await filtered({ state: 'queued', workflowId: tenant.workflowId })).length, 5);
    assert.deepEqual(await filtered({ callStatus: 'success' }), []);
    assert.deepEqual(await filtered({ createdBefore: new Date(0) }), []);
    assert.equal((await filtered({ createdAfter: new Date(0) })).length, 5);
    const [first = ''] = ids;
    assert.equal(await storage.calls.get(stranger, first), null);
    assert.deepEqual((await storage.calls.list(stranger, {}, { limit: 10, cursor: null })).items, []);
    await assert.rejects(storage.calls.list(tenant, {}, { limit: 10, cursor: '%%%' }), {
      code: 'validation_failed',
    });
  });
}
