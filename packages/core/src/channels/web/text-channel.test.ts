import { expect, it } from 'vitest';
import type { CalleeEvent } from '../../calls/speech.ts';
import type { LineEvent } from './resumable-socket.ts';
import { textChannel } from './text-channel.ts';

function open() {
  const sent: LineEvent[] = [];
  const { channel, visitor } = textChannel({
    callId: 'call_1',
    sessionId: 'session_1',
    send: (event) => sent.push(event),
    sinceBeginning: () => 0,
    onEnd: () => undefined,
    onClose: () => undefined,
  });
  const lines = () =>
    sent.flatMap((event) => (event.type === 'transcript' ? [[event.role, event.text]] : []));
  return { channel, visitor, lines };
}

it('shows what was typed before the agent came below its greeting, as it is told', async () => {
  const { channel, visitor, lines } = open();
  visitor.take({ type: 'text', id: 1, text: 'Are you open?' });
  expect(lines()).toEqual([]);
  const told: CalleeEvent['type'][] = [];
  channel.listen((event) => {
    told.push(event.type);
    if (event.type === 'ready')
      channel.speak('Hello, I am the AI assistant.', { last: true, interruptible: true });
  });
  await expect.poll(() => told).toContain('said');
  expect(lines()).toEqual([
    ['assistant', 'Hello, I am the AI assistant.'],
    ['user', 'Are you open?'],
  ]);
});

it('leaves what was typed to the next server when the call is lost before anybody read it', async () => {
  const { channel, visitor, lines } = open();
  visitor.closed();
  visitor.take({ type: 'text', id: 1, text: 'Are you open?' });
  const told: CalleeEvent['type'][] = [];
  channel.listen((event) => told.push(event.type));
  await expect.poll(() => told).toContain('closed');
  expect(told).not.toContain('said');
  expect(lines()).toEqual([]);
});
