import { expect, it } from 'vitest';
import { pace } from '../line/pace.ts';
import { eventually } from '../testing/application.ts';
import { FrameClock } from './frame-clock.ts';

function blockFor(ms: number): void {
  const until = performance.now() + ms;
  while (performance.now() < until);
}

it('makes up for the time in which nothing could run, a little at a time', async () => {
  const frames: number[] = [];
  let turns = 0;
  let mostInATurn = 0;
  let inATurn = 0;
  const clock = new FrameClock(pace(20), (index) => {
    frames.push(index);
    inATurn += 1;
    mostInATurn = Math.max(mostInATurn, inATurn);
  });
  const startedAt = performance.now();
  clock.start();
  const count = () => {
    turns += 1;
    inATurn = 0;
  };
  await eventually(() => (frames.length > 5 ? true : undefined));
  const timer = setInterval(count, 1);
  const immediate = () => {
    count();
    if (turns < 100_000) pending = setImmediate(immediate);
  };
  let pending = setImmediate(immediate);
  blockFor(300);
  await eventually(() => (frames.length > 400 ? true : undefined));
  const passedMs = performance.now() - startedAt;
  clock.stop();
  clearInterval(timer);
  clearImmediate(pending);
  expect(frames).toEqual(frames.map((_, index) => index));
  // One frame a millisecond at this speed: never ahead of the time.
  expect(frames.length).toBeLessThanOrEqual(passedMs);
  expect(mostInATurn).toBeLessThanOrEqual(50);
});

it('stops at once, in the middle of a turn too', async () => {
  let beats = 0;
  const clock = new FrameClock(pace(20), () => {
    beats += 1;
    if (beats === 3) clock.stop();
  });
  clock.start();
  await eventually(() => (beats === 3 ? true : undefined));
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(beats).toBe(3);
});
