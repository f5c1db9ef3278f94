import { highPassTaps } from './filters.ts';
import { pcmOf, SAMPLES_PER_MS } from './mu-law.ts';
import {
  CARRIER_AMPLITUDE,
  checksumOf,
  FRAME_BYTES,
  SAMPLES_PER_SYMBOL,
  SYMBOLS_PER_BYTE,
  SYNC_TONE,
  syncSymbols,
  tonePeriods,
} from './word-frame.ts';

/** A word that was understood, and the millisecond of all audio heard at which it was complete. */
export interface HeardWord {
  readonly text: string;
  readonly atMs: number;
}

/** Understands what {@link speak} made. */
export interface Listener {
  /** The next audio: µ-law in pieces of any length, in order, from anywhere in an utterance. */
  hear(audio: Uint8Array): void;
  /** The words understood since the last time, in order. */
  take(): HeardWord[];
}

const TAPS = 81;
/** Samples by which a listener understands a word later than its last tone ends. */
export const LISTENING_DELAY = (TAPS - 1) / 2;
const taps = highPassTaps(2800, TAPS);

// A tone of the carrier's amplitude that fills the window has this power.
const FULL_POWER = ((CARRIER_AMPLITUDE * SAMPLES_PER_SYMBOL) / 2) ** 2;
const LEAST_POWER = FULL_POWER / 16;
const LEAST_PURITY = 0.5;
const TONES = tonePeriods.length;
// Powers are remembered for as long as the announcement of a frame takes.
const MEMORY = SAMPLES_PER_SYMBOL * syncSymbols.length;
const HALF_SYMBOL = SAMPLES_PER_SYMBOL / 2;

const cosines = oscillators(Math.cos);
const sines = oscillators(Math.sin);

/** Starts to listen to one stream of audio. */
export function listener(): Listener {
  return new WordListener();
}

interface Frame {
  /** Number of the sample with which the next symbol ends. */
  symbolEndsAt: number;
  bits: number;
  symbols: number;
  bytes: number[];
}

class WordListener implements Listener {
  /** The last samples that were heard, and those of the piece being heard. */
  #samples = new Float64Array(TAPS - 1);
  #heard = 0;
  #quietFor = MEMORY;
  // Sums over the last symbol's length, per tone: real and imaginary part, and what has to be taken off them again.
  readonly #real = new Float64Array(TONES);
  readonly #imaginary = new Float64Array(TONES);
  readonly #window = new Float64Array(SAMPLES_PER_SYMBOL);
  readonly #powers = new Float64Array(MEMORY * TONES);
  #sync = { at: 0, score: 0 };
  #frame: Frame | undefined;
  #words: HeardWord[] = [];

