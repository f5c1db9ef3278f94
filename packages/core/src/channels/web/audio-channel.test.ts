import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { AudioEvent } from '../../calls/speech.ts';
import { audioChannel } from './audio-channel.ts';
import type { LineEvent } from './resumable-socket.ts';

const second = (byte: number) => Buffer.alloc(8000, byte).toString('base64');

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance', 'queueMicrotask'] });
});

afterEach(() => {
  vi.useRealTimers();
});

function open() {
  const frames: Uint8Array[] = [];
  const sent: LineEvent[] = [];
  const events: AudioEvent[] = [];
  const sound = { takesSound: true, sendSound: (frame: Uint8Array) => frames.push(frame) };
  const { channel, visitor } = audioChannel({
    callId: 'call_1',
    sessionId: '1.1',
    send: (event) => sent.push(event),
    sinceBeginning: () => 0,
    onEnd: () => undefined,
    onClose: () => undefined,
    sound: {
      sendSound: sound.sendSound,
      get takesSound() {
        return sound.takesSound;
      },
    },
  });
  channel.listen((event) => events.push(event));
  vi.advanceTimersByTime(0);
  const played = () => events.flatMap((event) => (event.type === 'played' ? [event.mark] : []));
  const marks = () => sent.flatMap((event) => (event.type === 'mark' ? [event.name] : []));
  return { channel, visitor, frames, sent, events, sound, played, marks };
}

it('sends sound in step with time, at most 400 ms ahead', () => {
  const { channel, frames } = open();
  channel.play(second(1));
  channel.play(second(2));
  vi.advanceTimersByTime(20);
  expect(frames).toHaveLength(20);
  vi.advanceTimersByTime(1000);
  expect(frames.length).toBeGreaterThanOrEqual(69);
  expect(frames.length).toBeLessThanOrEqual(71);
  vi.advanceTimersByTime(1000);
  expect(frames).toHaveLength(100);
  expect(frames.every(({ length }) => length === 160)).toBe(true);
});

it('keeps sound while the way is blocked, and drops it when it is taken back', () => {
  const { channel, frames, sound, sent } = open();
  sound.takesSound = false;
  channel.play(second(1));
  vi.advanceTimersByTime(3000);
  expect(frames).toEqual([]);
  sound.takesSound = true;
  vi.advanceTimersByTime(20);
  expect(frames).toHaveLength(20);
  channel.clear();
  vi.advanceTimersByTime(3000);
  expect(frames).toHaveLength(20);
  expect(sent.at(-1)).toEqual({ type: 'status', status: 'listening' });
  expect(sent.filter(({ type }) => type === 'clear')).toHaveLength(1);
});

it('keeps sound back while the visitor has the call on hold, and goes on where it was', () => {
  const { channel, visitor, frames, marks } = open();
  channel.play(second(1));
  channel.mark('end');
  vi.advanceTimersByTime(20);
  visitor.take({ type: 'pause', on: true });
  vi.advanceTimersByTime(60_000);
  expect(frames).toHaveLength(20);
  expect(marks()).toEqual([]);
  visitor.take({ type: 'pause', on: false });
  vi.advanceTimersByTime(1000);
  expect(frames).toHaveLength(50);
  expect(marks()).toHaveLength(1);
});

it('tells of marks after the sound before them, and not of those that were taken back', () => {
  const { channel, visitor, frames, marks, played } = open();
  channel.play(Buffer.alloc(100, 1).toString('base64'));
  channel.mark('first');
  vi.advanceTimersByTime(20);
  expect(frames).toHaveLength(1);
  expect(Buffer.from(frames[0] ?? []).subarray(100)).toEqual(Buffer.alloc(60, 0xff));
  channel.play(second(1));
  channel.mark('second');
  vi.advanceTimersByTime(100);
  expect(marks()).toHaveLength(1);
  visitor.take({ type: 'mark', id: 1, name: marks()[0] ?? '' });
  visitor.take({ type: 'mark', id: 2, name: marks()[0] ?? '' });
  vi.advanceTimersByTime(1000);
  expect(marks()).toHaveLength(2);
  channel.clear();
  visitor.take({ type: 'mark', id: 3, name: marks()[1] ?? '' });
  visitor.take({ type: 'mark', id: 4, name: 'unheard of' });
  channel.mark('third');
  vi.advanceTimersByTime(20);
  visitor.take({ type: 'mark', id: 5, name: marks()[2] ?? '' });
  vi.advanceTimersByTime(0);
  expect(played()).toEqual(['first', 'third']);
});

it('hears a microphone without gaps, and no faster than time', () => {
  const { visitor, events } = open();
  const heardMs = () =>
    events.reduce(
      (sum, event) => (event.type === 'audio' ? sum + Buffer.from(event.audio, 'base64').length / 8 : sum),
      0,
    );
  for (let frame = 0; frame < 50; frame += 1) {
    visitor.hear(new Uint8Array(160));
    vi.advanceTimersByTime(20);
  }
  expect(heardMs()).toBe(1000);
  vi.advanceTimersByTime(5000);
  expect(heardMs()).toBeGreaterThan(4900);
  expect(heardMs()).toBeLessThanOrEqual(6000);
  for (let frame = 0; frame < 1000; frame += 1) visitor.hear(new Uint8Array(160));
  vi.advanceTimersByTime(0);
  expect(heardMs()).toBeLessThan(8100);
  vi.advanceTimersByTime(3000);
  visitor.take({ type: 'mute', on: true });
  vi.advanceTimersByTime(1000);
  expect(heardMs()).toBeGreaterThan(9700);
});

it('shows what was said in the order in which the conversation tells it, typed words with their number', () => {
  const { visitor, sent, events } = open();
  visitor.take({ type: 'text', id: 7, text: ' Hello ' });
  visitor.spoken('assistant', 'This call');
  visitor.spoken('user', 'Hello');
  visitor.spoken('assistant', 'Good day.');
  visitor.spoken('user', 'Hello');
  vi.advanceTimersByTime(0);
  const lines = sent.flatMap((event) => (event.type === 'transcript' ? [event] : []));
  expect(lines.map(({ role, text, message_id }) => [role, text, message_id])).toEqual([
    ['assistant', 'This call', null],
    ['user', 'Hello', 7],
    ['assistant', 'Good day.', null],
    ['user', 'Hello', null],
  ]);
  expect(new Set(lines.map(({ id }) => id)).size).toBe(4);
  expect(events).toContainEqual({ type: 'typed', text: ' Hello ' });
  visitor.closed();
});
