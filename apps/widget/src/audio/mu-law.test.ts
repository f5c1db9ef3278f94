import { expect, it } from 'vitest';
import { decodedMuLaw, encodeMuLaw, loudness } from './mu-law.ts';

it('has the codes of G.711', () => {
  expect(encodeMuLaw(0)).toBe(0xff);
  expect(encodeMuLaw(1)).toBe(0x80);
  expect(encodeMuLaw(-1)).toBe(0x00);
  expect(encodeMuLaw(2)).toBe(0x80);
  expect(encodeMuLaw(1000 / 32_767)).toBe(0xce);
  expect(encodeMuLaw(-1000 / 32_767)).toBe(0x4e);
});

it('gives every code back, except the second zero', () => {
  for (let byte = 0; byte < 256; byte++) {
    expect(encodeMuLaw(decodedMuLaw[byte] ?? 0)).toBe(byte === 0x7f ? 0xff : byte);
  }
});

it('keeps samples within one step of their loudness', () => {
  for (let sample = -0.99; sample < 1; sample += 0.01) {
    const decoded = decodedMuLaw[encodeMuLaw(sample)] ?? 0;
    expect(Math.abs(decoded - sample)).toBeLessThan(0.001 + Math.abs(sample) * 0.035);
  }
});

it('tells how loud a piece is', () => {
  expect(loudness(new Uint8Array([0xff, 0x7f]))).toBe(0);
  expect(loudness(new Uint8Array([0xff, 0x00, 0xff]))).toBe(1);
  const quiet = loudness(new Uint8Array([encodeMuLaw(0.01)]));
  const loud = loudness(new Uint8Array([encodeMuLaw(-0.3)]));
  expect(quiet).toBeGreaterThan(0.2);
  expect(loud).toBeGreaterThan(quiet + 0.3);
});
