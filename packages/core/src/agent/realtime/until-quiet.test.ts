import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { untilQuiet } from './until-quiet.ts';

let did: string[];
let quiet: ReturnType<typeof untilQuiet>;
const run = (what: string) => quiet.run(() => did.push(what));

beforeEach(() => {
  vi.useFakeTimers();
  did = [];
  quiet = untilQuiet();
});
afterEach(() => {
  vi.useRealTimers();
});

it('what is asked for in silence is done at once', () => {
  run('answer');
  expect(did).toEqual(['answer']);
  quiet.calleeSpeaking(false);
  run('another answer');
  expect(did).toEqual(['answer', 'another answer']);
});

it('while the callee speaks, and until their last words can be known, everything waits in order', () => {
  quiet.calleeSpeaking(true);
  run('one');
  vi.advanceTimersByTime(60_000);
  quiet.calleeSpeaking(false);
  run('two');
  vi.advanceTimersByTime(300);
  expect(did).toEqual([]);
  quiet.calleeSpeaking(true);
  vi.advanceTimersByTime(60_000);
  quiet.calleeSpeaking(false);
  vi.advanceTimersByTime(600);
  expect(did).toEqual(['one', 'two']);
});

it('what is dropped is never done, and nothing waits any more', () => {
  quiet.calleeSpeaking(true);
  run('stale');
  quiet.drop();
  run('fresh');
  quiet.calleeSpeaking(true);
  quiet.calleeSpeaking(false);
  vi.advanceTimersByTime(600);
  expect(did).toEqual(['fresh']);
});
