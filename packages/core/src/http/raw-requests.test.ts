import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import type { HttpRequest, HttpResponse } from '../kernel/http.ts';
import { attachSockets, limitSlowRequests, nodeHandler } from '../node.ts';
import { problemResponse, toCallkiteError } from './problem.ts';

let server: Server;
afterEach(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

const echo = {
  async handle(request: HttpRequest): Promise<HttpResponse> {
    try {
      const body = Buffer.from(await request.readBody(1000)).toString();
      return { status: 200, headers: {}, body: `${request.method} ${request.target} ${body}` };
    } catch (error) {
      return problemResponse(toCallkiteError(error));
    }
  },
};
const refuse = async () => ({ refuse: { status: 403, headers: {}, body: null } });
const sockets = { carriers: { upgrade: refuse }, webCalls: { upgrade: refuse } };

async function listen(withinMs?: number): Promise<number> {
  server = createServer(nodeHandler(echo, withinMs === undefined ? {} : { bodyTimeoutMs: withinMs }));
  if (withinMs !== undefined) limitSlowRequests(server, withinMs);
  attachSockets(server, sockets);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

/** Writes these bytes, and reads until the server closes, or the answer holds this. */
async function exchange(port: number, bytes: readonly (string | Buffer)[], until?: string): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  let read = '';
  socket.setEncoding('latin1');
  const errors: Error[] = [];
  socket.on('error', (error) => errors.push(error));
  const closed = new Promise<void>((resolve) => {
    socket.on('close', () => resolve());
    socket.on('data', (text: string) => {
      read += text;
      if (until !== undefined && read.includes(until)) socket.destroy();
    });
  });
  for (const part of bytes) socket.write(part);
  await closed;
  expect(errors).toEqual([]);
  return read;
}

describe('a request as it comes over the wire', () => {
  it('is answered although it would rather be HTTP/2', async () => {
    const port = await listen();
    const headers =
      'Host: here\r\nConnection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAEAAEAAAAIAAAAB\r\n';
    const get = `GET /workflows HTTP/1.1\r\n${headers}\r\n`;
    expect(await exchange(port, [get], 'GET /workflows')).toMatch(/^HTTP\/1\.1 200 /);
    const post = `POST /carriers/twilio/voice HTTP/1.1\r\n${headers}Content-Length: 4\r\n\r\n`;
    expect(await exchange(port, [post, 'bo', 'dy'], ' body')).toMatch(/^HTTP\/1\.1 200 /);
  });

  it('is refused when it names two hosts', async () => {
    const port = await listen();
    const request = 'GET /workflows HTTP/1.1\r\nHost: here\r\nhost: there\r\nConnection: close\r\n\r\n';
    expect(await exchange(port, [request])).toMatch(/^HTTP\/1\.1 400 [\s\S]*more than one host/);
  });

  it('learns that its body is too large also when it closes the connection afterwards', async () => {
    const port = await listen();
    const bytes = Buffer.alloc(3_000_000, 'x');
    const head = `POST /call HTTP/1.1\r\nHost: here\r\nConnection: close\r\nContent-Length: ${bytes.length}\r\n\r\n`;
    expect(await exchange(port, [head, bytes])).toMatch(/^HTTP\/1\.1 413 [\s\S]*larger than 1000 bytes/);
  });

  it('is given up when its body or its headers do not arrive', async () => {
    const port = await listen(300);
    const head = 'POST /call HTTP/1.1\r\nHost: here\r\nContent-Length: 10\r\n\r\n';
    expect(await exchange(port, [head, 'half'])).toMatch(/^HTTP\/1\.1 408 [\s\S]*did not arrive in time/);
    expect(await exchange(port, ['POST /call HTTP/1.1\r\nHost: he'])).toMatch(/^HTTP\/1\.1 408 /);
  });
});
