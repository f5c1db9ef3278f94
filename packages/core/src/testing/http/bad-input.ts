import assert from 'node:assert/strict';
import type { HttpProbe } from './http-probe.ts';
import { assertProblem, text } from './http-probe.ts';

type Test = (probe: HttpProbe) => Promise<void>;

const json = { 'content-type': 'application/json' };
const bytes = (...values: number[]) => Uint8Array.from(values);

const unreadable: readonly (string | Uint8Array)[] = [
  '',
  ' ',
  '{',
  '{"recipient_phone":}',
  "{'recipient_phone':'x'}",
  '{"a":1}{"b":2}',
  'recipient_phone=%2B12025550142',
  '\uFEFF{}',
  bytes(0xff, 0xfe, 0x7b, 0x00),
  bytes(0x7b, 0x22, 0xc3, 0x28, 0x22, 0x3a, 0x31, 0x7d),
  bytes(0x22, 0xed, 0xa0, 0x80, 0x22),
  '{"recipient_name":"\\u0000"}',
  '{"recipient_name":"a\\ud800"}',
  '{"recipient_name":"\\udc00a"}',
  '{"\\u0000":1}',
  '{"deep":{"\\ud800":1}}',
  '{"list":["\\u0000"]}',
  `${'['.repeat(33)}${']'.repeat(33)}`,
  `${'{"a":'.repeat(33)}1${'}'.repeat(33)}`,
  `${'['.repeat(300_000)}${']'.repeat(300_000)}`,
  JSON.stringify(Object.fromEntries(Array.from({ length: 201 }, (_, index) => [`key${index}`, 1]))),
];

/** Input nobody should send: always refused with a 4xx that says why, and never stored. */
export const badInput: Readonly<Record<string, Test>> = {
  async 'unreadable bodies get 400'(probe) {
    const { key } = await probe.createOrganization();
    for (const body of unreadable) {
      assertProblem(
        await probe.send('POST', '/call', { key, bytes: body, headers: json }),
        400,
        'malformed_request',
      );
    }
  },

  async 'keys that name a prototype do no harm'(probe) {
    const { key } = await probe.createOrganization();
    const good = `"name":"Plain","definition":{"objective":"Say hello."`;
    for (const body of [
      `{"__proto__":{"isAdmin":true},${good}}}`,
      `{${good},"__proto__":{"objective":"Other."}}}`,
      `{${good},"metadata":{"__proto__":{"webhooks":["x"]},"kept":1}}}`,
      `{${good},"metadata":{"constructor":{"prototype":{"x":1}}}}}`,
    ]) {
      const answer = await probe.send('POST', '/workflows', { key, bytes: body, headers: json });
      assert.equal(answer.status, 201, answer.text);
      assert.ok(!answer.text.includes('__proto__'));
    }
    assert.equal(Reflect.get({}, 'isAdmin'), undefined);
  },

  async 'a body over 1 MiB gets 413, announced or not'(probe) {
    const { key } = await probe.createOrganization();
    const large = JSON.stringify({ recipient_context: 'x'.repeat(1024 * 1024) });
    assertProblem(
      await probe.send('POST', '/call', { key, bytes: large, headers: json }),
      413,
      'payload_too_large',
    );
    const streamed = await fetch(`${probe.url}/call`, {
      method: 'POST',
      headers: { ...json, authorization: `Bearer ${key}` },
      body: new Blob([large]).stream(),
      duplex: 'half',
    });
    assert.equal(streamed.status, 413);
    await streamed.body?.cancel();
    const fits = JSON.stringify({ padding: 'x'.repeat(1_000_000) });
    assertProblem(
      await probe.send('POST', '/call', { key, bytes: fits, headers: json }),
      400,
      'validation_failed',
    );
  },

  async 'bodies that are not plain application/json get 415'(probe) {
    const { key } = await probe.createOrganization();
    for (const headers of [
      {},
      { 'content-type': 'text/plain' },
      { 'content-type': 'application/x-www-form-urlencoded' },
      { 'content-type': 'application/jsonp' },
      { ...json, 'content-encoding': 'gzip' },
      { ...json, 'content-encoding': 'br' },
    ]) {
      assertProblem(
        await probe.send('POST', '/call', { key, bytes: '{}', headers }),
        415,
        'unsupported_media_type',
      );
    }
    for (const type of ['application/json; charset=utf-8', 'Application/JSON;charset=UTF-8']) {
      const answer = await probe.send('POST', '/call', {
        key,
        bytes: '{}',
        headers: { 'content-type': type },
      });
      assertProblem(answer, 400, 'validation_failed');
    }
  },

  async 'queries that cannot be read get 400'(probe) {
    const { key } = await probe.createOrganization();
    for (const query of [
      'limit=0',
      'limit=101',
      'limit=ten',
      'limit=1.5',
      'state=asleep',
      'call_status=maybe',
      'created_after=yesterday',
      'created_after=2026-13-01T00:00:00Z',
      'cursor=%F0%9F%8D%B0',
      'cursor=x',
      'color=red',
    ]) {
      assertProblem(await probe.send('GET', `/calls?${query}`, { key }), 400, 'validation_failed');
    }
    for (const query of ['to=%00', '%00=1', 'workflow_id=a%00b']) {
      assertProblem(await probe.send('GET', `/calls?${query}`, { key }), 400, 'malformed_request');
    }
    const good = 'limit=5&state=queued&to=%2B12025550142&created_after=2026-11-21T05:00:00%2B01:00';
    assert.equal((await probe.send('GET', `/calls?${good}`, { key })).status, 200);
    assert.equal((await probe.send('GET', '/calls?to=+12025550142', { key })).status, 200);
    assert.equal((await probe.send('GET', '/workflows?color=red', { key })).status, 200);
  },

  async 'paths with values that no id can have lead nowhere'(probe) {
    const { key } = await probe.createOrganization();
    for (const id of ['%00', '%', '%ff', '..%2f..', 'a b', 'x'.repeat(65), '%F0%9F%8D%B0', "'or'1'='1", '']) {
      const answer = await probe.send('GET', `/calls/${id}`, { key });
      // Some hosts refuse malformed addresses themselves.
      assert.ok(answer.status === 404 || answer.status === 400, `${id}: ${answer.status}`);
    }
    for (const id of ['call_unknown', 'constructor', '__proto__', 'x'.repeat(64)]) {
      assertProblem(await probe.send('GET', `/calls/${id}`, { key }), 404, 'not_found');
    }
  },

  async 'text of any script is kept as it is'(probe) {
    const { key } = await probe.createOrganization();
    const name = 'Ærøskøbing 東京 🍰 \u202eright\u202c "quoted" \\ </script>';
    const created = await probe.send('POST', '/workflows', {
      key,
      json: { name, definition: { objective: 'Say hello.\n\tTwice.' } },
    });
    assert.equal(created.status, 201, created.text);
    assert.equal(text(created.json, 'name'), name);
  },
};
