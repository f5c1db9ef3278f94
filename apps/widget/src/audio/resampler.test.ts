import { describe, expect, it } from 'vitest';
import { Resampler } from './resampler.ts';

const tone = (hertz: number, rate: number, samples: number) =>
  Float32Array.from({ length: samples }, (_, index) => Math.sin((2 * Math.PI * hertz * index) / rate));

/** In pieces of a worklet's size. */
function resampled(input: Float32Array, fromRate: number, toRate: number): Float32Array {
  const resampler = new Resampler(fromRate, toRate);
  const output: number[] = [];
  for (let at = 0; at < input.length; at += 128)
    output.push(...resampler.process(input.subarray(at, at + 128)));
  return Float32Array.from(output);
}

/** How loud one tone is in a signal, of 0 to 1. */
function strength(signal: Float32Array, hertz: number, rate: number): number {
  let [real, imaginary] = [0, 0];
  for (const [index, sample] of signal.entries()) {
    real += sample * Math.cos((2 * Math.PI * hertz * index) / rate);
    imaginary += sample * Math.sin((2 * Math.PI * hertz * index) / rate);
  }
  return (2 * Math.hypot(real, imaginary)) / signal.length;
}
const settled = (signal: Float32Array) => signal.subarray(200, signal.length - 200);

describe.each([48_000, 44_100, 16_000, 96_000])('between %i Hz and the line', (rate) => {
  it.each([300, 1000, 3000, 3400])('keeps a tone of %i Hz, down and up', (hertz) => {
    const down = resampled(tone(hertz, rate, rate), rate, 8000);
    expect(strength(settled(down), hertz, 8000)).toBeCloseTo(1, 1);
    const up = resampled(tone(hertz, 8000, 8000), 8000, rate);
    expect(strength(settled(up), hertz, rate)).toBeCloseTo(1, 1);
  });

  it('keeps the length', () => {
    expect(resampled(new Float32Array(rate), rate, 8000).length).toBeGreaterThan(7950);
    expect(resampled(new Float32Array(rate), rate, 8000).length).toBeLessThanOrEqual(8000);
  });

  it('lets nothing fold back from above the band', () => {
    const down = resampled(tone(5000, rate, rate), rate, 8000);
    expect(strength(settled(down), 3000, 8000)).toBeLessThan(0.01);
  });

  it('adds nothing above the band', () => {
    const up = resampled(tone(3000, 8000, 8000), 8000, rate);
    if (rate > 10_000) expect(strength(settled(up), 5000, rate)).toBeLessThan(0.01);
  });
});

it('passes equal rates through', () => {
  const signal = tone(440, 8000, 4000);
  const passed = resampled(signal, 8000, 8000);
  for (let index = 200; index < passed.length; index += 97) {
    expect(passed[index]).toBeCloseTo(signal[index] ?? 0, 1);
  }
});
