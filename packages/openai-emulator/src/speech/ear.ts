import { type Listener, listener } from '@callkite/emulated-voice';
import { speechScore } from './loudness.ts';

/** Bytes of µ-law audio, 8 kHz, in a millisecond. */
export const BYTES_PER_MS = 8;
const WINDOW_MS = 20;
const WINDOW_BYTES = WINDOW_MS * BYTES_PER_MS;
/** Shorter sounds are not taken for speech. */
const ONSET_MS = 60;

/** When sound counts as speech, and when the speech is over. */
export interface Detection {
  /** From 0 to 1: the higher, the louder speech must be. */
  threshold: number;
  /** Audio kept from before the speech. */
  prefixPaddingMs: number;
  silenceMs: number;
}

export interface HeardSpeech {
  audio: Uint8Array;
  text: string;
}

/** What an ear tells, while it hears. All times count the audio heard, in milliseconds. */
export interface EarListener {
  onSpeechStarted(startMs: number): void;
  /** `endMs` includes the silence that ended the speech. */
  onSpeechStopped(endMs: number): void;
  /** A word was understood. */
  onWord?: ((text: string, atMs: number) => void) | undefined;
  /** Some more audio was heard. */
  onTime(heardMs: number): void;
}

/** Hears µ-law audio: finds speech in it by its energy, and understands the words. */
export class Ear {
  readonly #told: EarListener;
  readonly #words: Listener = listener();
  #detection: Detection | undefined;
  #unread = new Uint8Array();
  #windows: Uint8Array[] = [];
  /** Where the kept audio begins. */
  #keptFromMs = 0;
  #heardMs = 0;
  #understood: { text: string; atMs: number }[] = [];
  #loudMs = 0;
  #quietMs = 0;
  #isSpeech = false;

  constructor(told: EarListener, detection: Detection | undefined) {
    this.#told = told;
    this.#detection = detection;
  }

  /** Milliseconds of all audio heard. */
  get heardMs(): number {
    return this.#heardMs;
  }

  get hearsSpeech(): boolean {
    return this.#isSpeech;
  }

  /** Milliseconds of audio that {@link take} would give. */
  get keptMs(): number {
    return this.#heardMs - this.#keptFromMs;
  }

  /**
   * Changes how speech is found; speech under way goes on. Without detection nobody is told of speech, and all audio is
   * kept until it is taken.
   */
  detect(detection: Detection | undefined): void {
    this.#detection = detection;
    if (!detection) this.#rest();
  }

  hear(audio: Uint8Array): void {
    const all = this.#unread.length === 0 ? audio : Buffer.concat([this.#unread, audio]);
    let at = 0;
    for (; at + WINDOW_BYTES <= all.length; at += WINDOW_BYTES)
      this.#hearWindow(all.subarray(at, at + WINDOW_BYTES));
    this.#unread = Uint8Array.from(all.subarray(at));
  }

  /** Takes the audio kept so far, and the words in it. */
  take(): HeardSpeech {
    const fromMs = this.#keptFromMs;
    const words = this.#understood.filter(({ atMs }) => atMs > fromMs);
    const audio = Uint8Array.from(Buffer.concat(this.#windows));
    this.#forget();
    return { audio, text: words.map(({ text }) => text).join(' ') };
  }

  /** Drops the audio kept so far; speech under way is forgotten without a word. */
  clear(): void {
    this.#forget();
    this.#rest();
  }

  #forget(): void {
    this.#windows = [];
    this.#keptFromMs = this.#heardMs;
    this.#understood = [];
  }

  #rest(): void {
    this.#isSpeech = false;
    this.#loudMs = 0;
    this.#quietMs = 0;
  }

  #hearWindow(window: Uint8Array): void {
    this.#windows.push(window);
    this.#words.hear(window);
    this.#heardMs += WINDOW_MS;
    for (const word of this.#words.take()) {
      this.#understood.push(word);
      this.#told.onWord?.(word.text, word.atMs);
    }
    if (this.#detection) this.#detectSpeech(window, this.#detection);
    this.#told.onTime(this.#heardMs);
  }

  #detectSpeech(window: Uint8Array, { threshold, prefixPaddingMs, silenceMs }: Detection): void {
    const isLoud = speechScore(window) >= threshold;
    this.#loudMs = isLoud ? this.#loudMs + WINDOW_MS : 0;
    this.#quietMs = isLoud ? 0 : this.#quietMs + WINDOW_MS;
    if (!this.#isSpeech) {
      this.#keepOnly(prefixPaddingMs + this.#loudMs);
      if (this.#loudMs < ONSET_MS) return;
      this.#isSpeech = true;
      this.#told.onSpeechStarted(this.#keptFromMs);
    } else if (this.#quietMs >= Math.max(silenceMs, WINDOW_MS)) {
      this.#rest();
      this.#told.onSpeechStopped(this.#heardMs);
    }
  }

  #keepOnly(lastMs: number): void {
    const windows = Math.ceil(lastMs / WINDOW_MS);
    if (this.#windows.length <= windows) return;
    this.#windows = this.#windows.slice(this.#windows.length - windows);
    const keptFromMs = this.#heardMs - windows * WINDOW_MS;
    this.#keptFromMs = keptFromMs;
    this.#understood = this.#understood.filter(({ atMs }) => atMs > keptFromMs);
  }
}
