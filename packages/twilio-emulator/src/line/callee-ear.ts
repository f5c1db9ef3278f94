import { dtmfListener, type HeardWord, isLoud, listener } from '@callkite/emulated-voice';

/** Milliseconds of audio in a frame, the unit in which sound travels on a call. */
export const FRAME_MS = 20;
/** Bytes of a frame. */
export const FRAME_BYTES = 160;

// Pauses inside a sentence are shorter than this.
const PAUSE_MS = 300;
// After such a silence it is the callee's turn. However fast calls run, the application thinks in real time.
const TURN_PAUSE = { ms: 700, leastRealMs: 200 };
// A frame stands for no more real time than this: when nothing could run for a while, nobody could have spoken.
const FRAME_REAL_MS = 20;
// Sound this long without a word was speech of somebody that the emulator does not understand.
const SPEECH_MS = 400;
const NOT_UNDERSTOOD = '(unintelligible)';

/** Something the agent said between two pauses, as the callee heard it. Times are milliseconds of the stream. */
export interface HeardUtterance {
  fromMs: number;
  toMs: number;
  text: string;
  /** What followed was taken back before it was played. */
  cutOff?: true;
}

/** Told what the callee hears. */
export interface EarListener {
  /** The agent begins to speak. */
  started(): void;
  word(word: HeardWord): void;
  /** The agent paused, or was cut off. */
  ended(utterance: HeardUtterance): void;
  /** The agent has been silent for so long that it wants an answer. */
  finished(): void;
  key(key: string): void;
}

/** Hears what is played to the callee, frame by frame: words, keys, and where speech begins and ends. */
export class CalleeEar {
  readonly #listener: EarListener;
  readonly #words = listener();
  readonly #keys = dtmfListener();
  #heardMs = 0;
  #lastHeardAt = 0;
  #silence = { ms: 0, realMs: 0, isTurn: true };
  #speech: { fromMs: number; toMs: number; loudMs: number; words: string[]; hasKeys: boolean } | undefined;

  constructor(listener: EarListener) {
    this.#listener = listener;
  }

  /** Whether the agent speaks. */
  get hearsSpeech(): boolean {
    return this.#speech !== undefined;
  }

  /** What was understood since the agent last paused. */
  get heard(): string {
    return this.#speech?.words.join(' ') ?? '';
  }

  /** The next 20 ms. */
  hear(frame: Uint8Array): void {
    this.#words.hear(frame);
    this.#keys.hear(frame);
    this.#heardMs += FRAME_MS;
    const words = this.#words.take();
    const loudMs = isLoud(frame) ? FRAME_MS : 0;
    const isSpeech = loudMs > 0 || words.length > 0;
    if (isSpeech) this.#speaks(words, loudMs);
    for (const key of this.#keys.take()) {
      if (this.#speech) this.#speech.hasKeys = true;
      this.#listener.key(key);
    }
    this.#measureSilence(isSpeech);
  }

  /** Nothing follows for now. `isCutOff`: there was more to be said. */
  end(isCutOff: boolean): void {
    const speech = this.#speech;
    if (!speech) return;
    this.#speech = undefined;
    const isForeign = speech.words.length === 0 && !speech.hasKeys && speech.loudMs >= SPEECH_MS;
    this.#listener.ended({
      fromMs: speech.fromMs,
      toMs: speech.toMs,
      text: isForeign ? NOT_UNDERSTOOD : speech.words.join(' '),
      ...(isCutOff ? { cutOff: true } : {}),
    });
  }

  #measureSilence(isSpeech: boolean): void {
    const now = performance.now();
    if (isSpeech) this.#silence = { ms: 0, realMs: 0, isTurn: false };
    else this.#silence.ms += FRAME_MS;
    this.#silence.realMs += Math.min(now - this.#lastHeardAt, FRAME_REAL_MS);
    this.#lastHeardAt = now;
    const { ms, realMs, isTurn } = this.#silence;
    if (ms >= PAUSE_MS) this.end(false);
    if (isTurn || ms < TURN_PAUSE.ms || realMs < TURN_PAUSE.leastRealMs) return;
    this.#silence.isTurn = true;
    this.#listener.finished();
  }

  #speaks(words: readonly HeardWord[], loudMs: number): void {
    if (!this.#speech) {
      const fromMs = this.#heardMs - FRAME_MS;
      this.#speech = { fromMs, toMs: this.#heardMs, loudMs: 0, words: [], hasKeys: false };
      this.#listener.started();
    }
    this.#speech.toMs = this.#heardMs;
    this.#speech.loudMs += loudMs;
    for (const word of words) {
      this.#speech.words.push(word.text);
      this.#listener.word(word);
    }
  }
}
