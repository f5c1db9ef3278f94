import 'reflect-metadata';
import { once } from 'node:events';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import type { Callkite, HttpRequest } from '@callkite/core';
import { Body, Controller, Inject, Module, Post } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { afterEach, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { CALLKITE, CallkiteModule } from './index.ts';

/** Answers with what arrived and notes what is asked of it, so that the module alone is under test. */
function recorder() {
  const notes: string[] = [];
  const callkite: Partial<Callkite> = {
    async start() {
      notes.push('start');
    },
    async stop(options) {
      notes.push(`stop ${options?.drainMs}`);
    },
    async handle(request: HttpRequest) {
      const body = Buffer.from(await request.readBody(1024)).toString();
      return { status: 200, headers: {}, body: JSON.stringify({ target: request.target, body }) };
    },
    carriers: {
      webhook: () => Promise.reject(new Error('unused')),
      upgrade: async () => ({ accept: (socket) => socket.onMessage((message) => socket.send(message)) }),
    },
  };
  return { notes, callkite: callkite as Callkite };
}

/** A controller of the host's own; decorated by hand, as the tests are compiled without decorators. */
class Orders {
  take(body: unknown) {
    return { seen: body };
  }
}
const take = { value: Orders.prototype.take };
Controller()(Orders);
Post('/orders')(Orders.prototype, 'take', take);
Body()(Orders.prototype, 'take', 0);

const started: { close(): Promise<void> }[] = [];

afterEach(async () => {
  for (const app of started.splice(0)) await app.close();
});

async function listen(
  imports: Parameters<typeof Module>[0]['imports'],
  bodyParser: boolean,
): Promise<string> {
  class Host {}
  Module({ imports: imports ?? [], controllers: [Orders] })(Host);
  const app = await NestFactory.create(Host, { logger: false, bodyParser });
  started.push(app);
  app.setGlobalPrefix('v1');
  await app.listen(0, '127.0.0.1');
  return `127.0.0.1:${(app.getHttpServer().address() as AddressInfo).port}`;
}

const post = async (url: string) => {
  const headers = { 'content-type': 'application/json' };
  const answer = await fetch(url, { method: 'POST', headers, body: '{ "a": 1 }' });
  return answer.json();
};

it.each([true, false])('serves raw bytes under its path, with the body parser %s', async (bodyParser) => {
  const { callkite, notes } = recorder();
  const host = await listen([CallkiteModule.forRoot({ callkite, path: '/phone', drainMs: 7 })], bodyParser);
  expect(await post(`http://${host}/phone/call?x`)).toEqual({ target: '/call?x', body: '{ "a": 1 }' });
  expect(await post(`http://${host}/v1/orders`)).toEqual(bodyParser ? { seen: { a: 1 } } : {});
  const socket = new WebSocket(`ws://${host}/phone/carriers/twilio/relay`);
  socket.on('open', () => socket.send('hello'));
  expect(String((await once(socket, 'message'))[0])).toBe('hello');
  await Promise.all([started.pop()?.close(), once(socket, 'close')]);
  expect(notes).toEqual(['start', 'stop 7']);
});

it('answers a request that would rather be HTTP/2 like any other, the application’s own too', async () => {
  const { callkite } = recorder();
  const host = await listen([CallkiteModule.forRoot({ callkite, path: '/phone' })], true);
  for (const path of ['/phone/call?x', '/v1/orders']) {
    const request = httpRequest(`http://${host}${path}`, {
      method: 'POST',
      headers: {
        connection: 'Upgrade, HTTP2-Settings',
        upgrade: 'h2c',
        'http2-settings': 'AAEAAEAAAAIAAAABAAMAAABkAAQBAAAAAAUAAEAA',
        'content-type': 'application/json',
      },
    });
    request.end('{ "a": 1 }');
    const [response] = (await once(request, 'response')) as [IncomingMessage];
    expect(JSON.parse(await text(response)), path).toEqual(await post(`http://${host}${path}`));
  }
});

it('answers every path below its own, and leaves the others to the application', async () => {
  const { callkite } = recorder();
  const host = await listen([CallkiteModule.forRoot({ callkite, path: '/phone' })], true);
  for (const path of ['/nothing', '/calls/%E0%A4%A', '//calls']) {
    const answer = await fetch(`http://${host}/phone${path}`);
    expect(await answer.json(), path).toMatchObject({ target: path });
  }
  const others = await fetch(`http://${host}/nothing`);
  expect([others.status, await others.text()]).toEqual([404, expect.not.stringContaining('target')]);
});

it('takes its options from a factory, and is injectable everywhere', async () => {
  const { callkite } = recorder();
  const BASE = Symbol('base');
  let injected: unknown;
  class Settings {}
  Module({ providers: [{ provide: BASE, useValue: '/voice' }], exports: [BASE] })(Settings);
  class Consumer {
    constructor(given: Callkite) {
      injected = given;
    }
  }
  Inject(CALLKITE)(Consumer, undefined, 0);
  class Feature {}
  Module({ providers: [Consumer] })(Feature);
  const module = CallkiteModule.forRootAsync({
    imports: [Settings],
    inject: [BASE],
    useFactory: async (path: string) => ({ callkite, path }),
  });
  const host = await listen([module, Feature], true);
  expect(await post(`http://${host}/voice/call`)).toMatchObject({ target: '/call' });
  expect(injected).toBe(callkite);
});

it('dials without serving in an application context', async () => {
  const { callkite, notes } = recorder();
  const context = await NestFactory.createApplicationContext(CallkiteModule.forRoot({ callkite }), {
    logger: false,
  });
  expect(context.get(CALLKITE)).toBe(callkite);
  await context.close();
  expect(notes).toEqual(['start', 'stop undefined']);
});
