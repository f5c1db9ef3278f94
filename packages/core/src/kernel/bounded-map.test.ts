import { Keyv } from 'keyv';
import { expect, it } from 'vitest';
import { BoundedMap } from './bounded-map.ts';

it('forgets the oldest entry when it is full, and counts a written entry as new', () => {
  const map = new BoundedMap<string, number>(2);
  map.set('a', 1).set('b', 2).set('a', 3).set('c', 4);
  expect([...map]).toEqual([
    ['a', 3],
    ['c', 4],
  ]);
});

it('bounds a cache', async () => {
  const map = new BoundedMap<string, unknown>(10);
  const cache = new Keyv({ store: map, ttl: 1_000 });
  for (let index = 0; index < 100; index += 1) await cache.set(`key-${index}`, index);
  expect(map.size).toBe(10);
  expect(await cache.get('key-99')).toBe(99);
  expect(await cache.get('key-0')).toBeUndefined();
});
