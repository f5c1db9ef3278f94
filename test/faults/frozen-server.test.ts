import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { CallbackPayload } from '@callkite/contract';
import { defineCallee } from '@callkite/twilio-emulator';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { eventually } from '../embedded.ts';
import { startTwoServers, type TwoServers } from './two-servers.ts';

const lastWords = 'That is all I can tell you, goodbye now.';
/** Says its last words when the test lets it, to whoever is there to hear them. */
let mayHangUp: Promise<void>;
let letHangUp: () => void;
const hangsUp = (name: string, to: string) =>
  defineCallee({
    name,
    description: 'Answers once, and hangs up after a while',
    numbers: [to],
    async converse(line) {
      await line.heard();
      await line.say('Yes, we are open on Monday.');
      await mayHangUp;
      await line.say(lastWords);
      await line.hangUp();
    },
  });
const [talks, waits] = ['+12125550151', '+12125550152'];

let servers: TwoServers;
const received: CallbackPayload[] = [];
const receiver = createServer((request, response) => {
  let text = '';
  request.setEncoding('utf8');
  request.on('data', (chunk: string) => {
    text += chunk;
  });
  request.on('end', () => {
    received.push(JSON.parse(text) as CallbackPayload);
    response.writeHead(204).end();
  });
});

beforeAll(async () => {
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
  servers = await startTwoServers({ callees: [hangsUp('talks', talks), hangsUp('waits', waits)] });
  await Promise.all(servers.nodes.map((node) => node.start()));
}, 120_000);

afterAll(async () => {
  receiver.close();
  await servers.stop();
});

beforeEach(() => {
  mayHangUp = new Promise((resolve) => {
    letHangUp = resolve;
  });
});

/** Places a call that the first server holds, and freezes it once the callee has spoken. */
async function placeAndFreeze(to: string): Promise<string> {
  servers.keepFromSecond(true);
  const { port } = receiver.address() as AddressInfo;
  const callId = await servers.place(to, { callback_url: `http://127.0.0.1:${port}/` });
  await eventually(
    'words of the callee on record',
    async () => {
      const { transcript } = await servers.control.calls.get(servers.live, callId);
      return transcript.some(({ role }) => role === 'user');
    },
    60_000,
  );
  servers.keepFromSecond(false);
  servers.first.freeze();
  letHangUp();
  return callId;
}

const state = async (callId: string) => (await servers.control.calls.get(servers.live, callId)).call.state;
const told = (callId: string) =>
  eventually('the callback', () => received.find(({ call_id }) => call_id === callId), 60_000);

/** The result and the record say the same, word for word. */
async function expectSame(callId: string): Promise<void> {
  const { transcript } = await servers.control.calls.get(servers.live, callId);
  const { messages } = await told(callId);
  expect(messages).toEqual(transcript.map(({ role, content }) => ({ role, content })));
}

it('the result waits for the last words that a slow server has yet to store', async () => {
  const callId = await placeAndFreeze(talks);
  await eventually('the end', async () => (await state(callId)) === 'completed', 60_000);
  // Longer than the result would take if nobody had anything to say.
  await sleep(3_000);
  expect(received.filter(({ call_id }) => call_id === callId)).toEqual([]);
  servers.first.thaw();
  const { call, onRecord } = await servers.ended(callId);
  expect(onRecord('user').at(-1)).toBe(lastWords);
  expect(call.outcome).toEqual({ callStatus: 'success', providerStatus: 'completed' });
  expect(call.reason).toBeNull();
  await expectSame(callId);
}, 120_000);

it('a call whose server stays frozen is told of as lost, and nothing is added to it later', async () => {
  const callId = await placeAndFreeze(waits);
  const { call } = await servers.ended(callId);
  expect(call.outcome).toEqual({ callStatus: 'not_picked_up', providerStatus: 'failed' });
  expect(call.reason).toBe('connection_lost');
  expect(await told(callId)).toMatchObject({ call_status: 'not_picked_up', reason: 'connection_lost' });
  servers.first.thaw();
  // It answers again, and has had the time to store what it still knew.
  await eventually('the thaw', async () => (await fetch(`${servers.first.url}/readyz`)).ok, 60_000);
  await sleep(2_000);
  await expectSame(callId);
}, 120_000);
