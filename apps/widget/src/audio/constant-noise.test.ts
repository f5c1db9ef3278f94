import { expect, it } from 'vitest';
import { constantNoise } from './constant-noise.ts';

/** Hears frames of these levels. @returns after which frames the noise began or ended */
function changes(levels: readonly number[]): [frame: number, isHeard: boolean][] {
  const noise = constantNoise();
  return levels.flatMap((level, frame) => (noise.hear(level) ? [[frame, noise.isHeard]] : []));
}

const seconds = (count: number, level: (frame: number) => number) =>
  Array.from({ length: count * 50 }, (_, frame) => level(frame));
/** Syllables and the pauses between them. */
const voice = (frame: number) => (frame % 12 < 8 ? 0.8 : 0.3);
const tone = (frame: number) => 0.85 + (frame % 2) * 0.02;

it('finds a loud tone after three seconds', () => {
  expect(changes(seconds(6, tone))).toEqual([[149, true]]);
});

it('takes neither voices, nor a quiet hum, nor a short beep for one', () => {
  expect(changes(seconds(20, voice))).toEqual([]);
  expect(changes(seconds(20, () => 0.3))).toEqual([]);
  expect(changes([...seconds(2, tone), ...seconds(5, () => 0)])).toEqual([]);
});

it('lets a voice through that rises above it, and what follows the end of it', () => {
  const over = (frame: number) => (frame % 12 < 8 ? 0.96 : 0.85);
  expect(changes([...seconds(4, tone), ...seconds(2, over), ...seconds(5, tone)])).toEqual([
    [149, true],
    [200, false],
    [449, true],
  ]);
  expect(changes([...seconds(4, tone), ...seconds(2, () => 0)])).toEqual([
    [149, true],
    [200, false],
  ]);
});
