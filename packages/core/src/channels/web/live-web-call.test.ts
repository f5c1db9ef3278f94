import { afterEach, expect, it } from 'vitest';
import type { BinarySocket } from '../../calls/speech.ts';
import { silentLogger } from '../../kernel/logger.ts';
import { type LiveWebCall, liveWebCall } from './live-web-call.ts';

let live: LiveWebCall | undefined;
afterEach(() => live?.line.close(1000, 'the test is over'));

/** A call whose conversation never says anything. @returns what it was told of the visitor being away, and a way to send */
function begun(media: 'audio' | 'text') {
  const away: boolean[] = [];
  const socket: BinarySocket = {
    send: () => undefined,
    sendBytes: () => undefined,
    bufferedBytes: 0,
    close: () => undefined,
    onMessage: () => undefined,
    onBytes: () => undefined,
    onClose: () => undefined,
  };
  const call = liveWebCall({
    callId: 'call_1',
    epoch: 1,
    media,
    ageMs: 0,
    beginsAt: 0,
    resumeWindowMs: 30_000,
    aliveMs: 3_600_000,
    store: {
      keepAlive: async () => 'held' as const,
      end: async () => null,
      addContext: async () => undefined,
    },
    converse: () => new Promise(() => undefined),
    note: () => undefined,
    pause: (on) => away.push(on),
    onEnded: () => undefined,
    onGone: () => undefined,
    logger: silentLogger,
  });
  live = call;
  call.begin(socket, null);
  return { away, send: (message: object) => call.line.receive(socket, JSON.stringify(message)) };
}

it('does not take a muted visitor for a silent one, until they are back', () => {
  const { away, send } = begun('audio');
  send({ type: 'mute', on: true });
  send({ type: 'pause', on: false });
  expect(away).toEqual([true, true]);
  send({ type: 'mute', on: false });
  expect(away.at(-1)).toBe(false);
  send({ type: 'pause', on: true });
  send({ type: 'mute', on: false });
  expect(away.slice(-2)).toEqual([true, true]);
});

it('begins to wait anew with every message of a muted visitor', () => {
  const { away, send } = begun('audio');
  send({ type: 'mute', on: true });
  send({ type: 'text', id: 1, text: 'Still reading' });
  expect(away).toEqual([true, false, true]);
});

it('waits for visitors of a call in writing as ever: they have nothing to mute', () => {
  const { away, send } = begun('text');
  send({ type: 'mute', on: true });
  send({ type: 'text', id: 1, text: 'Hello' });
  expect(away).not.toContain(true);
});
