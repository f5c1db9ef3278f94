import 'reflect-metadata';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import type { Callkite } from '@callkite/core';
import { attachSockets, nodeHandler, servesPath } from '@callkite/core/node';
import { httpConformance } from '@callkite/core/testing';
import { callkiteMiddleware } from '@callkite/express';
import { CallkiteModule } from '@callkite/nestjs';
import { NestFactory } from '@nestjs/core';
import express from 'express';
import { fastify } from 'fastify';
import { afterAll, describe, it } from 'vitest';
import { type Embedded, type Mount, nodeMount, startEmbedded } from '../embedded.ts';

async function listen(server: Server, port: number): Promise<{ close(): Promise<void> }> {
  if (!server.listening) {
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
  }
  return {
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

const expressMount: Mount = async (callkite, port) => {
  const app = express();
  app.use(callkiteMiddleware(callkite));
  app.use(express.json());
  app.use((_request, response) => {
    response.status(404).json({ error: 'the host does not know it either' });
  });
  const server = createServer(app);
  attachSockets(server, callkite);
  return listen(server, port);
};

const nestMount =
  (bodyParser: boolean): Mount =>
  async (callkite, port) => {
    const app = await NestFactory.create(CallkiteModule.forRoot({ callkite, drainMs: 0 }), {
      bodyParser,
      logger: false,
    });
    await app.listen(port, '127.0.0.1');
    return { close: () => app.close() };
  };

const fastifyMount: Mount = async (callkite, port) => {
  const app = fastify();
  const listener = nodeHandler(callkite);
  app.addHook('onRequest', (request, reply, done) => {
    if (!servesPath(request.raw.url ?? '/')) return done();
    reply.hijack();
    listener(request.raw, reply.raw);
  });
  attachSockets(app.server, callkite);
  await app.listen({ port, host: '127.0.0.1' });
  return { close: () => app.close() };
};

/** The smallest server that speaks Fetch, as runtimes with a Fetch handler have it built in. */
const fetchMount: Mount = (callkite, port) =>
  listen(
    createServer((request, response) => void answerByFetch(callkite, request, response)),
    port,
  );

async function answerByFetch(callkite: Callkite, request: IncomingMessage, response: ServerResponse) {
  const { method = 'GET', url = '/' } = request;
  const hasBody = method !== 'GET' && method !== 'HEAD';
  const headers = Object.entries(request.headers).map(([name, value]): [string, string] => [
    name,
    String(value),
  ]);
  const answer = await callkite.fetch(
    new Request(new URL(url, 'http://127.0.0.1'), {
      method,
      headers,
      ...(hasBody && { body: Readable.toWeb(request) as ReadableStream, duplex: 'half' }),
    }),
  );
  response.writeHead(answer.status, Object.fromEntries(answer.headers));
  response.end(Buffer.from(await answer.arrayBuffer()));
  // What was not read of the body is dropped, to make way for the next request on this connection.
  request.removeAllListeners('data').resume();
}

describe.each([
  ['node:http', nodeMount],
  ['Express', expressMount],
  ['Nest with its body parser', nestMount(true)],
  ['Nest without its body parser', nestMount(false)],
  ['Fastify', fastifyMount],
  ['Fetch', fetchMount],
])('%s', (_name, mount) => {
  let embedded: Embedded | undefined;

  afterAll(() => embedded?.stop());

  httpConformance({
    it,
    async start() {
      embedded = await startEmbedded({ mount, callkite: { requestsPerMinute: 120 } });
      return {
        url: embedded.url,
        operatorToken: 'operator-token-of-the-tests',
        liveKey: embedded.liveKey,
        testKey: embedded.testKey,
        workflowId: embedded.workflowId,
        callee: '+12025550142',
        carrier: 'twilio',
      };
    },
  });
});
