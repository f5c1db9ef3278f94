import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { CallkiteApiError, CallkiteConnectionError, callkite } from '@callkite/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Embedded, eventually, startEmbedded } from '../embedded.ts';

/** What a proxy does with an answer of the server, which has accepted the call by then. */
type Mishap = (response: ServerResponse, answer: Response, body: Buffer) => void;

const answering =
  (status: number): Mishap =>
  (response) =>
    response.writeHead(status, { 'content-type': 'text/html' }).end('<h1>The proxy is sorry</h1>');
const mishaps: Record<string, Mishap> = {
  'answers 500': answering(500),
  'answers 502': answering(502),
  'answers 503': answering(503),
  'answers 504': answering(504),
  'cuts the connection': (response) => response.destroy(),
  'cuts the connection in the middle of the answer': (response, answer, body) => {
    response.writeHead(answer.status, { ...plainHeaders(answer), 'content-length': body.length });
    response.write(body.subarray(0, 10), () => response.destroy());
  },
  'ends the answer early': (response, answer, body) => {
    response.shouldKeepAlive = false;
    response.writeHead(answer.status, plainHeaders(answer)).end(body.subarray(0, 10));
  },
  'never answers': () => {},
};

const plainHeaders = (answer: Response) =>
  Object.fromEntries([...answer.headers].filter(([name]) => !/^(connection|keep-alive|date)$/.test(name)));

let embedded: Embedded;
let proxyUrl: string;
/** What the proxy is to do next, by what a request is about. */
const ahead = new Map<string, Mishap[]>();
/** How many requests it passed on, by what they were about. */
const forwarded = new Map<string, number>();

const proxy = createServer(async (request, response) => {
  const sent = await buffer(request);
  const { authorization = '', 'content-type': type = 'application/json' } = request.headers;
  const answer = await fetch(`${embedded.url}${request.url}`, {
    method: request.method ?? 'GET',
    headers: { authorization, 'content-type': type },
    ...(sent.length > 0 && { body: new Uint8Array(sent) }),
  });
  const body = Buffer.from(await answer.arrayBuffer());
  const { recipient_phone: phone, name } = sent.length > 0 ? JSON.parse(sent.toString()) : {};
  const about = phone ?? name;
  forwarded.set(about, (forwarded.get(about) ?? 0) + 1);
  const mishap = ahead.get(about)?.shift();
  if (mishap) mishap(response, answer, body);
  else response.writeHead(answer.status, plainHeaders(answer)).end(body);
});

beforeAll(async () => {
  embedded = await startEmbedded({ callsPerSecond: 50 });
  await once(proxy.listen(0, '127.0.0.1'), 'listening');
  proxyUrl = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
});

afterAll(async () => {
  proxy.closeAllConnections();
  await new Promise((resolve) => proxy.close(resolve));
  await embedded.stop();
});

function client(options: { maximumRetries?: number; attemptTimeoutMs?: number } = {}) {
  return callkite({ apiKey: embedded.liveKey, baseUrl: proxyUrl, ...options });
}

let lastNumber = 100;
/** Somebody whom nobody called yet. */
const somebody = () => `+12025550${++lastNumber}`;

/** The call that each number was to get. */
const placed = new Map<string, string>();

describe.concurrent.each(Object.entries(mishaps))(
  'when a proxy %s after the server accepted',
  (name, mishap) => {
    // Long enough to answer on a busy machine; a proxy that is silent is asked again after it.
    const attemptTimeoutMs = name === 'never answers' ? 4_000 : 30_000;
    const attempts = name === 'never answers' ? 1 : 2;

    it.each(['trigger', 'prompt'] as const)('%s tries again', async (how) => {
      const phone = somebody();
      ahead.set(phone, Array(attempts).fill(mishap));
      const { calls } = client({ attemptTimeoutMs });
      const { call_id } =
        how === 'trigger'
          ? await calls.trigger({ recipient_phone: phone, workflow_id: embedded.workflowId })
          : await calls.prompt({ recipient_phone: phone, prompt: 'Ask when they open.' });
      expect(forwarded.get(phone)).toBeGreaterThan(attempts);
      placed.set(phone, call_id ?? '');
    });

    it('gives the key to a caller who tries again after a restart', async () => {
      const phone = somebody();
      ahead.set(phone, [mishap]);
      const request = { recipient_phone: phone, prompt: 'Ask when they open.' };
      const error = await client({ attemptTimeoutMs, maximumRetries: 0 })
        .calls.prompt(request)
        .catch((thrown: unknown) => thrown);
      expect(error).toBeInstanceOf(name.startsWith('answers') ? CallkiteApiError : CallkiteConnectionError);
      const { idempotencyKey } = error as CallkiteApiError | CallkiteConnectionError;
      expect(idempotencyKey).toMatch(/^[\w-]{36}$/);
      const { call_id } = await client().calls.prompt({ ...request, idempotency_key: idempotencyKey });
      placed.set(phone, call_id ?? '');
    });
  },
);

it('has rung everybody once when all is over', async () => {
  const accepted = await eventually('the end of all calls', async () => {
    const all = new Map<string, string[]>();
    for await (const { state, phone_number_to: to, call_id } of client().calls.list()) {
      if (state !== 'completed') return null;
      all.set(to, [...(all.get(to) ?? []), call_id]);
    }
    return all;
  });
  expect(placed.size).toBe(Object.keys(mishaps).length * 3);
  expect(accepted).toEqual(new Map([...placed].map(([phone, callId]) => [phone, [callId]])));
  const rung = embedded.twilioEmulator.calls().map(({ to }) => to);
  expect(rung.sort()).toEqual([...placed.keys()].sort());
});

it('sends nothing again that has no key, when its answer was lost', async () => {
  ahead.set('Once', [answering(502)]);
  const url = 'https://example.com/webhooks/calls';
  await expect(client().webhooks.create({ name: 'Once', url })).rejects.toMatchObject({
    status: 502,
    code: 'unknown',
    idempotencyKey: undefined,
  });
  expect(forwarded.get('Once')).toBe(1);
});

it('puts the key on refusals of the API too', async () => {
  const request = { recipient_phone: 'nonsense', prompt: 'Ask when they open.', idempotency_key: 'mine' };
  await expect(client().calls.prompt(request)).rejects.toMatchObject({
    code: 'invalid_phone_number',
    idempotencyKey: 'mine',
  });
});
