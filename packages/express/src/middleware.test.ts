import { once } from 'node:events';
import { request as httpRequest, type IncomingMessage, type Server } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import type { HttpRequest, HttpResponse } from '@callkite/core';
import express5, { type ErrorRequestHandler, type Express } from 'express';
import { afterEach, describe, expect, it } from 'vitest';
import { attachSockets, callkiteMiddleware } from './index.ts';

const express4: typeof express5 = createRequire(import.meta.url)('express-4');

let server: Server | undefined;

afterEach(async () => {
  server?.closeAllConnections();
  await new Promise((resolve) => (server ? server.close(resolve) : resolve(undefined)));
});

async function listen(app: Express): Promise<string> {
  server = app.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Answers with what arrived, so that the mount alone is under test. */
const echo = {
  async handle(request: HttpRequest): Promise<HttpResponse> {
    const body = Buffer.from(await request.readBody(1024)).toString();
    return {
      status: 200,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ target: request.target, method: request.method, body }),
    };
  },
};

const postJson = (url: string, body: string) =>
  fetch(url, { method: 'POST', body, headers: { 'content-type': 'application/json' } });

const refuse = async () => ({ refuse: { status: 403, headers: {}, body: null } });
const sockets = { carriers: { upgrade: refuse }, webCalls: { upgrade: refuse } };

/** As Java's HTTP client sends every request. @returns status and body */
async function wishingForHttp2(url: string, body: string): Promise<[number | undefined, string]> {
  const request = httpRequest(url, {
    method: 'POST',
    headers: {
      connection: 'Upgrade, HTTP2-Settings',
      upgrade: 'h2c',
      'http2-settings': 'AAEAAEAAAAIAAAABAAMAAABkAAQBAAAAAAUAAEAA',
      'content-type': 'application/json',
    },
  });
  request.end(body);
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  return [response.statusCode, await text(response)];
}

describe.each([
  ['Express 4', express4],
  ['Express 5', express5],
])('%s', (_version, express) => {
  it('hands over raw bytes and the target without the mount path', async () => {
    const app = express();
    app.use('/phone', callkiteMiddleware(echo));
    app.use(express.json());
    const url = await listen(app);
    const body = '{ "a" :\t1 }\n';
    const answer = await postJson(`${url}/phone/call?x=%20y`, body);
    expect(await answer.json()).toEqual({ target: '/call?x=%20y', method: 'POST', body });
  });

  it('answers every path below the prefix it is mounted at', async () => {
    const app = express();
    app.use('/phone', callkiteMiddleware(echo));
    app.get('/orders', (_request, response) => {
      response.send('of the host');
    });
    const url = await listen(app);
    for (const path of ['/nothing', '/', '', '/%E0%A4%A', '//calls', '/call/../x%00']) {
      const answer = await fetch(`${url}/phone${path}`);
      expect([path, answer.status], path).toEqual([path, 200]);
    }
    expect(await (await fetch(`${url}/orders`)).text()).toBe('of the host');
    expect((await fetch(`${url}/phones`)).status).toBe(404);
  });

  it('answers a request that would rather be HTTP/2 like any other, the host’s own too', async () => {
    const app = express();
    app.use('/phone', callkiteMiddleware(echo));
    app.use(express.json());
    app.post('/orders', (request, response) => {
      response.json({ seen: request.body });
    });
    const url = await listen(app);
    if (server) attachSockets(server, sockets, { basePath: '/phone' });
    const body = '{ "a": 1 }';
    for (const path of ['/phone/call', '/orders']) {
      const plain = await postJson(url + path, body);
      expect(await wishingForHttp2(url + path, body), path).toEqual([plain.status, await plain.text()]);
    }
  });

  it('leaves paths that are not Callkite’s to the host', async () => {
    const app = express();
    app.use(callkiteMiddleware(echo));
    app.use(express.json());
    app.post('/orders', (request, response) => {
      response.json({ seen: request.body });
    });
    const url = await listen(app);
    expect(await (await postJson(`${url}/orders`, '{"a":1}')).json()).toEqual({ seen: { a: 1 } });
    expect((await fetch(`${url}/nothing`)).status).toBe(404);
  });

  it('says what to do when a body parser ran first', async () => {
    const app = express();
    app.use(express.json());
    app.use(callkiteMiddleware(echo));
    const showError: ErrorRequestHandler = (error: Error, _request, response, _next) => {
      response.status(500).send(error.message);
    };
    app.use(showError);
    const url = await listen(app);
    const answer = await postJson(`${url}/call`, '{}');
    expect(await answer.text()).toContain('mount callkiteMiddleware before express.json()');
    expect((await fetch(`${url}/workflows`)).status).toBe(200);
  });
});
