import type { WidgetServerEvent } from '@callkite/contract';
import { expect, it } from 'vitest';
import { type CallState, noCall } from './call-state.ts';
import { type CallEvent, nextCallState } from './next-call-state.ts';

const after = (events: CallEvent[], from: CallState = noCall) => events.reduce(nextCallState, from);
const server = (event: WidgetServerEvent, atMs = 0): CallEvent => ({ type: 'server', event, atMs });
const dial: CallEvent = { type: 'dial' };
const ready = (atMs = 1000) =>
  server(
    { type: 'ready', call_id: 'call_1', seq: 0, received: 0, resumed: false, media: 'audio', codec: null },
    atMs,
  );
const line = (id: string, text: string, more: object = {}) =>
  server({
    ...{ type: 'transcript' as const, seq: 1, role: 'assistant' as const, final: true },
    ...{ start_ms: 0, end_ms: null, message_id: null, id, text },
    ...more,
  });

it('goes from ready over connecting and live to ended', () => {
  expect(after([dial]).status).toBe('connecting');
  const live = after([dial, { type: 'session', callId: 'call_1', agentName: 'Robin' }, ready(1000)]);
  expect(live).toMatchObject({ status: 'live', callId: 'call_1', agentName: 'Robin', startedAtMs: 1000 });
  expect(after([{ type: 'over', reason: 'agent', atMs: 61_000 }], live)).toMatchObject({
    status: 'ended',
    endReason: 'agent',
    durationMs: 60_000,
    lines: live.lines,
  });
});

it('reconnects without beginning to count anew', () => {
  const lost = after([dial, ready(1000), { type: 'lost' }]);
  expect(lost.status).toBe('reconnecting');
  expect(after([ready(9000)], lost)).toMatchObject({ status: 'live', startedAtMs: 1000 });
});

it('stays connecting when the first socket breaks', () => {
  expect(after([dial, { type: 'lost' }]).status).toBe('connecting');
});

it('begins every call with nothing of the last', () => {
  const ended = after([
    dial,
    ready(),
    line('a', 'Hello'),
    { type: 'muted', on: true },
    { type: 'notice', code: 'microphone_denied' },
    { type: 'over', reason: 'visitor', atMs: 5000 },
  ]);
  expect(after([dial], ended)).toEqual({ ...noCall, status: 'connecting' });
});

it('lets nothing happen to a call that is over, or not begun', () => {
  const ended = after([dial, ready(), { type: 'over', reason: 'visitor', atMs: 5000 }]);
  const late: CallEvent[] = [
    line('a', 'late'),
    { type: 'lost' },
    { type: 'muted', on: true },
    { type: 'voice', open: true },
    { type: 'over', reason: 'connection', atMs: 9000 },
  ];
  expect(after(late, ended)).toBe(ended);
  expect(after(late)).toBe(noCall);
});

it('goes back to ready when a call cannot start, and says why', () => {
  expect(after([dial, { type: 'failed', code: 'rate_limited' }])).toEqual({
    ...noCall,
    failure: 'rate_limited',
  });
});

it('goes on by typing when there is no microphone, and drops the notice when there is one', () => {
  const typed = after([dial, { type: 'notice', code: 'microphone_denied' }, ready()]);
  expect(typed).toMatchObject({ status: 'live', hasVoice: false, notice: 'microphone_denied' });
  expect(after([{ type: 'voice', open: true }], typed)).toMatchObject({ hasVoice: true, notice: null });
});

it('lets a line grow in its place', () => {
  const { lines } = after([
    dial,
    ready(),
    line('a', 'Hel', { final: false }),
    line('u', 'Yes', { role: 'user' }),
    line('a', 'Hello'),
  ]);
  expect(lines.map(({ id, text, final }) => [id, text, final])).toEqual([
    ['a', 'Hello', true],
    ['u', 'Yes', true],
  ]);
});

it('shows a typed line once, before and after the server tells it', () => {
  const typed = after([
    dial,
    { type: 'typed', messageId: 1, text: 'Hi' },
    { type: 'typed', messageId: 2, text: 'There' },
  ]);
  expect(typed.lines.map(({ text }) => text)).toEqual(['Hi', 'There']);
  const told = after([ready(), line('u2', 'There', { role: 'user', message_id: 2 })], typed);
  expect(told.lines.map(({ id, text }) => [id, text])).toEqual([
    ['u2', 'There'],
    ['typed-1', 'Hi'],
  ]);
  const again = after([line('u2', 'There.', { role: 'user', message_id: 2 })], told);
  expect(again.lines).toHaveLength(2);
});

it('keeps lines in the order of the server, and what it has not told yet below them', () => {
  const { lines } = after([
    dial,
    { type: 'typed', messageId: 1, text: 'Hi' },
    ready(),
    line('a', 'Hello'),
    { type: 'typed', messageId: 2, text: 'There' },
    line('u1', 'Hi', { role: 'user', message_id: 1 }),
    line('b', 'How are you?'),
  ]);
  expect(lines.map(({ text }) => text)).toEqual(['Hello', 'Hi', 'How are you?', 'There']);
});

it('marks a typed line that was refused', () => {
  const { lines } = after([
    dial,
    ready(),
    { type: 'typed', messageId: 1, text: 'Hi' },
    { type: 'typed', messageId: 2, text: 'Hi' },
    server({ type: 'error', code: 'too_fast', message: 'Slower', message_id: 2 }),
  ]);
  expect(lines.map(({ delivery }) => delivery)).toEqual(['sent', 'refused']);
});

it('tells why the page ended it beside who did', () => {
  const over = { type: 'over', reason: 'visitor', atMs: 2000 } as const;
  expect(after([dial, ready(), over])).toMatchObject({ endReason: 'visitor', pageReason: null });
  expect(after([dial, ready(), { ...over, pageReason: 'Sold' }])).toMatchObject({
    endReason: 'visitor',
    pageReason: 'Sold',
  });
});

it('takes a call over from an earlier page, without its microphone', () => {
  const saved = after([dial, ready(1000), line('a', 'Hello'), { type: 'voice', open: true }]);
  const resumed = after([{ type: 'resume', state: saved }]);
  expect(resumed).toMatchObject({ status: 'reconnecting', hasVoice: false, lines: saved.lines });
  expect(after([ready(8000)], resumed)).toMatchObject({ status: 'live', startedAtMs: 1000 });
});
