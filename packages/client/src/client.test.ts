import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { Webhook } from 'standardwebhooks';
import { afterEach, describe, expect, it } from 'vitest';
import {
  CallkiteApiError,
  CallkiteConnectionError,
  CallkiteTimeoutError,
  callkite,
  verifyWebhook,
  WebhookVerificationError,
} from './index.ts';

interface Received {
  readonly method: string | undefined;
  readonly url: string | undefined;
  readonly authorization: string | undefined;
  readonly body: string;
}

type Reply = (response: ServerResponse, request: IncomingMessage) => void;

const servers: Server[] = [];

afterEach(async () => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
});

/** An API that gives these replies in order, and fails when asked once more. */
async function api(...replies: Reply[]) {
  const received: Received[] = [];
  const server = createServer(async (request, response) => {
    const { method, url, headers } = request;
    received.push({ method, url, authorization: headers.authorization, body: await text(request) });
    const reply = replies.shift();
    if (reply) reply(response, request);
    else response.writeHead(599).end();
  });
  servers.push(server.listen(0, '127.0.0.1'));
  await once(server, 'listening');
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  return { received, baseUrl, client: callkite({ apiKey: 'ck_test_x', baseUrl }) };
}

const json =
  (status: number, body: unknown, headers: Record<string, string> = {}): Reply =>
  (response) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
  };
const drop: Reply = (response) => {
  response.destroy();
};
const problem = (status: number, code: string, headers: Record<string, string> = {}) =>
  json(status, { error: 'no' }, { 'callkite-error-code': code, 'request-id': 'request-1', ...headers });

const task = { recipient_phone: '+12025550142', prompt: 'Ask when they open.' };
const accepted = { success: true, workflow_id: 'wf_1', call_id: 'call_1' };

describe('placing calls', () => {
  it('keeps one idempotency key over all retries of one invocation', async () => {
    const { client, received } = await api(
      drop,
      problem(503, 'storage_unavailable'),
      problem(429, 'rate_limited', { 'retry-after': '0' }),
      json(200, accepted),
      json(200, accepted),
    );
    expect(await client.calls.prompt(task)).toEqual(accepted);
    await client.calls.prompt(task);
    const keys = received.map(({ body }) => JSON.parse(body).idempotency_key);
    expect(keys).toHaveLength(5);
    expect(new Set(keys.slice(0, 4)).size).toBe(1);
    expect(keys[0]).toMatch(/^[\w-]{36}$/);
    expect(keys[4]).not.toBe(keys[0]);
    expect(received[0]).toMatchObject({
      method: 'POST',
      url: '/call-prompt',
      authorization: 'Bearer ck_test_x',
    });
  });

  it('uses the key it is given, and tells the id of the call', async () => {
    const { client, received } = await api(
      json(200, { success: true, message: 'ok' }, { 'callkite-call-id': 'call_1' }),
    );
    const triggered = await client.calls.trigger({
      recipient_phone: '+12025550142',
      workflow_id: 'wf_1',
      idempotency_key: 'mine',
    });
    expect(triggered).toEqual({ success: true, message: 'ok', call_id: 'call_1' });
    expect(JSON.parse(received[0]?.body ?? '')).toMatchObject({
      idempotency_key: 'mine',
      workflow_id: 'wf_1',
    });
  });

  it('repeats what a proxy may have said, with the key, and puts it on the error in the end', async () => {
    const { client, received } = await api(
      json(502, '<html>'),
      problem(500, 'internal'),
      (response) => response.writeHead(200).end('<html>'),
      (response) => response.writeHead(504).end(),
    );
    const error = await client.calls.prompt(task).catch((thrown: unknown) => thrown);
    const keys = received.map(({ body }) => JSON.parse(body).idempotency_key);
    expect(keys).toHaveLength(4);
    expect(new Set(keys).size).toBe(1);
    expect(error).toBeInstanceOf(CallkiteApiError);
    expect(error).toMatchObject({ status: 504, code: 'unknown', idempotencyKey: keys[0] });
  });

  it('says that no answer arrived, with the cause and the key', async () => {
    const { client, received } = await api(drop, drop, drop, drop);
    const error = await client.calls.prompt(task).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(CallkiteConnectionError);
    const key = JSON.parse(received[0]?.body ?? '').idempotency_key;
    expect(error).toMatchObject({ idempotencyKey: key, cause: expect.any(TypeError) });
    expect(String(error)).toMatch(/UND_ERR_SOCKET.*use the same idempotency key/);
    expect(received).toHaveLength(4);
  });

  it('does not send a key again that the server may have forgotten by the time it arrives', async () => {
    const wait = { 'retry-after': '1' };
    for (const [attemptTimeoutMs, attempts] of [
      [298_000, 2],
      [299_000, 1],
    ] as const) {
      const { baseUrl, received } = await api(problem(503, 'storage_unavailable', wait), drop, json(200, {}));
      const client = callkite({ apiKey: 'ck_test_x', baseUrl, attemptTimeoutMs, maximumRetries: 1 });
      await expect(client.calls.prompt(task)).rejects.toThrow();
      expect(received).toHaveLength(attempts);
    }
  });

  it('does not repeat what cannot get better', async () => {
    for (const [status, code] of [
      [400, 'validation_failed'],
      [401, 'unauthenticated'],
      [503, 'no_usable_number'],
    ] as const) {
      const { client, received } = await api(problem(status, code));
      const error = await client.calls.prompt(task).catch((thrown: unknown) => thrown);
      expect(error).toBeInstanceOf(CallkiteApiError);
      expect(error).toMatchObject({ status, code, message: 'no', requestId: 'request-1' });
      expect(received).toHaveLength(1);
    }
  });
});

