import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import type {
  CalleeEvent,
  HttpRequest,
  RelayChannel,
  TextSocket,
  VerifiedCarrierEvent,
} from '@callkite/core';
import { builtInAccounts, defineCallee, startTwilioEmulator } from '@callkite/twilio-emulator';
import { expect, it } from 'vitest';
import { type WebSocket, WebSocketServer } from 'ws';
import { twilio } from './twilio.ts';

const { sid, authToken, phoneNumbers } = builtInAccounts.approved;
const account = { accountId: sid, secret: authToken };
const attemptToken = 'att_1.c2ln';
const secretOf = async (token: string) => (token === attemptToken ? authToken : null);

const callee = defineCallee({
  name: 'polite',
  description: 'Answers, presses a key, interrupts, and waits for the end',
  numbers: ['+12025550170'],
  async converse(line) {
    await line.heard();
    await line.say('Who is this?');
    await line.press('5');
    await line.interrupt('Stop.', { afterMs: 1000 });
    await line.heard();
    await line.silence();
  },
});

it('carries a whole conversation', async () => {
  const emulator = await startTwilioEmulator({ allowInsecureLoopback: true, speed: 20, callees: [callee] });
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const publicUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const telephony = twilio({ publicUrl, apiBaseUrl: emulator.url, allowInsecure: true });

  const received: VerifiedCarrierEvent[] = [];
  server.on('request', async (incoming, response) => {
    const request = await httpRequest(incoming);
    const path = request.target.split('?')[0]?.replace('/carriers/twilio/', '') ?? '';
    const event = await telephony.receiveWebhook(path, request, secretOf);
    if (event === null) return response.writeHead(403).end();
    received.push(event);
    const answer = instructionFor(event);
    return response.writeHead(answer.status, answer.headers).end(answer.body);
  });

  function instructionFor({ event }: VerifiedCarrierEvent) {
    if (event.type === 'instructions-wanted') {
      return telephony.renderInstruction({
        type: 'converse',
        attemptToken,
        mode: 'relay',
        preamble: null,
        record: false,
        language: 'en-US',
        languages: [],
        voice: null,
        hints: [],
      });
    }
    return event.type === 'channel-ended'
      ? telephony.renderInstruction({ type: 'hang-up' })
      : telephony.acknowledge();
  }

  const sockets = new WebSocketServer({ noServer: true });
  const events: CalleeEvent[] = [];
  server.on('upgrade', async (incoming, socket, head) => {
    const request = await httpRequest(incoming);
    const path = request.target.replace('/carriers/twilio/', '');
    const accepted = await telephony.receiveUpgrade(path, request, secretOf);
    if (accepted === null) return socket.destroy();
    sockets.handleUpgrade(incoming, socket, head, (webSocket) => {
      const opened = accepted.open(textSocket(webSocket));
      if (opened.kind !== 'words') throw new Error('the relay talks in words');
      const { channel } = opened;
      channel.listen((event) => {
        events.push(event);
        reply(channel, event);
      });
    });
  });

  function reply(channel: RelayChannel, event: CalleeEvent): void {
    const interruptible = { last: true, interruptible: true };
    if (event.type === 'ready')
      channel.speak('Hello, this is an assistant.', { last: true, interruptible: false });
    if (event.type === 'pressed')
      channel.speak('This is a long story that nobody wants to hear.', interruptible);
    if (event.type === 'said' && event.text === 'Stop.') {
      channel.speak('Then ', { last: false, interruptible: true });
      channel.speak('goodbye.', interruptible);
      channel.end();
    }
  }

  try {
    const placed = await telephony.placeCall(account, {
      to: '+12025550170',
      from: phoneNumbers[0] ?? '',
      attemptToken,
      ringSeconds: 25,
      maximumDurationSeconds: 600,
      detectMachine: true,
    });
    expect(placed.outcome).toBe('placed');
    const status = (name: string) =>
      received.some(({ event }) => event.type === 'status' && event.status === name);
    await expect.poll(() => status('completed'), { timeout: 15_000 }).toBe(true);

    const record = emulator.calls()[0];
    expect(new Set(received.map((event) => event.providerCallId))).toEqual(new Set([record?.sid]));
    expect(received.map(({ event }) => event)).toEqual(
      expect.arrayContaining([
        { type: 'instructions-wanted', answeredBy: null },
        { type: 'answered-by', answeredBy: 'human', greetingEnded: false, beeped: false },
        { type: 'channel-ended', how: 'we-ended' },
      ]),
    );
    for (const name of ['initiated', 'ringing', 'in-progress', 'completed']) expect(status(name)).toBe(true);

    expect(events[0]).toEqual({ type: 'ready', providerCallId: record?.sid, sessionId: expect.any(String) });
    expect(events.at(-1)).toEqual({ type: 'closed' });
    const interrupted = events.find((event) => event.type === 'interrupted');
    expect('This is a long story that nobody wants to hear.').toContain(interrupted?.heardText.trim());
    expect(events).toContainEqual({ type: 'said', text: 'Who is this?', language: 'en-US' });
    expect(events).toContainEqual({ type: 'pressed', digit: '5' });
    expect(record?.transcript.at(-1)).toMatchObject({ speaker: 'agent', text: 'Then goodbye.' });
    expect(record?.relaySessions).toMatchObject([{ status: 'ended', messagesRefused: 0 }]);
    expect(record?.notifications).toEqual([]);
  } finally {
    await emulator.close();
    sockets.close();
    server.closeAllConnections();
    server.close();
  }
});

async function httpRequest(incoming: IncomingMessage): Promise<HttpRequest> {
  const body = await buffer(incoming);
  return {
    method: incoming.method ?? '',
    target: incoming.url ?? '',
    headers: Object.fromEntries(
      Object.entries(incoming.headers).map(([name, value]) => [name, String(value)]),
    ),
    remoteAddress: null,
    readBody: async () => body,
  };
}

function textSocket(webSocket: WebSocket): TextSocket {
  return {
    send: (text) => webSocket.send(text),
    close: (code, reason) => webSocket.close(code, reason),
    get bufferedBytes() {
      return webSocket.bufferedAmount;
    },
    onMessage: (listener) => webSocket.on('message', (data) => listener(data.toString())),
    onClose: (listener) => webSocket.on('close', listener),
  };
}
