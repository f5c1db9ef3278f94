import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { audioDurationMs, comfortTone, dtmfTones } from './audio.ts';

const base64 = fc.uint8Array({ maxLength: 500 }).map((bytes) => Buffer.from(bytes).toString('base64'));

describe('sound in base64', () => {
  it('lasts as long as its bytes', () => {
    fc.assert(
      fc.property(base64, (audio) => {
        expect(audioDurationMs(audio)).toBe(Buffer.from(audio, 'base64').length / 8);
      }),
    );
  });
});

/** Strength of one frequency in µ-law sound, for comparing. */
function strength(audio: string, hertz: number): number {
  let real = 0;
  let imaginary = 0;
  for (const [at, byte] of Buffer.from(audio, 'base64').entries()) {
    const bits = ~byte & 0xff;
    const magnitude = ((((bits & 0x0f) << 3) + 132) << ((bits >> 4) & 7)) - 132;
    const sample = bits & 0x80 ? -magnitude : magnitude;
    real += sample * Math.cos((2 * Math.PI * hertz * at) / 8000);
    imaginary += sample * Math.sin((2 * Math.PI * hertz * at) / 8000);
  }
  return Math.hypot(real, imaginary);
}

describe('tones', () => {
  it('of a key are its two', () => {
    const five = dtmfTones('5');
    for (const own of [770, 1336]) {
      for (const other of [697, 852, 941, 1209, 1477]) {
        expect(strength(five, own)).toBeGreaterThan(10 * strength(five, other));
      }
    }
  });

  it('of many keys follow each other, with pauses, and unknown keys are left out', () => {
    expect(audioDurationMs(dtmfTones('12'))).toBe(2 * audioDurationMs(dtmfTones('1')));
    expect(audioDurationMs(dtmfTones('1w2'))).toBe(2 * audioDurationMs(dtmfTones('1')) + 500);
    expect(dtmfTones('ab')).toBe('');
  });

  it('for a waiting callee begin and end in silence', () => {
    const bytes = Buffer.from(comfortTone, 'base64');
    expect([bytes.at(0), bytes.at(-1)].map((byte) => (byte ?? 0) & 0x7f)).toEqual([0x7f, expect.any(Number)]);
    expect(strength(comfortTone, 440)).toBeGreaterThan(10 * strength(comfortTone, 1000));
  });
});
