import { describe, expect, it } from 'vitest';
import { beepDetector } from './beep-detector.ts';

const samplesPerSecond = 8_000;

/** ITU-T G.711. */
function muLaw(sample: number): number {
  const sign = sample < 0 ? 0x80 : 0;
  const magnitude = Math.min(32_635, Math.round(Math.abs(sample) * 32_767)) + 0x84;
  const exponent = Math.floor(Math.log2(magnitude)) - 7;
  return ~(sign | (exponent << 4) | ((magnitude >> (exponent + 3)) & 0x0f)) & 0xff;
}

/** Noise that is the same in every run. */
function noise(): () => number {
  let seed = 42;
  return () => {
    seed = (Math.imul(seed, 1_103_515_245) + 12_345) & 0x7fffffff;
    return seed / 0x3fffffff - 1;
  };
}

type Sound = (second: number) => number;

function audio(...parts: readonly { ms: number; sound: Sound }[]): Uint8Array {
  const hiss = noise();
  return Uint8Array.from(
    parts.flatMap(({ ms, sound }) =>
      Array.from({ length: (ms * samplesPerSecond) / 1000 }, (_, index) =>
        muLaw(sound(index / samplesPerSecond) + 0.003 * hiss()),
      ),
    ),
  );
}

const tone =
  (hertz: number, loudness = 0.3): Sound =>
  (second) =>
    loudness * Math.sin(2 * Math.PI * hertz * second);
const both =
  (...sounds: readonly Sound[]): Sound =>
  (second) =>
    sounds.reduce((sum, sound) => sum + sound(second), 0);
const silence: Sound = () => 0;
/** Vowels with two formants, on a pitch that moves as in talk. */
const voice =
  (lowest: number, formants: readonly number[]): Sound =>
  (second) => {
    const pitch = lowest * (1 + 0.15 * Math.sin(2 * Math.PI * 1.3 * second));
    let sum = 0;
    for (let harmonic = 1; harmonic * pitch < 3400; harmonic += 1) {
      const nearest = Math.min(...formants.map((formant) => Math.abs(formant - harmonic * pitch)));
      sum += Math.exp(-nearest / 150) * Math.sin(2 * Math.PI * harmonic * pitch * second);
    }
    return 0.2 * sum * (0.6 + 0.4 * Math.sin(2 * Math.PI * 4 * second));
  };

function beeps(bytes: Uint8Array, pieceBytes = 160): number {
  const detector = beepDetector();
  let heard = 0;
  for (let at = 0; at < bytes.length; at += pieceBytes) {
    if (detector.hear(bytes.subarray(at, at + pieceBytes))) heard += 1;
  }
  return heard;
}

const greeting = { ms: 1_000, sound: voice(120, [600, 1200]) };
const pause = { ms: 500, sound: silence };

describe('a beep', () => {
  it.each([720, 850, 1000, 1250, 1400, 1560])('of %d Hz is heard once, after a greeting', (hertz) => {
    for (const ms of [180, 250, 500, 1_000]) {
      expect(beeps(audio(greeting, pause, { ms, sound: tone(hertz) }, pause, pause)), `${ms} ms`).toBe(1);
    }
  });

  it('is heard whether it is loud or not', () => {
    for (const loudness of [0.05, 0.1, 0.9]) {
      expect(beeps(audio(pause, { ms: 400, sound: tone(1000, loudness) }, pause))).toBe(1);
    }
  });

  it('is told in the piece in which it has come to its end', () => {
    const detector = beepDetector();
    expect(detector.hear(audio(pause, { ms: 400, sound: tone(1000) }))).toBe(false);
    expect(detector.hear(audio({ ms: 60, sound: silence }))).toBe(false);
    expect(detector.hear(audio({ ms: 100, sound: silence }))).toBe(true);
  });

  it('is heard in pieces of any length, as bytes and as base64', () => {
    const bytes = audio(pause, { ms: 400, sound: tone(1000) }, pause);
    for (const pieceBytes of [1, 37, 160, 4_000, bytes.length]) expect(beeps(bytes, pieceBytes)).toBe(1);
    expect(beepDetector().hear(Buffer.from(bytes).toString('base64'))).toBe(true);
  });

  it('may be followed by another', () => {
    const beep = { ms: 300, sound: tone(1000) };
    expect(beeps(audio(beep, pause, beep, pause))).toBe(2);
  });
});

describe('no beep', () => {
  const rows = [697, 770, 852, 941];
  const columns = [1209, 1336, 1477, 1633];
  it('is a key', () => {
    for (const row of rows) {
      for (const column of columns) {
        const key = { ms: 300, sound: both(tone(row, 0.2), tone(column, 0.2)) };
        expect(beeps(audio(pause, key, pause)), `${row} + ${column} Hz`).toBe(0);
      }
    }
  });

  it.each([
    ['a ringing tone', both(tone(440, 0.2), tone(480, 0.2))],
    ['a dial tone', both(tone(350, 0.2), tone(440, 0.2))],
    ['a tone that is too low', tone(500)],
    ['a fax machine that answers', tone(2_100)],
    ['noise', noise()],
    ['silence', silence],
    ['a low voice', voice(110, [700, 1100])],
    ['a high voice', voice(240, [800, 1300])],
    ['a child', voice(330, [1000, 1400])],
  ] satisfies [string, Sound][])('is %s', (_, sound) => {
    for (const ms of [200, 600, 2_000]) expect(beeps(audio(pause, { ms, sound }, pause)), `${ms} ms`).toBe(0);
  });

  it('is a tone that is too short or too long', () => {
    expect(beeps(audio(pause, { ms: 100, sound: tone(1000) }, pause))).toBe(0);
    expect(beeps(audio(pause, { ms: 4_000, sound: tone(1000) }, pause))).toBe(0);
  });

  it('is a tone into which somebody speaks', () => {
    expect(beeps(audio({ ms: 400, sound: tone(1000) }, greeting, pause))).toBe(0);
  });

  it('are the three tones before the news that a number is not in service', () => {
    const tones = [950, 1400, 1800].map((hertz) => ({ ms: 330, sound: tone(hertz) }));
    expect(beeps(audio(pause, ...tones, pause))).toBe(0);
  });
});
