import { expect, it } from 'vitest';
import { encodeMuLaw } from './mu-law.ts';
import { PlaybackQueue } from './playback-queue.ts';

const frame = (level: number, samples = 160) => new Uint8Array(samples).fill(encodeMuLaw(level));
const take = (queue: PlaybackQueue, samples = 160) => {
  const out = new Float32Array(samples).fill(9);
  return { marks: queue.take(out), out };
};
const isSilent = (out: Float32Array) => out.every((sample) => sample === 0);

it('is silent while nothing has come', () => {
  const queue = new PlaybackQueue();
  expect(take(queue)).toMatchObject({ marks: [] });
  expect(isSilent(take(queue).out)).toBe(true);
  expect(queue.playing).toBe(false);
});

it('begins with a head start, in order, and without a gap', () => {
  const queue = new PlaybackQueue();
  for (const level of [0.1, 0.2, 0.3]) queue.push(frame(level));
  expect(isSilent(take(queue).out)).toBe(true);
  queue.push(frame(0.4));
  const { out } = take(queue, 640);
  for (const [index, level] of [0.1, 0.2, 0.3, 0.4].entries()) {
    expect(out[index * 160]).toBeCloseTo(level, 1);
    expect(out[index * 160 + 159]).toBeCloseTo(level, 1);
  }
});

it('begins with little when no more comes for 80 ms', () => {
  const queue = new PlaybackQueue();
  queue.push(frame(0.5, 100));
  for (const _ of [1, 2, 3]) expect(isSilent(take(queue).out)).toBe(true);
  const { out } = take(queue);
  expect(out[99]).toBeCloseTo(0.5, 1);
  expect(isSilent(out.subarray(100))).toBe(true);
  expect(queue.playing).toBe(false);
});

it('collects a new head start after it ran dry', () => {
  const queue = new PlaybackQueue();
  queue.push(frame(0.5, 640));
  take(queue, 640);
  queue.push(frame(0.5));
  expect(isSilent(take(queue).out)).toBe(true);
});

it('reaches marks in order, when what is before them was taken', () => {
  const queue = new PlaybackQueue();
  queue.push(frame(0.5, 320));
  queue.mark('half');
  queue.push(frame(0.5, 320));
  queue.mark('end');
  queue.mark('same');
  expect(take(queue).marks).toEqual([]);
  expect(take(queue).marks).toEqual(['half']);
  expect(take(queue).marks).toEqual([]);
  expect(take(queue).marks).toEqual(['end', 'same']);
  queue.mark('at once');
  expect(take(queue).marks).toEqual(['at once']);
});

it('drops sound and marks when cleared, and goes on with what comes next', () => {
  const queue = new PlaybackQueue();
  queue.push(frame(0.5, 8000));
  queue.mark('never');
  take(queue);
  queue.clear();
  expect(queue.playing).toBe(false);
  expect(take(queue)).toMatchObject({ marks: [] });
  queue.push(frame(0.25, 640));
  queue.mark('next');
  const { marks, out } = take(queue, 640);
  expect(out[0]).toBeCloseTo(0.25, 1);
  expect(marks).toEqual(['next']);
});
