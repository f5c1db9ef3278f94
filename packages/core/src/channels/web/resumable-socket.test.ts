import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { BinarySocket } from '../../calls/speech.ts';
import { resumableSocket, type VisitorMessage } from './resumable-socket.ts';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
});

afterEach(() => {
  vi.useRealTimers();
});

/** A socket as the operating system would fill it: nothing leaves it while it is stuck. */
function socket() {
  const sent: (string | Uint8Array)[] = [];
  const closes: number[] = [];
  const state = { isStuck: false, bufferedBytes: 0 };
  const end: BinarySocket = {
    send: (text) => accept(text),
    sendBytes: (bytes) => accept(bytes),
    close: (code) => closes.push(code),
    get bufferedBytes() {
      return state.bufferedBytes;
    },
    onMessage: () => undefined,
    onBytes: () => undefined,
    onClose: () => undefined,
  };
  function accept(message: string | Uint8Array): void {
    sent.push(message);
    if (state.isStuck) state.bufferedBytes += message.length;
  }
  return { end, sent, closes, state };
}

function open() {
  const messages: VisitorMessage[] = [];
  let lost = 0;
  const line = resumableSocket({
    callId: 'call_1',
    ready: { media: 'audio', codec: 'mulaw/8000' },
    beginsAt: 0,
    resumeWindowMs: 1000,
    listener: {
      message: (message) => messages.push(message),
      sound: () => undefined,
      lost: () => {
        lost += 1;
      },
    },
  });
  return { line, messages, lost: () => lost };
}

const text = (id: number) => JSON.stringify({ type: 'text', id, text: `line ${id}` });

it('stops giving sound to a socket that does not drain, and drops it before it grows', () => {
  const { line, lost } = open();
  const stuck = socket();
  line.attach(stuck.end, null);
  stuck.state.isStuck = true;
  let frames = 0;
  while (line.takesSound && frames < 10_000) {
    line.sendSound(new Uint8Array(160));
    frames += 1;
  }
  expect(frames).toBeLessThan(200);
  for (let count = 0; count < 10_000 && stuck.closes.length === 0; count += 1) {
    line.send({ type: 'status', status: 'listening' });
  }
  expect(stuck.closes).toEqual([1013]);
  expect(stuck.state.bufferedBytes).toBeLessThan(300 * 1024);
  const before = stuck.sent.length;
  line.send({ type: 'status', status: 'listening' });
  expect(stuck.sent).toHaveLength(before);
  vi.advanceTimersByTime(1000);
  expect(lost()).toBe(1);
});

it('keeps no more than a bound for a visitor who is away', () => {
  const { line } = open();
  const first = socket();
  line.attach(first.end, null);
  line.detached(first.end);
  for (let count = 0; count < 20_000; count += 1) line.send({ type: 'status', status: 'listening' });
  expect(line.attach(socket().end, 0)).toBe(false);
  expect(line.attach(socket().end, 20_000 - 100)).toBe(true);
});

it('takes each message once, in order, and none from a socket that was replaced', () => {
  const { line, messages } = open();
  const first = socket();
  line.attach(first.end, null);
  line.receive(first.end, text(1));
  line.receive(first.end, text(2));
  line.receive(first.end, text(2));
  const second = socket();
  line.attach(second.end, 0);
  expect(first.closes).toEqual([4409]);
  expect(JSON.parse(String(second.sent[0]))).toMatchObject({ type: 'ready', received: 2, resumed: true });
  line.receive(first.end, text(3));
  line.receive(second.end, text(2));
  line.receive(second.end, text(3));
  line.detached(first.end);
  line.send({ type: 'status', status: 'listening' });
  expect(second.sent).toHaveLength(2);
  expect(messages.map((message) => 'id' in message && message.id)).toEqual([1, 2, 3]);
});

it('waits for the visitor, and only while he is away', () => {
  const { line, lost } = open();
  const first = socket();
  line.attach(first.end, null);
  vi.advanceTimersByTime(5000);
  line.detached(first.end);
  vi.advanceTimersByTime(900);
  const second = socket();
  line.attach(second.end, 0);
  vi.advanceTimersByTime(5000);
  expect(lost()).toBe(0);
  line.detached(second.end);
  vi.advanceTimersByTime(1000);
  expect(lost()).toBe(1);
});

it('closes on a flood', () => {
  const { line } = open();
  const first = socket();
  line.attach(first.end, null);
  for (let count = 1; count < 200; count += 1) line.receive(first.end, text(count));
  expect(first.closes).toEqual([4400]);
});