  hear(audio: Uint8Array): void {
    const samples = new Float64Array(TAPS - 1 + audio.length);
    samples.set(this.#samples);
    for (let index = 0; index < audio.length; index += 1) {
      samples[TAPS - 1 + index] = (pcmOf[audio[index] ?? 0] ?? 0) / 32768;
    }
    for (let last = TAPS - 1; last < samples.length; last += 1) {
      this.#quietFor = samples[last] === 0 ? this.#quietFor + 1 : 0;
      // In silence nothing can be found any more once the filter and the memory are empty.
      if (this.#quietFor > MEMORY + TAPS) this.#rest();
      else this.#hearSample(filtered(samples, last));
      this.#heard += 1;
    }
    this.#samples = samples.slice(samples.length - (TAPS - 1));
  }

  take(): HeardWord[] {
    const words = this.#words;
    this.#words = [];
    return words;
  }

  #rest(): void {
    if (this.#quietFor !== MEMORY + TAPS + 1) return;
    this.#frame = undefined;
    for (const memory of [this.#real, this.#imaginary, this.#window, this.#powers]) memory.fill(0);
  }

  #hearSample(sample: number): void {
    const phase = this.#heard % SAMPLES_PER_SYMBOL;
    const change = sample - (this.#window[phase] ?? 0);
    this.#window[phase] = sample;
    const row = (this.#heard % MEMORY) * TONES;
    for (let tone = 0; tone < TONES; tone += 1) {
      const at = phase * TONES + tone;
      const real = (this.#real[tone] ?? 0) + change * (cosines[at] ?? 0);
      const imaginary = (this.#imaginary[tone] ?? 0) + change * (sines[at] ?? 0);
      this.#real[tone] = real;
      this.#imaginary[tone] = imaginary;
      this.#powers[row + tone] = real * real + imaginary * imaginary;
    }
    this.#lookForSync();
    if (this.#frame?.symbolEndsAt === this.#heard) this.#readSymbol(this.#frame);
  }

  /** The announcement fits best where its windows fit best: the frame begins there, once half a symbol brought no better fit. */
  #lookForSync(): void {
    const score = this.#syncScore();
    if (score > this.#sync.score) this.#sync = { at: this.#heard, score };
    if (this.#sync.score === 0 || this.#heard < this.#sync.at + HALF_SYMBOL) return;
    this.#frame = { symbolEndsAt: this.#sync.at + SAMPLES_PER_SYMBOL, bits: 0, symbols: 0, bytes: [] };
    this.#sync = { at: 0, score: 0 };
  }

  /** How well the last four symbols are the announcement of a frame; 0 when they are not. */
  #syncScore(): number {
    let score = 0;
    for (let back = 0; back < syncSymbols.length; back += 1) {
      const tone = syncSymbols[syncSymbols.length - 1 - back] ?? 0;
      const power = this.#powerOf(tone, this.#heard - back * SAMPLES_PER_SYMBOL);
      if (power === 0) return 0;
      score += power;
    }
    return score;
  }

  /** Power of `tone` in the symbol that ended `at` a sample, if it is the one tone there; else 0. */
  #powerOf(tone: number, at: number): number {
    const row = (((at % MEMORY) + MEMORY) % MEMORY) * TONES;
    const power = this.#powers[row + tone] ?? 0;
    if (power < LEAST_POWER) return 0;
    let all = 0;
    for (let each = 0; each < TONES; each += 1) all += this.#powers[row + each] ?? 0;
    return power < LEAST_PURITY * all ? 0 : power;
  }

  #readSymbol(frame: Frame): void {
    let symbol = -1;
    for (let tone = 0; tone < SYNC_TONE; tone += 1) if (this.#powerOf(tone, this.#heard) > 0) symbol = tone;
    if (symbol === -1) {
      this.#frame = undefined;
      return;
    }
    frame.symbolEndsAt += SAMPLES_PER_SYMBOL;
    frame.bits = (frame.bits << 2) | symbol;
    frame.symbols += 1;
    if (frame.symbols % SYMBOLS_PER_BYTE !== 0) return;
    frame.bytes.push(frame.bits);
    frame.bits = 0;
    const [length = 0] = frame.bytes;
    if (length === 0) this.#frame = undefined;
    if (frame.bytes.length < length + FRAME_BYTES) return;
    this.#frame = undefined;
    const text = textOf(Uint8Array.from(frame.bytes));
    if (text !== undefined) this.#words.push({ text, atMs: Math.round((this.#heard + 1) / SAMPLES_PER_MS) });
  }
}

function filtered(samples: Float64Array, last: number): number {
  let sum = (taps[LISTENING_DELAY] ?? 0) * (samples[last - LISTENING_DELAY] ?? 0);
  for (let tap = 0; tap < LISTENING_DELAY; tap += 1) {
    sum += (taps[tap] ?? 0) * ((samples[last - tap] ?? 0) + (samples[last - (TAPS - 1) + tap] ?? 0));
  }
  return sum;
}

function textOf(bytes: Uint8Array): string | undefined {
  const body = bytes.subarray(0, -2);
  const checksum = ((bytes.at(-2) ?? 0) << 8) | (bytes.at(-1) ?? 0);
  return checksumOf(body) === checksum ? new TextDecoder().decode(body.subarray(1)) : undefined;
}

/** One symbol's length of every tone, sample by sample. */
function oscillators(wave: (angle: number) => number): Float64Array {
  return Float64Array.from({ length: SAMPLES_PER_SYMBOL * TONES }, (_, at) => {
    const periods = tonePeriods[at % TONES] ?? 0;
    return wave((2 * Math.PI * periods * Math.floor(at / TONES)) / SAMPLES_PER_SYMBOL);
  });
}
