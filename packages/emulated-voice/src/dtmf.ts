import { encodeMuLaw, pcmOf, SAMPLE_RATE, SAMPLES_PER_MS } from './mu-law.ts';

/** Understands keys that were sent as tones. */
export interface KeyListener {
  /** The next audio: µ-law in pieces of any length, in order. */
  hear(audio: Uint8Array): void;
  /** The keys understood since the last time, in order. */
  take(): string[];
}

const lowHz = [697, 770, 852, 941];
const highHz = [1209, 1336, 1477, 1633];
const keys = ['123A', '456B', '789C', '*0#D'];
const AMPLITUDE = 0.25;

const BLOCK = 20 * SAMPLES_PER_MS;
// Twice in a row, so that a vowel that happens to look like a key for a moment is none.
const BLOCKS_TO_TELL = 2;
const LEAST_LEVEL = 0.03;
const LEAST_SHARE = 0.85;
// The two tones of a key are sent equally loud.
const LEAST_BALANCE = 0.25;
const lowTones = lowHz.map(oscillator);
const highTones = highHz.map(oscillator);

/**
 * The tone of a key.
 *
 * @param digit `0`-`9`, `*`, `#` or `A`-`D`
 * @param ms how long it sounds. @default 120
 */
export function dtmf(digit: string, ms = 120): Uint8Array {
  const row = keys.findIndex((each) => digit.length === 1 && each.includes(digit));
  const low = lowHz[row];
  const high = highHz[keys[row]?.indexOf(digit) ?? -1];
  if (low === undefined || high === undefined) {
    throw new Error(`dtmf() takes one key, 0-9, *, # or A-D, not '${digit}'`);
  }
  return tone([low, high], ms);
}

/** Steady tones, all equally loud: the beep of a mailbox, for example. Frequencies in hertz, below 2600. */
export function tone(frequencies: readonly number[], ms: number): Uint8Array {
  const samples = Float64Array.from({ length: Math.round(ms * SAMPLES_PER_MS) }, (_, at) =>
    frequencies.reduce((sum, hertz) => sum + AMPLITUDE * Math.sin(angle(hertz, at)), 0),
  );
  return encodeMuLaw(samples);
}

/** Starts to listen for keys on one stream of audio. A key counts once however long it sounds, if for 60 ms at least. */
export function dtmfListener(): KeyListener {
  const block = new Float64Array(BLOCK);
  let filled = 0;
  let last: string | undefined;
  let times = 0;
  let heard: string[] = [];
  const blockHeard = () => {
    const key = keyIn(block);
    times = key === last ? times + 1 : 1;
    last = key;
    if (key !== undefined && times === BLOCKS_TO_TELL) heard.push(key);
  };
  return {
    hear(audio) {
      for (const byte of audio) {
        block[filled] = (pcmOf[byte] ?? 0) / 32768;
        filled += 1;
        if (filled < BLOCK) continue;
        filled = 0;
        blockHeard();
      }
    },
    take() {
      const taken = heard;
      heard = [];
      return taken;
    },
  };
}

function keyIn(block: Float64Array): string | undefined {
  let energy = 0;
  for (const sample of block) energy += sample * sample;
  if (energy < LEAST_LEVEL ** 2 * block.length) return undefined;
  const low = strongest(block, lowTones);
  const high = strongest(block, highTones);
  if (low.energy + high.energy < LEAST_SHARE * energy) return undefined;
  if (Math.min(low.energy, high.energy) < LEAST_BALANCE * Math.max(low.energy, high.energy)) return undefined;
  return keys[low.index]?.[high.index];
}

/** The strongest of some tones, with its energy in the block. */
function strongest(block: Float64Array, tones: readonly Oscillator[]): { index: number; energy: number } {
  let best = { index: -1, energy: 0 };
  for (const [index, { cosine, sine }] of tones.entries()) {
    let real = 0;
    let imaginary = 0;
    for (let at = 0; at < block.length; at += 1) {
      const sample = block[at] ?? 0;
      real += sample * (cosine[at] ?? 0);
      imaginary += sample * (sine[at] ?? 0);
    }
    const energy = (2 * (real * real + imaginary * imaginary)) / block.length;
    if (energy > best.energy) best = { index, energy };
  }
  return best;
}

interface Oscillator {
  readonly cosine: Float64Array;
  readonly sine: Float64Array;
}

function oscillator(hertz: number): Oscillator {
  const block = (wave: (angle: number) => number) =>
    Float64Array.from({ length: BLOCK }, (_, at) => wave(angle(hertz, at)));
  return { cosine: block(Math.cos), sine: block(Math.sin) };
}

function angle(frequency: number, sample: number): number {
  return (2 * Math.PI * frequency * sample) / SAMPLE_RATE;
}
