import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import type { Answer, HttpProbe } from './http-probe.ts';
import { assertInvalid, assertProblem, list, record, text } from './http-probe.ts';

type Test = (probe: HttpProbe) => Promise<void>;

const trigger = (probe: HttpProbe, changes: object = {}, headers: Record<string, string> = {}) =>
  probe.send('POST', '/call', {
    key: probe.liveKey,
    json: { recipient_phone: probe.callee, workflow_id: probe.workflowId, ...changes },
    headers,
  });

const prompt = (probe: HttpProbe, changes: object = {}, headers: Record<string, string> = {}) =>
  probe.send('POST', '/call-prompt', {
    key: probe.liveKey,
    json: { recipient_phone: probe.callee, prompt: 'Ask whether the shop is open on Sunday.', ...changes },
    headers,
  });

const callIdOf = (answer: Answer) => answer.headers.get('callkite-call-id');

function assertTriggered(answer: Answer): void {
  assert.equal(answer.status, 200, answer.text);
  const body = record(answer.json);
  assert.deepEqual(Object.keys(body).sort(), ['message', 'success']);
  assert.equal(body.success, true);
  assert.ok(typeof body.message === 'string' && body.message.length > 0);
}

/** Placing calls: the two endpoints, idempotency, and the order in which a request is refused. */
export const placingCalls: Readonly<Record<string, Test>> = {
  async 'POST /call places a call and answers success and message'(probe) {
    const answer = await trigger(probe, {
      recipient_name: 'Jamie Doe',
      recipient_email: 'jamie@example.com',
    });
    assertTriggered(answer);
    assert.match(answer.headers.get('content-type') ?? '', /^application\/json/);
    assert.match(answer.headers.get('ratelimit') ?? '', /^"default";r=\d+;t=\d+$/);
    assert.match(answer.headers.get('ratelimit-policy') ?? '', /^"default";q=\d+;w=60$/);
    assert.equal(answer.headers.get('idempotent-replayed'), null);
    const call = await probe.send('GET', `/calls/${callIdOf(answer)}`, { key: probe.liveKey });
    assert.equal(call.status, 200, call.text);
    assert.equal(text(call.json, 'recipient_name'), 'Jamie Doe');
  },

  async 'POST /call ignores fields it does not know'(probe) {
    assertTriggered(await trigger(probe, { campaign: { name: 'spring' } }));
  },

  async 'POST /call-prompt answers success, workflow_id and call_id, and both can be looked up'(probe) {
    const answer = await prompt(probe);
    assert.equal(answer.status, 200, answer.text);
    assert.deepEqual(Object.keys(record(answer.json)).sort(), ['call_id', 'success', 'workflow_id']);
    assert.equal(record(answer.json).success, true);
    const callId = text(answer.json, 'call_id');
    assert.equal(callIdOf(answer), callId);
    const call = await probe.send('GET', `/calls/${callId}`, { key: probe.liveKey });
    assert.equal(call.status, 200, call.text);
    assert.equal(text(call.json, 'workflow_id'), text(answer.json, 'workflow_id'));
    assert.equal(text(call.json, 'phone_number_to'), probe.callee);
    assert.match(text(call.json, 'created_at'), /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    const workflow = await probe.send('GET', `/workflows/${text(answer.json, 'workflow_id')}`, {
      key: probe.liveKey,
    });
    assert.equal(workflow.status, 200, workflow.text);
  },

  async 'a call is seen by keys of its organization and mode only'(probe) {
    const callId = text((await prompt(probe)).json, 'call_id');
    const listed = await probe.send('GET', '/calls?limit=100', { key: probe.liveKey });
    assert.ok(list(listed.json, 'calls').some((call) => call.call_id === callId));
    const { key } = await probe.createOrganization();
    for (const other of [probe.testKey, key]) {
      assertProblem(await probe.send('GET', `/calls/${callId}`, { key: other }), 404, 'not_found');
      assertProblem(await probe.send('POST', `/calls/${callId}/cancel`, { key: other }), 404, 'not_found');
      const others = await probe.send('GET', '/calls?limit=100', { key: other });
      assert.ok(!list(others.json, 'calls').some((call) => call.call_id === callId));
    }
  },

  async 'a call is erased once it is over, by keys of its organization and mode only'(probe) {
    const callId = text((await prompt(probe)).json, 'call_id');
    const erase = (key: string) => probe.send('DELETE', `/calls/${callId}`, { key });
    assertProblem(await erase(probe.testKey), 404, 'not_found');
    const { key } = await probe.createOrganization();
    assertProblem(await erase(key), 404, 'not_found');
    await probe.send('POST', `/calls/${callId}/cancel`, { key: probe.liveKey });
    let erased = await erase(probe.liveKey);
    for (let tries = 0; erased.status === 409 && tries < 200; tries += 1) {
      assertProblem(erased, 409, 'conflict');
      await new Promise((resolve) => setTimeout(resolve, 50));
      erased = await erase(probe.liveKey);
    }
    assert.equal(erased.status, 200, erased.text);
    assert.equal(text(erased.json, 'phone_number_to'), 'erased');
    assert.equal(record(erased.json).prompt, null);
    assert.equal((await erase(probe.liveKey)).text, erased.text);
    const seen = record((await probe.send('GET', `/calls/${callId}`, { key: probe.liveKey })).json);
    assert.equal(seen.erased_at, text(erased.json, 'erased_at'));
    assert.deepEqual(seen.messages, []);
  },

  async 'a repeated idempotency key gets the first answer again, byte for byte, and no new call'(probe) {
    const idempotency_key = randomUUID();
    for (const place of [prompt, trigger]) {
      const first = await place(probe, { idempotency_key });
      const second = await place(probe, { idempotency_key });
      assert.equal(second.status, first.status);
      assert.equal(second.text, first.text);
      assert.equal(callIdOf(second), callIdOf(first));
      assert.equal(first.headers.get('idempotent-replayed'), null);
      assert.equal(second.headers.get('idempotent-replayed'), 'true');
      assert.equal(second.headers.get('idempotent-body-mismatch'), null);
    }
  },

  async 'concurrent requests with one idempotency key place one call'(probe) {
    const idempotency_key = randomUUID();
    const answers = await Promise.all(Array.from({ length: 5 }, () => prompt(probe, { idempotency_key })));
    assert.equal(new Set(answers.map((answer) => answer.text)).size, 1);
    assert.equal(answers.filter((answer) => answer.headers.get('idempotent-replayed') === null).length, 1);
  },

  async 'a repeated key with another body gets the first answer, marked'(probe) {
    const idempotency_key = randomUUID();
    const first = await prompt(probe, { idempotency_key });
    const second = await prompt(probe, { idempotency_key, prompt: 'Ask something else.' });
    assert.equal(second.text, first.text);
    assert.equal(second.headers.get('idempotent-body-mismatch'), 'true');
  },

  async 'the Idempotency-Key header stands for the field'(probe) {
    const key = randomUUID();
    const first = await prompt(probe, {}, { 'idempotency-key': key });
    const second = await prompt(probe, { idempotency_key: key });
    assert.equal(second.text, first.text);
    assert.equal(second.headers.get('idempotent-replayed'), 'true');
    assert.equal(
      (await prompt(probe, { idempotency_key: key }, { 'idempotency-key': key })).text,
      first.text,
    );
    assertInvalid(await prompt(probe, { idempotency_key: key }, { 'idempotency-key': randomUUID() }), [
      'idempotency_key',
    ]);
  },

  async 'idempotency keys are scoped to endpoint and organization'(probe) {
    const idempotency_key = randomUUID();
    await prompt(probe, { idempotency_key });
    const elsewhere = await trigger(probe, { idempotency_key });
    assertTriggered(elsewhere);
    assert.equal(elsewhere.headers.get('idempotent-replayed'), null);
    const { key } = await probe.createOrganization();
    const json = { recipient_phone: probe.callee, prompt: 'Ask.', idempotency_key };
    assertProblem(await probe.send('POST', '/call-prompt', { key, json }), 503, 'no_usable_number');
  },

  async 'a refused request does not use its idempotency key up'(probe) {
    const idempotency_key = randomUUID();
    assertProblem(await trigger(probe, { idempotency_key, workflow_id: 'wf_unknown' }), 404, 'not_found');
    const answer = await trigger(probe, { idempotency_key });
    assertTriggered(answer);
    assert.equal(answer.headers.get('idempotent-replayed'), null);
  },

  async 'missing and wrong keys get 401, before anything else is looked at'(probe) {
    const authorizations = [undefined, 'Bearer', 'Bearer ck_live_wrong', 'Basic dXNlcjpwYXNz', probe.liveKey];
    for (const authorization of authorizations) {
      for (const path of ['/call', '/call-prompt']) {
        const answer = await probe.send('POST', path, {
          bytes: '{',
          headers: { 'content-type': 'text/plain', ...(authorization && { authorization }) },
        });
        assertProblem(answer, 401, 'unauthenticated');
        assert.equal(answer.headers.get('www-authenticate'), 'Bearer');
      }
    }
    assertProblem(await probe.send('GET', '/workflows'), 401, 'unauthenticated');
  },

  async 'failed validation names the fields'(probe) {
    const { key } = await probe.createOrganization();
    const post = (path: string, json: unknown) => probe.send('POST', path, { key, json });
    const good = { recipient_phone: probe.callee, workflow_id: probe.workflowId };
    assertInvalid(await post('/call', {}), ['recipient_phone', 'workflow_id']);
    assertInvalid(await post('/call', []), ['body']);
    assertInvalid(await post('/call', 'text'), ['body']);
    assertInvalid(await post('/call', null), ['body']);
    for (const [field, value] of [
      ['recipient_phone', 12025550142],
      ['recipient_phone', null],
      ['workflow_id', ''],
      ['workflow_id', {}],
      ['recipient_name', 'x'.repeat(201)],
      ['recipient_email', 'not-an-address'],
      ['recipient_email', `${'j'.repeat(65)}@example.com`],
      ['recipient_email', `jamie@${'example.'.repeat(31)}com`],
      ['recipient_context', 'x'.repeat(10_001)],
      ['idempotency_key', ''],
      ['idempotency_key', 'x'.repeat(256)],
      ['idempotency_key', 'a\nb'],
    ] as const) {
      assertInvalid(await post('/call', { ...good, [field]: value }), [field]);
    }
    const task = { recipient_phone: probe.callee, prompt: 'Ask.' };
    assertInvalid(await post('/call-prompt', {}), ['prompt', 'recipient_phone']);
    for (const [field, value] of [
      ['prompt', '   '],
      ['prompt', 'x'.repeat(4001)],
      ['callback_url', 'ftp://example.com/'],
      ['callback_url', 'no address'],
      ['callback_secret', 'line\r\nbreak'],
      ['callback_secret', ' blank first'],
      ['callback_secret', 'blank last '],
      ['callback_secret', ' '],
    ] as const) {
      assertInvalid(await post('/call-prompt', { ...task, [field]: value }), [field]);
    }
  },

  async 'an invalid phone number is refused before the workflow is looked for'(probe) {
    const { key } = await probe.createOrganization();
    for (const recipient_phone of [
      '',
      '202',
      '+',
      '+1',
      'sip:me@example.com',
      '+1202555014２',
      '+12025550142x1',
    ]) {
      const json = { recipient_phone, workflow_id: 'wf_unknown', prompt: 'Ask.' };
      for (const path of ['/call', '/call-prompt']) {
        assertProblem(await probe.send('POST', path, { key, json }), 400, 'invalid_phone_number');
      }
    }
  },

  async 'unknown and deleted workflows get 404, those of others 403'(probe) {
    const { key } = await probe.createOrganization();
    const call = (workflow_id: string) =>
      probe.send('POST', '/call', { key, json: { recipient_phone: probe.callee, workflow_id } });
    assertProblem(await call('wf_unknown'), 404, 'not_found');
    assertProblem(await call(probe.workflowId), 403, 'forbidden');
    const json = { name: 'Short-lived', definition: { objective: 'Say hello.' } };
    const id = text((await probe.send('POST', '/workflows', { key, json })).json, 'id');
    assert.equal((await probe.send('DELETE', `/workflows/${id}`, { key })).status, 204);
    assertProblem(await call(id), 404, 'not_found');
  },

  async 'without a connected number calls get 503'(probe) {
    const { key } = await probe.createOrganization();
    const json = { recipient_phone: probe.callee, prompt: 'Ask.' };
    assertProblem(await probe.send('POST', '/call-prompt', { key, json }), 503, 'no_usable_number');
  },

  async 'beyond the rate limit requests get 429 with Retry-After, before validation and for that organization only'(
    probe,
  ) {
    const { key } = await probe.createOrganization();
    const first = await probe.send('GET', '/workflows', { key });
    const limit = Number(/q=(\d+)/.exec(first.headers.get('ratelimit-policy') ?? '')?.[1]);
    assert.equal(first.headers.get('ratelimit')?.startsWith(`"default";r=${limit - 1};`), true);
    let answer = first;
    for (let count = 1; count <= limit && answer.status === 200; count += 1) {
      answer = await probe.send('GET', '/workflows', { key });
      assert.equal(answer.status, count < limit ? 200 : 429, `request ${count + 1} of ${limit}`);
    }
    assertProblem(answer, 429, 'rate_limited');
    assert.match(answer.headers.get('retry-after') ?? '', /^([1-9]|[1-5]\d|60)$/);
    assert.match(answer.headers.get('ratelimit') ?? '', /^"default";r=0;t=\d+$/);
    assertProblem(await probe.send('POST', '/call', { key, bytes: '{' }), 429, 'rate_limited');
    const other = await probe.createOrganization();
    assert.equal((await probe.send('GET', '/workflows', { key: other.key })).status, 200);
  },
};