describe('other requests', () => {
  it('does not repeat a creation whose answer was lost', async () => {
    const { client, received } = await api(drop);
    await expect(client.webhooks.create({ name: 'CRM', url: 'https://example.com' })).rejects.toThrow();
    expect(received).toHaveLength(1);
  });

  it('follows no redirect, and says where it leads', async () => {
    const location = 'https://callkite.example.com/call-prompt';
    const { client, received } = await api((response) => response.writeHead(301, { location }).end());
    await expect(client.calls.prompt(task)).rejects.toMatchObject({
      status: 301,
      message: `the server answered 301, a redirect to ${location}: check baseUrl`,
    });
    expect(received).toHaveLength(1);
  });

  it('refuses options that cannot work', () => {
    const baseUrl = 'https://callkite.example.com';
    for (const options of [
      { apiKey: '', baseUrl },
      { apiKey: 'ck_live_x\n', baseUrl },
      { apiKey: 'ck_live_x', baseUrl: 'callkite.example.com' },
      { apiKey: 'ck_live_x', baseUrl: 'file:///callkite' },
    ])
      expect(() => callkite(options)).toThrow(TypeError);
  });

  it('resolves also when the server is not ready', async () => {
    const state = { ok: false, checks: { storage: 'down' } };
    const { client, received } = await api(json(503, state));
    expect(await client.server.readiness()).toEqual(state);
    expect(received).toHaveLength(1);
  });

  it('downloads a recording from the server it knows', async () => {
    const { client, received } = await api((response) =>
      response.writeHead(200, { 'content-type': 'audio/wav' }).end(Buffer.from([1, 2, 3])),
    );
    const blob = await client.calls.recording(
      'https://x.example.com/recordings/rec_1?expires=1&signature=a%2Bb',
    );
    expect([...new Uint8Array(await blob.arrayBuffer())]).toEqual([1, 2, 3]);
    expect(blob.type).toBe('audio/wav');
    expect(received[0]?.url).toBe('/recordings/rec_1?expires=1&signature=a%2Bb');
  });

  it('gives up when the API asks for more patience than allowed', async () => {
    const { received, baseUrl } = await api(problem(429, 'rate_limited', { 'retry-after': '60' }));
    const client = callkite({ apiKey: 'ck_test_x', baseUrl, maximumRetryDelayMs: 1_000 });
    await expect(client.workflows.get('wf_1')).rejects.toMatchObject({
      code: 'rate_limited',
      retryAfterSeconds: 60,
    });
    expect(received).toHaveLength(1);
  });

  it('says so when something other than Callkite answers', async () => {
    const { client } = await api((response) => response.writeHead(418).end('<html>'));
    await expect(client.workflows.get('wf_1')).rejects.toMatchObject({ status: 418, code: 'unknown' });
  });

  it('walks through the pages of a list', async () => {
    const { client, received } = await api(
      json(200, { calls: [{ call_id: 'a' }, { call_id: 'b' }], next_cursor: 'n+x' }),
      json(200, { calls: [{ call_id: 'c' }], next_cursor: null }),
    );
    const ids: string[] = [];
    for await (const call of client.calls.list({ state: 'completed', to: '+12025550142' }))
      ids.push(call.call_id);
    expect(ids).toEqual(['a', 'b', 'c']);
    expect(received[1]?.url).toBe('/calls?limit=100&state=completed&to=%2B12025550142&cursor=n%2Bx');
  });

  it('encodes what goes into a path', async () => {
    const { client, received } = await api((response) => response.writeHead(204).end());
    expect(await client.workflows.delete('../calls?x')).toBeUndefined();
    expect(received[0]?.url).toBe('/workflows/..%2Fcalls%3Fx');
  });
});

