import { expect, it } from 'vitest';
import { outbox } from './outbox.ts';

const filled = (limitBytes: number) => {
  const box = outbox({ beginsAt: 10, limitBytes });
  for (let count = 0; count < 5; count += 1) box.add((position) => `message ${position}`);
  return box;
};

it('keeps what was not acknowledged, by position', () => {
  const box = filled(1000);
  expect(box.position).toBe(15);
  expect(box.since(10)).toEqual([11, 12, 13, 14, 15].map((position) => `message ${position}`));
  expect(box.since(14)).toEqual(['message 15']);
  expect(box.since(15)).toEqual([]);
  box.acknowledge(13);
  expect(box.since(13)).toEqual(['message 14', 'message 15']);
  expect(box.since(12)).toBeNull();
  box.acknowledge(11);
  expect(box.since(13)).toEqual(['message 14', 'message 15']);
});

it('knows nothing of positions it has not given', () => {
  const box = filled(1000);
  expect(box.since(16)).toBeNull();
  expect(box.since(9)).toBeNull();
  box.acknowledge(99);
  expect(box.since(15)).toEqual([]);
});

it('forgets the oldest beyond its limit', () => {
  const box = filled(2 * 'message 11'.length);
  expect(box.since(12)).toBeNull();
  expect(box.since(13)).toEqual(['message 14', 'message 15']);
  box.add(() => new Uint8Array(1000));
  expect(box.since(15)).toBeNull();
  expect(box.since(16)).toEqual([]);
});
