import assert from 'node:assert/strict';
import type { HttpProbe } from './http-probe.ts';
import { assertProblem, record, text } from './http-probe.ts';

type Test = (probe: HttpProbe) => Promise<void>;

/** What concerns every path: methods, request ids, documentation, health, the carriers' door. */
export const surface: Readonly<Record<string, Test>> = {
  async 'a known path with another method gets 405 and Allow'(probe) {
    for (const [method, path, allow] of [
      ['GET', '/call', 'POST'],
      ['PUT', '/call-prompt', 'POST'],
      ['DELETE', '/workflows', 'GET, POST, HEAD'],
      ['POST', '/calls/call_x', 'GET, DELETE, HEAD'],
      ['OPTIONS', '/calls', 'GET, HEAD'],
    ] as const) {
      const answer = await probe.send(method, path);
      assertProblem(answer, 405, 'method_not_allowed');
      assert.equal(answer.headers.get('allow'), allow);
    }
  },

  async 'HEAD answers as GET, without a body'(probe) {
    const answer = await probe.send('HEAD', '/openapi.json');
    assert.equal(answer.status, 200);
    assert.equal(answer.text, '');
    assert.equal((await probe.send('HEAD', '/workflows')).status, 401);
  },

  async 'a request id is created, or taken over when it is a sane one'(probe) {
    const created = await probe.send('GET', '/healthz');
    assert.match(created.headers.get('request-id') ?? '', /^[\w-]{8,}$/);
    const taken = await probe.send('GET', '/healthz', { headers: { 'request-id': 'trace-0123456789' } });
    assert.equal(taken.headers.get('request-id'), 'trace-0123456789');
    for (const odd of ['short', 'x'.repeat(129), 'has blanks in it']) {
      const answer = await probe.send('GET', '/healthz', { headers: { 'request-id': odd } });
      assert.notEqual(answer.headers.get('request-id'), odd);
    }
  },

  async 'health and readiness need no key'(probe) {
    assert.deepEqual((await probe.send('GET', '/healthz')).json, { ok: true });
    const ready = await probe.send('GET', '/readyz');
    assert.equal(ready.status, 200, ready.text);
    assert.equal(record(ready.json).ok, true);
  },

  async 'the API describes itself as OpenAPI 3.1'(probe) {
    const { status, json } = await probe.send('GET', '/openapi.json');
    assert.equal(status, 200);
    const document = record(json);
    assert.match(text(document, 'openapi'), /^3\.1\./);
    assert.equal(text(document.info, 'version'), '1.0.0');
    const paths = record(document.paths);
    for (const path of [
      '/call',
      '/call-prompt',
      '/workflows',
      '/calls/{call_id}',
      '/webhooks',
      '/connections',
    ]) {
      assert.ok(path in paths, path);
    }
    const { responses, security } = record(record(paths['/call']).post);
    assert.deepEqual(security, [{ apiKey: [] }]);
    for (const code of ['200', '400', '401', '403', '404', '413', '415', '429', '500', '503']) {
      assert.ok(code in record(responses), code);
    }
  },

  async 'the documentation page needs nothing from elsewhere'(probe) {
    const page = await probe.send('GET', '/docs');
    assert.equal(page.status, 200);
    assert.match(page.headers.get('content-type') ?? '', /^text\/html/);
    assert.match(page.headers.get('content-security-policy') ?? '', /default-src 'none'/);
    assert.ok(!/(src|href)="(https?:)?\/\//.test(page.text), 'no foreign address');
    assert.ok(!/<script>|<style>|\son\w+=/.test(page.text), 'nothing inline');
    const assets = [...page.text.matchAll(/(?:src|href)="(docs\/[^"]+)"/g)].map(([, path]) => `/${path}`);
    assert.ok(assets.length > 0, 'a script or a style');
    for (const path of assets) {
      const asset = await probe.send('GET', path);
      assert.equal(asset.status, 200);
      assert.match(asset.headers.get('content-type') ?? '', /^text\/(javascript|css)/);
    }
  },

  async 'carriers need no key, but a genuine signature'(probe) {
    for (const method of ['POST', 'GET']) {
      const forged = await probe.send(method, `/carriers/${probe.carrier}/status/forged?CallSid=CA1`, {
        headers: { 'content-type': 'application/x-www-form-urlencoded', 'x-twilio-signature': 'forged' },
        ...(method === 'POST' && { bytes: 'CallStatus=completed' }),
      });
      assert.equal(forged.status, 403, forged.text);
    }
    assert.equal((await probe.send('POST', '/carriers/unheard-of/status')).status, 404);
  },

  async "the operator's endpoints need the operator's token"(probe) {
    for (const key of [undefined, probe.liveKey, `${probe.operatorToken}x`]) {
      const answer = await probe.send('GET', '/organizations', key === undefined ? {} : { key });
      assertProblem(answer, 401, 'unauthenticated');
    }
    assertProblem(await probe.send('GET', '/calls', { key: probe.operatorToken }), 401, 'unauthenticated');
    assert.equal((await probe.send('GET', '/organizations', { key: probe.operatorToken })).status, 200);
  },
};
