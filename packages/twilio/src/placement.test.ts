import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { type AddressInfo, createServer as createTcpServer, type Server, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import type { DialResult, Logger, PlaceCallRequest } from '@callkite/core';
import { afterEach, describe, expect, it } from 'vitest';
import { twilio } from './twilio.ts';

const account = { accountId: 'AC00000000000000000000000000000009', secret: 'placement-auth-token' };
const callSid = 'CA00000000000000000000000000000009';
const request: PlaceCallRequest = {
  to: '+12025550100',
  from: '+12025550183',
  attemptToken: 'att_1.c2ln',
  ringSeconds: 25,
  maximumDurationSeconds: 600,
  detectMachine: true,
};

const running: Server[] = [];
const sockets = new Set<Socket>();

afterEach(async () => {
  for (const socket of sockets) socket.destroy();
  sockets.clear();
  for (const server of running.splice(0)) {
    server.close();
    await once(server, 'close');
  }
});

async function listen(server: Server): Promise<string> {
  server.on('connection', (socket: Socket) => sockets.add(socket));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  running.push(server);
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** A carrier that answers every create with `answer`, and keeps what it was sent. */
async function carrier(answer: (response: ServerResponse, request: IncomingMessage) => void) {
  const requests: { method: string; url: string; authorization: string; form: URLSearchParams }[] = [];
  const server = createServer(async (incoming, response) => {
    const form = new URLSearchParams(await text(incoming));
    const { method = '', url = '', headers } = incoming;
    requests.push({ method, url, authorization: headers.authorization ?? '', form });
    answer(response, incoming);
  });
  return { requests, apiBaseUrl: `http://${await listen(server)}` };
}

function place(
  apiBaseUrl: string,
  logger?: Logger,
  over: Partial<PlaceCallRequest> = {},
): Promise<DialResult> {
  const telephony = twilio({ publicUrl: 'https://calls.example.com/phone/', apiBaseUrl, logger });
  return telephony.placeCall(account, { ...request, ...over });
}

function memoryLogger() {
  const logged: object[] = [];
  const log = (fields: object, message: string) => logged.push({ ...fields, message });
  return { logged, logger: { debug: log, info: log, warn: log, error: log } };
}

function json(status: number, body: object) {
  return (response: ServerResponse) => {
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  };
}

const refusal = (status: number, code: number) =>
  json(status, { code, message: `refused ${request.to}`, more_info: '', status });

describe('the create request', () => {
  it('is one request with everything the call needs', async () => {
    const { requests, apiBaseUrl } = await carrier(json(201, { sid: callSid, status: 'queued' }));
    expect(await place(apiBaseUrl)).toEqual({ outcome: 'placed', providerCallId: callSid });
    expect(requests).toHaveLength(1);
    const [sent] = requests;
    expect(sent?.method).toBe('POST');
    expect(sent?.url).toBe(`/2010-04-01/Accounts/${account.accountId}/Calls.json`);
    const credentials = Buffer.from(`${account.accountId}:${account.secret}`).toString('base64');
    expect(sent?.authorization).toBe(`Basic ${credentials}`);
    const base = 'https://calls.example.com/phone/carriers/twilio';
    expect([...(sent?.form ?? [])].sort()).toEqual(
      [
        ['AsyncAmd', 'true'],
        ['AsyncAmdStatusCallback', `${base}/amd?token=att_1.c2ln#rc=5&rp=ct,rt,5xx`],
        ['FallbackUrl', `${base}/fallback?token=att_1.c2ln#ct=2000&rt=4000&rc=2&rp=ct,rt,5xx`],
        ['From', '+12025550183'],
        ['MachineDetection', 'DetectMessageEnd'],
        ['StatusCallback', `${base}/status?token=att_1.c2ln#rc=5&rp=ct,rt,5xx`],
        ['StatusCallbackEvent', 'answered'],
        ['StatusCallbackEvent', 'completed'],
        ['StatusCallbackEvent', 'initiated'],
        ['StatusCallbackEvent', 'ringing'],
        ['TimeLimit', '600'],
        ['Timeout', '25'],
        ['To', '+12025550100'],
        ['Url', `${base}/answer?token=att_1.c2ln#ct=2000&rt=4000&rc=2&rp=ct,rt,5xx`],
      ].sort(),
    );
  });

  it('does not ask for machine detection unless told to', async () => {
    const { requests, apiBaseUrl } = await carrier(json(201, { sid: callSid }));
    await place(apiBaseUrl, undefined, { detectMachine: false });
    const names = [...(requests[0]?.form.keys() ?? [])];
    expect(
      names.filter((name) => name.startsWith('MachineDetection') || name.startsWith('AsyncAmd')),
    ).toEqual([]);
  });

  it('has a connection of its own', async () => {
    const { apiBaseUrl } = await carrier(json(201, { sid: callSid }));
    await Promise.all([place(apiBaseUrl), place(apiBaseUrl)]);
    expect(sockets.size).toBe(2);
  });
});

describe('a refused create', () => {
  const notPlaced = {
    outcome: 'not-placed',
    retry: false,
    scope: 'call',
    reason: 'carrier_rejected',
    tooManyCalls: false,
  } as const;
  const unavailable = { ...notPlaced, retry: true, reason: 'carrier_unavailable' } as const;
  const cases: [number, number, DialResult][] = [
    [400, 21211, { ...notPlaced, reason: 'invalid_number', providerCode: '21211' }],
    [400, 21214, { ...notPlaced, reason: 'invalid_number', providerCode: '21214' }],
    [400, 21217, { ...notPlaced, reason: 'invalid_number', providerCode: '21217' }],
    [400, 21215, { ...notPlaced, reason: 'blocked_destination', providerCode: '21215' }],
    [403, 21216, { ...notPlaced, reason: 'blocked_destination', providerCode: '21216' }],
    [400, 21210, { ...notPlaced, providerCode: '21210' }],
    [401, 20003, { ...notPlaced, scope: 'account', providerCode: '20003' }],
    [403, 10001, { ...notPlaced, scope: 'account', providerCode: '10001' }],
    [400, 20003, { ...notPlaced, scope: 'account', providerCode: '20003' }],
    [429, 20429, { ...unavailable, providerCode: '20429' }],
    [429, 10004, { ...unavailable, tooManyCalls: true, providerCode: '10004' }],
    [400, 10004, { ...unavailable, tooManyCalls: true, providerCode: '10004' }],
  ];

  it.each(cases)('with HTTP %i and code %i is certainly not placed', async (status, code, expected) => {
    const { requests, apiBaseUrl } = await carrier(refusal(status, code));
    expect(await place(apiBaseUrl)).toEqual(expected);
    expect(requests).toHaveLength(1);
  });

  it.each([
    [401, { ...notPlaced, scope: 'account', providerCode: null }],
    [429, { ...unavailable, providerCode: null }],
  ])('with HTTP %i and no code of Twilio is certainly not placed', async (status, expected) => {
    const { apiBaseUrl } = await carrier((response) => response.writeHead(status).end('<html>'));
    expect(await place(apiBaseUrl)).toEqual(expected);
  });

  it('is final for an account id that is none, without a request', async () => {
    const { requests, apiBaseUrl } = await carrier(json(201, { sid: callSid }));
    const telephony = twilio({ publicUrl: 'https://calls.example.com', apiBaseUrl });
    const result = await telephony.placeCall({ accountId: 'SK1', secret: 'key-secret' }, request);
    expect(result).toEqual({ ...notPlaced, scope: 'account', providerCode: null });
    expect(requests).toEqual([]);
  });
});

describe('a create whose request was never begun', () => {
  const notSent = {
    outcome: 'not-placed',
    retry: true,
    scope: 'call',
    reason: 'carrier_unavailable',
    tooManyCalls: false,
    providerCode: null,
  };

  it('is not placed when nobody listens', async () => {
    const { logger, logged } = memoryLogger();
    expect(await place('http://127.0.0.1:9', logger)).toEqual(notSent);
    expect(logged).toEqual([{ cause: 'ECONNREFUSED', message: 'no connection to Twilio: nothing was sent' }]);
  });

  it('is not placed when the server does not speak TLS', async () => {
    let received = '';
    const server = createTcpServer((socket) => {
      socket.on('error', () => {});
      socket.on('data', (data) => {
        received += data.toString('latin1');
        socket.end('HTTP/1.1 400 Bad Request\r\n\r\n');
      });
    });
    expect(await place(`https://${await listen(server)}`)).toEqual(notSent);
    expect(received).not.toContain('Calls.json');
  });

  it('is not placed when the connection is cut during the TLS handshake', async () => {
    const server = createTcpServer((socket) => socket.once('data', () => socket.resetAndDestroy()));
    expect(await place(`https://${await listen(server)}`)).toEqual(notSent);
  });

  it('is not placed when the TLS handshake does not finish', async () => {
    const server = createTcpServer((socket) => socket.on('error', () => {}));
    expect(await place(`https://${await listen(server)}`)).toEqual(notSent);
  });
});

describe('a create that may have been carried out', () => {
  const unknown = { outcome: 'unknown', providerCode: null };

  it.each<[string, (response: ServerResponse, request: IncomingMessage) => void]>([
    ['an HTML 502', (response) => response.writeHead(502).end('<html>Bad Gateway</html>')],
    ['a 503', (response) => response.writeHead(503).end()],
    ['a redirect', (response) => response.writeHead(307, { location: '/elsewhere' }).end()],
    ['a 408 of a gateway', (response) => response.writeHead(408).end()],
    ['a 201 that is no JSON', (response) => response.writeHead(201).end('<html>')],
    ['a 201 without a sid', json(201, { status: 'queued' })],
    ['a 201 that says null', (response) => response.writeHead(201).end('null')],
    ['a reset', (_, { socket }) => socket.resetAndDestroy()],
    ['a connection that just ends', (_, { socket }) => socket.end()],
    [
      'an answer cut in the middle',
      (response, { socket }) => {
        response.writeHead(201, { 'content-length': '500' }).write('{"sid":"CA');
        setTimeout(() => socket.destroy(), 20);
      },
    ],
  ])('is unknown after %s', async (_, answer) => {
    const { requests, apiBaseUrl } = await carrier(answer);
    expect(await place(apiBaseUrl)).toEqual(unknown);
    expect(requests).toHaveLength(1);
  });

  it('keeps the code of a failing carrier', async () => {
    const { apiBaseUrl } = await carrier(refusal(500, 20500));
    expect(await place(apiBaseUrl)).toEqual({ outcome: 'unknown', providerCode: '20500' });
  });

  it('is unknown when no answer comes, and the connection is gone then', async () => {
    let closed: Promise<unknown> | undefined;
    const { requests, apiBaseUrl } = await carrier((_, { socket }) => {
      closed = once(socket, 'close');
    });
    expect(await place(apiBaseUrl)).toEqual(unknown);
    await closed;
    expect(requests).toHaveLength(1);
  });

  it('is logged without numbers or credentials', async () => {
    const { logger, logged } = memoryLogger();
    const { apiBaseUrl } = await carrier((_, { socket }) => socket.resetAndDestroy());
    await place(apiBaseUrl, logger);
    expect(logged).toEqual([
      {
        status: null,
        providerCode: null,
        cause: 'ECONNRESET',
        message: 'Twilio may or may not have created the call',
      },
    ]);
  });
});
