import assert from 'node:assert/strict';
import type { Answer, HttpProbe } from './http-probe.ts';
import { assertInvalid, assertProblem, list, record, text } from './http-probe.ts';

type Test = (probe: HttpProbe) => Promise<void>;

const origin = 'https://www.example.com';

async function createKey(probe: HttpProbe, changes: object = {}): Promise<Record<string, unknown>> {
  const created = await probe.send('POST', '/publishable-keys', {
    key: probe.liveKey,
    json: {
      name: 'Website',
      mode: 'test',
      allowed_origins: [origin],
      workflow_ids: [probe.workflowId],
      ...changes,
    },
  });
  assert.equal(created.status, 201, created.text);
  return record(created.json);
}

function assertPageProblem(answer: Answer, status: number, code: string): void {
  assert.equal(answer.status, status, answer.text);
  const body = record(answer.json);
  assert.deepEqual(
    Object.keys(body),
    code === 'validation_failed' ? ['error', 'code', 'details'] : ['error', 'code'],
  );
  assert.equal(body.code, code);
  assert.equal(answer.headers.get('callkite-error-code'), code);
}

/** What web pages of other origins may do, and who lets them. */
export const webPages: Readonly<Record<string, Test>> = {
  async 'publishable keys are shown as often as one likes, changed, and revoked'(probe) {
    const created = await createKey(probe, { allowed_origins: [`${origin}:443`, 'https://*.example.org'] });
    const { identity_secret, ...key } = created;
    assert.match(String(identity_secret), /^ck_idn_/);
    assert.match(text(key, 'key'), /^ck_pub_/);
    assert.deepEqual(key.allowed_origins, [origin, 'https://*.example.org']);
    assert.equal(key.daily_calls, 200);
    assert.deepEqual(key.callback_countries, []);
    const listed = await probe.send('GET', '/publishable-keys', { key: probe.liveKey });
    assert.deepEqual(list(listed.json, 'publishable_keys')[0], key);
    const path = `/publishable-keys/${key.id}`;
    const changed = await probe.send('PATCH', path, { key: probe.liveKey, json: { daily_calls: 7 } });
    assert.deepEqual(changed.json, { ...key, daily_calls: 7 });
    const { key: stranger } = await probe.createOrganization();
    for (const method of ['PATCH', 'DELETE']) {
      const answer = await probe.send(method, path, { key: stranger, json: {} });
      assertProblem(answer, 404, 'not_found');
    }
    assertProblem(await probe.send('DELETE', path, { key: probe.testKey }), 403, 'forbidden');
    const revoked = await probe.send('DELETE', path, { key: probe.liveKey });
    assert.equal(revoked.status, 200, revoked.text);
    assert.ok(text(revoked.json, 'revoked_at'));
  },

  async 'publishable keys are for workflows of one’s own, and for origins that can be'(probe) {
    const { key } = await probe.createOrganization();
    const json = { name: 'x', mode: 'live', allowed_origins: [origin], workflow_ids: [probe.workflowId] };
    assertInvalid(await probe.send('POST', '/publishable-keys', { key, json }), ['workflow_ids']);
    for (const wrong of [
      '*',
      'https://*',
      'https://example.com/',
      'example.com',
      'https://EXAMPLE.com',
      'file://x',
    ]) {
      const answer = await probe.send('POST', '/publishable-keys', {
        key: probe.liveKey,
        json: { ...json, allowed_origins: [wrong] },
      });
      assertInvalid(answer, ['allowed_origins.0']);
    }
    const answer = await probe.send('POST', '/publishable-keys', {
      key: probe.liveKey,
      json: { ...json, callback_countries: ['XX'] },
    });
    assertInvalid(answer, ['callback_countries']);
  },

  async 'a page of the key’s origins gets a session, which the browser lets it read'(probe) {
    const created = await createKey(probe);
    const answer = await probe.send('POST', '/widget/sessions', {
      key: text(created, 'key'),
      json: { workflow_id: probe.workflowId, media: 'text' },
      headers: { origin },
    });
    assert.equal(answer.status, 201, answer.text);
    assert.equal(answer.headers.get('access-control-allow-origin'), origin);
    assert.equal(answer.headers.get('access-control-allow-credentials'), null);
    assert.match(text(answer.json, 'url'), /^wss?:\/\/.*\/widget\/socket$/);
    const call = await probe.send('GET', `/calls/${text(answer.json, 'call_id')}`, { key: probe.testKey });
    assertProblem(call, 404, 'not_found');
  },

  async 'pages are refused in words they can read'(probe) {
    const key = text(await createKey(probe), 'key');
    const json = { workflow_id: probe.workflowId };
    const ask = (sending: Parameters<HttpProbe['send']>[2]) =>
      probe.send('POST', '/widget/sessions', sending);
    const elsewhere = await ask({ key, json, headers: { origin: 'https://www.example.org' } });
    assertPageProblem(elsewhere, 403, 'origin_not_allowed');
    assert.equal(elsewhere.headers.get('access-control-allow-origin'), 'https://www.example.org');
    assertPageProblem(await ask({ key, json }), 403, 'origin_not_allowed');
    for (const wrong of [probe.liveKey, probe.operatorToken, 'ck_pub_x']) {
      assertPageProblem(await ask({ key: wrong, json, headers: { origin } }), 401, 'unauthenticated');
    }
    assertPageProblem(await ask({ key, json: {}, headers: { origin } }), 400, 'validation_failed');
    const other = await ask({ key, json: { workflow_id: 'wf_x' }, headers: { origin } });
    assertPageProblem(other, 403, 'workflow_disabled');
    assertProblem(await probe.send('GET', '/calls', { key, headers: { origin } }), 401, 'unauthenticated');
  },

  async 'a page may call back to the countries of its key only, and ask how that stands'(probe) {
    const consent = { text: 'I agree.', version: '1', time: '2026-11-21T05:00:00Z' };
    const json = { workflow_id: probe.workflowId, phone: probe.callee, consent };
    const ask = async (changes: object) =>
      probe.send('POST', '/widget/callbacks', {
        key: text(await createKey(probe, changes), 'key'),
        json,
        headers: { origin },
      });
    assertPageProblem(await ask({}), 400, 'destination_not_allowed');
    const answer = await ask({ callback_countries: ['US'] });
    assert.equal(answer.status, 202, answer.text);
    const path = `/widget/callbacks/${text(answer.json, 'call_id')}`;
    const state = await probe.send('GET', path, { key: text(answer.json, 'token') });
    assert.deepEqual(Object.keys(record(state.json)), ['call_id', 'state', 'result']);
    assertPageProblem(await probe.send('GET', path, { key: 'x' }), 401, 'unauthenticated');
    const call = await probe.send('GET', `/calls/${text(answer.json, 'call_id')}`, { key: probe.testKey });
    assert.deepEqual(record(record(call.json).visit).consent, consent);
  },

  async 'preflights are answered for the endpoints of pages, and for no other'(probe) {
    const preflight = (path: string) =>
      probe.send('OPTIONS', path, { headers: { origin, 'access-control-request-method': 'POST' } });
    const answer = await preflight('/widget/sessions');
    assert.equal(answer.status, 204, answer.text);
    assert.equal(answer.headers.get('access-control-allow-origin'), origin);
    assert.equal(answer.headers.get('access-control-allow-methods'), 'POST');
    const other = await preflight('/publishable-keys');
    assertProblem(other, 405, 'method_not_allowed');
    assert.equal(other.headers.get('access-control-allow-origin'), null);
  },
};
