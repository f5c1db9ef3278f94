import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { inactivityTimer } from '../session/inactivity-timer.ts';
import { pendingReplies } from './pending-replies.ts';

const silenceMs = 8_000;

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

function stage() {
  const told: string[] = [];
  const silence = inactivityTimer({ silenceMs, onSilence: () => told.push('silence') });
  const owed = pendingReplies({
    silence,
    onSlow: () => told.push('slow'),
    onStalled: () => told.push('stalled'),
    onGone: () => told.push('gone'),
  });
  return { told, owed };
}

it('a callee who waits hears that the line is alive, until nothing is to be expected', () => {
  const { told, owed } = stage();
  owed.expect('words');
  vi.advanceTimersByTime(4_999);
  expect(told).toEqual(['slow']);
  vi.advanceTimersByTime(10_000);
  expect(told).toEqual(['slow', 'stalled', 'gone']);
});

it('a model that goes on is not taken for stalled', () => {
  const { told, owed } = stage();
  owed.expect('words');
  for (let count = 0; count < 5; count += 1) {
    vi.advanceTimersByTime(4_000);
    owed.progressed();
  }
  expect(told).toEqual(['slow']);
  vi.advanceTimersByTime(5_000);
  expect(told).toEqual(['slow', 'stalled']);
});

it('what is owed in place of all has been waited for as long', () => {
  const { told, owed } = stage();
  owed.expect('words');
  owed.expect('turn');
  vi.advanceTimersByTime(6_000);
  owed.renew(['words']);
  vi.advanceTimersByTime(6_000);
  expect(told).toEqual(['slow', 'stalled', 'gone']);
  owed.given();
  expect(owed.areAny).toBe(false);
});

it('turns are owed one answer, until the callee speaks again', () => {
  const { owed } = stage();
  owed.expect({ line: 'Hello.' });
  owed.expect('turn');
  owed.expect('turn');
  expect(owed.all).toEqual([{ line: 'Hello.' }, 'turn']);
  owed.withdrawTurn();
  expect(owed.all).toEqual([{ line: 'Hello.' }]);
  owed.expect('turn');
  owed.given();
  expect(owed.all).toEqual(['turn']);
  owed.given();
  expect(owed.areAny).toBe(false);
});

it('silence counts again once every answer was given', () => {
  const { told, owed } = stage();
  owed.expect('words');
  owed.expect({ line: 'Hello.' });
  owed.progressed();
  owed.given();
  expect(owed.areAny).toBe(true);
  vi.advanceTimersByTime(silenceMs + 1);
  expect(told).not.toContain('silence');
  owed.given();
  expect(owed.areAny).toBe(false);
  vi.advanceTimersByTime(silenceMs + 1);
  expect(told.at(-1)).toBe('silence');
});

it('nobody gives up on a tool at work', () => {
  const { told, owed } = stage();
  owed.expect('words');
  owed.toolBegan();
  vi.advanceTimersByTime(60_000);
  expect(told).toEqual(['slow']);
  owed.toolEnded();
  vi.advanceTimersByTime(15_000);
  expect(told).toEqual(['slow', 'stalled', 'gone']);
});

it('an answer that is not wanted any more is not waited for', () => {
  const { told, owed } = stage();
  owed.expect('words');
  owed.drop();
  expect(owed.areAny).toBe(false);
  vi.advanceTimersByTime(60_000);
  expect(told).not.toContain('gone');
});
