import { expect, it } from 'vitest';
import { pace } from '../line/pace.ts';
import { eventually } from '../testing/application.ts';
import { FrameClock } from './frame-clock.ts';

it('makes up for the time in which nothing could run, a little at a time', async () => {
  const frames: number[] = [];
  let inATurn = 0;
  let mostInATurn = 0;
  const clock = new FrameClock(pace(20), (index) => {
    frames.push(index);
    inATurn += 1;
    mostInATurn = Math.max(mostInATurn, inATurn);
  });
  const startedAt = performance.now();
  clock.start();
  await eventually(() => (frames.length > 5 ? true : undefined));
  inATurn = 0;
  const countTurn = () => {
    inATurn = 0;
    turn = setImmediate(countTurn);
  };
  let turn = setImmediate(countTurn);
  mostInATurn = 0;
  const until = performance.now() + 300;
  while (performance.now() < until);
  await eventually(() => (frames.length > 400 ? true : undefined));
  const passedMs = performance.now() - startedAt;
  clock.stop();
  clearImmediate(turn);
  expect(frames).toEqual(frames.map((_, index) => index));
  // One frame a millisecond at this speed: never ahead of the time.
  expect(frames.length).toBeLessThanOrEqual(passedMs);
  // A timer and an immediate may both fall between two counts.
  expect(mostInATurn).toBeLessThanOrEqual(6);
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
