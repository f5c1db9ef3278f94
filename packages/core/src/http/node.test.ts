import { once } from 'node:events';
import { createServer, request as httpRequest, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, describe, expect, it } from 'vitest';
import { WebSocket, WebSocketServer } from 'ws';
import type { BinarySocket, TextSocket } from '../calls/speech.ts';
import type { HttpRequest, HttpResponse } from '../kernel/http.ts';
import { attachSockets, nodeHandler } from '../node.ts';
import { problemResponse, toCallkiteError } from './problem.ts';

const servers: Server[] = [];

afterEach(async () => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
});

async function listen(server: Server): Promise<string> {
  servers.push(server.listen(0, '127.0.0.1'));
  await once(server, 'listening');
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Answers with what arrived. */
const echo = {
  async handle(request: HttpRequest): Promise<HttpResponse> {
    try {
      const body = Buffer.from(await request.readBody(1000)).toString('base64');
      const { method, target, headers, remoteAddress } = request;
      const seen = { method, target, twice: headers['x-twice'], remoteAddress, body };
      return { status: 200, headers: {}, body: JSON.stringify(seen) };
    } catch (error) {
      return problemResponse(toCallkiteError(error));
    }
  },
};

describe('nodeHandler', () => {
  it('hands over bytes, target and headers as they came', async () => {
    const host = await listen(createServer(nodeHandler(echo)));
    const sent = httpRequest(`http://${host}/call?a=%20`, {
      method: 'POST',
      headers: { 'X-Twice': ['1', '2'] },
    });
    sent.end(Buffer.from([0, 255, 10]));
    const [response] = await once(sent, 'response');
    expect(response.headers['content-length']).toBeDefined();
    expect(JSON.parse(await text(response))).toEqual({
      method: 'POST',
      target: '/call?a=%20',
      twice: '1, 2',
      remoteAddress: '127.0.0.1',
      body: 'AP8K',
    });
  });

  it('serves below its prefix only', async () => {
    const host = await listen(createServer(nodeHandler(echo, { basePath: '/phone' })));
    const target = async (path: string) =>
      ((await (await fetch(`http://${host}${path}`)).json()) as { target?: string }).target;
    expect(await target('/phone/call')).toBe('/call');
    expect(await target('/phone?x')).toBe('/?x');
    for (const path of ['/call', '/phones/call', '/']) {
      expect((await fetch(`http://${host}${path}`)).status).toBe(404);
    }
  });

  it('answers while a body over the limit is still being sent', async () => {
    const host = await listen(createServer(nodeHandler(echo)));
    const answer = await fetch(`http://${host}/call`, { method: 'POST', body: Buffer.alloc(3_000_000) });
    expect(answer.status).toBe(413);
    expect(await answer.json()).toEqual({ error: 'The body is larger than 1000 bytes' });
  });

  it('survives clients that go away in the middle of a body', async () => {
    const host = await listen(createServer(nodeHandler(echo)));
    const sent = httpRequest(`http://${host}/call`, { method: 'POST', headers: { 'content-length': '100' } });
    sent.on('error', () => undefined);
    sent.write('half');
    await once(sent, 'socket');
    await new Promise((resolve) => setTimeout(resolve, 20));
    sent.destroy();
    expect((await fetch(`http://${host}/call`)).status).toBe(200);
  });
});

describe('attachSockets', () => {
  const accepting = (accept: (socket: TextSocket, path: string) => void) => ({
    carriers: {
      async upgrade(carrier: string, path: string) {
        const refuse = { status: 403, headers: { 'x-why': 'forged' }, body: 'no' };
        return carrier === 'twilio' ? { accept: (socket: TextSocket) => accept(socket, path) } : { refuse };
      },
    },
    webCalls: { upgrade: async () => ({ refuse: { status: 403, headers: {}, body: null } }) },
  });

  const acceptingWebCalls = (accept: (socket: BinarySocket) => void) => ({
    ...accepting(() => undefined),
    webCalls: { upgrade: async () => ({ accept }) },
  });

  const refusal = (url: string) =>
    new Promise((resolve, reject) => {
      const socket = new WebSocket(url);
      socket.on('unexpected-response', (_request, { statusCode }) => resolve(statusCode));
      socket.on('open', () => reject(new Error('was accepted')));
      socket.on('error', reject);
    });

  it('passes text both ways, from the first message on, and tells of the end once', async () => {
    const server = createServer();
    const closes: number[] = [];
    const mount = accepting((socket, path) => {
      socket.onMessage((message) => socket.send(`${path}: ${message}`));
      socket.onClose((code) => closes.push(code));
    });
    attachSockets(server, mount, { basePath: '/phone' });
    const host = await listen(server);
    const client = new WebSocket(`ws://${host}/phone/carriers/twilio/relay/token?x=1`);
    client.on('open', () => client.send('hello'));
    const [data] = await once(client, 'message');
    expect(String(data)).toBe('relay/token: hello');
    client.close(4000);
    await once(client, 'close');
    await expect.poll(() => closes).toEqual([4000]);
  });

  it('refuses what is not genuine, and paths nobody serves', async () => {
    const server = createServer();
    attachSockets(
      server,
      accepting(() => undefined),
    );
    const host = await listen(server);
    expect(await refusal(`ws://${host}/carriers/other/relay`)).toBe(403);
    expect(await refusal(`ws://${host}/elsewhere`)).toBe(404);
  });

  it('leaves other paths to the host', async () => {
    const server = createServer();
    attachSockets(
      server,
      accepting(() => undefined),
    );
    const own = new WebSocketServer({ noServer: true });
    server.on('upgrade', (request, socket, head) => {
      if (request.url === '/chat')
        own.handleUpgrade(request, socket, head, (accepted) => accepted.send('host'));
    });
    const host = await listen(server);
    const client = new WebSocket(`ws://${host}/chat`);
    expect(String((await once(client, 'message'))[0])).toBe('host');
    client.terminate();
  });

  it('passes text and sound both ways to web calls, under their sub-protocol', async () => {
    const server = createServer();
    const mount = acceptingWebCalls((socket) => {
      socket.onMessage((message) => socket.send(`text ${message}`));
      socket.onBytes((bytes) => socket.sendBytes(bytes.map((byte) => byte + 1)));
    });
    attachSockets(server, mount, { basePath: '/phone' });
    const host = await listen(server);
    const client = new WebSocket(`ws://${host}/phone/widget/socket`, ['call.v1', 'token.secret']);
    await once(client, 'open');
    expect(client.protocol).toBe('call.v1');
    const received: unknown[] = [];
    client.on('message', (data: Buffer, isBinary) => received.push(isBinary ? [...data] : data.toString()));
    client.send('hello');
    client.send(Uint8Array.of(1, 2));
    await expect.poll(() => received).toEqual(['text hello', [2, 3]]);
    client.send('x'.repeat(16 * 1024 + 1));
    expect((await once(client, 'close'))[0]).toBe(1009);
  });

  it('closes on messages that are too long or no text', async () => {
    const server = createServer();
    attachSockets(
      server,
      accepting((socket) => socket.onMessage(() => undefined)),
    );
    const host = await listen(server);
    for (const [message, code] of [
      ['x'.repeat(64 * 1024 + 1), 1009],
      [Buffer.from([1]), 1003],
    ] as const) {
      const client = new WebSocket(`ws://${host}/carriers/twilio/media`);
      client.on('open', () => client.send(message));
      expect((await once(client, 'close'))[0]).toBe(code);
    }
  });

  it('drops its sockets and listens no more when it is taken off', async () => {
    const server = createServer();
    const detach = attachSockets(
      server,
      accepting(() => undefined),
    );
    const host = await listen(server);
    const client = new WebSocket(`ws://${host}/carriers/twilio/relay`);
    await once(client, 'open');
    detach();
    expect((await once(client, 'close'))[0]).toBe(1006);
    expect(server.listenerCount('upgrade')).toBe(0);
  });
});