describe('waiting for a call', () => {
  it('asks until the call is over and summed up', async () => {
    const { client, received } = await api(
      json(200, { state: 'ringing', call_summary: null }),
      json(200, { state: 'completed', call_summary: null }),
      json(200, { state: 'completed', call_summary: 'They open at nine.' }),
    );
    const call = await client.calls.waitFor('call_1', { pollMs: 5 });
    expect(call.call_summary).toBe('They open at nine.');
    expect(received.map(({ url }) => url)).toEqual(['/calls/call_1', '/calls/call_1', '/calls/call_1']);
  });

  it('rejects when the call is not over in time', async () => {
    const { client } = await api(json(200, { state: 'ringing', call_summary: null }));
    await expect(client.calls.waitFor('call_1', { timeoutMs: 1 })).rejects.toBeInstanceOf(
      CallkiteTimeoutError,
    );
  });
});

describe('webhooks', () => {
  const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
  const body = JSON.stringify({ call_id: 'call_1', call_status: 'success' });
  const signed = (at: Date, of = body) => ({
    'webhook-id': 'msg_1',
    'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
    'webhook-signature': new Webhook(secret).sign('msg_1', at, of),
  });

  it('reads a genuine one, with headers of Node or of Fetch', () => {
    const headers = signed(new Date());
    expect(verifyWebhook(Buffer.from(body), headers, secret).call_id).toBe('call_1');
    expect(verifyWebhook(body, new Headers(headers), secret).call_status).toBe('success');
  });

  it('reads one that is signed with several secrets, with any of them', () => {
    const other = `whsec_${Buffer.alloc(32, 8).toString('base64')}`;
    const at = new Date();
    const signatures = [other, secret].map((each) => new Webhook(each).sign('msg_1', at, body));
    const headers = { ...signed(at), 'webhook-signature': signatures.join(' ') };
    for (const each of [secret, other]) expect(verifyWebhook(body, headers, each).call_id).toBe('call_1');
    const stranger = `whsec_${Buffer.alloc(32, 9).toString('base64')}`;
    expect(() => verifyWebhook(body, headers, stranger)).toThrow(WebhookVerificationError);
  });

  it('throws for forged, altered and old ones', () => {
    const now = new Date();
    const forgeries = [
      () => verifyWebhook(`${body} `, signed(now), secret),
      () => verifyWebhook(body, signed(now, '{}'), secret),
      () => verifyWebhook(body, signed(new Date(now.getTime() - 10 * 60_000)), secret),
      () => verifyWebhook(body, {}, secret),
    ];
    for (const forgery of forgeries) expect(forgery).toThrow(WebhookVerificationError);
  });
});
