import { expect, it } from 'vitest';
import { encodeMuLaw, pcmOf, silence } from './mu-law.ts';
import { toWav } from './wav.ts';

it('decodes every byte of µ-law to a sample that encodes to the same byte', () => {
  const samples = Float64Array.from(pcmOf, (sample) => sample / 32768);
  // There are two zeros; one of them is never written.
  const expected = Uint8Array.from({ length: 256 }, (_, byte) => (byte === 0x7f ? 0xff : byte));
  expect(encodeMuLaw(samples)).toEqual(expected);
  expect([pcmOf[0x00], pcmOf[0x80], pcmOf[0xff]]).toEqual([-32124, 32124, 0]);
});

it('writes tracks side by side', () => {
  const wav = Buffer.from(toWav([Uint8Array.of(0x00, 0x80), silence(1)]));
  expect(wav.toString('latin1', 0, 4) + wav.toString('latin1', 8, 16)).toBe('RIFFWAVEfmt ');
  expect(wav.readUInt16LE(22)).toBe(2);
  expect(wav.readUInt32LE(24)).toBe(8000);
  expect(wav.readUInt32LE(40)).toBe(8 * 2 * 2);
  expect(wav.length).toBe(44 + 8 * 2 * 2);
  expect([wav.readInt16LE(44), wav.readInt16LE(46), wav.readInt16LE(48), wav.readInt16LE(52)]).toEqual([
    -32124, 0, 32124, 0,
  ]);
});
