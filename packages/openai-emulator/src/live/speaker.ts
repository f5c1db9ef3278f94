import type { Faults } from '../faults.ts';
import { BYTES_PER_MS } from '../speech/ear.ts';
import { type SpeechPace, waitUntil } from '../speech/pace.ts';
import { type Utterance, utter } from '../speech/utterance.ts';

/** What a speaker tells while it speaks. */
export interface SpeakerListener {
  /** The next sound and the words in it, and where they lie in the utterance. */
  onSound(piece: { audio: Uint8Array; text: string; startMs: number; endMs: number }): void;
  /** The model failed in the middle of it. */
  onFailure(message: string): void;
  /** Breaks the connection. */
  cut(): void;
}

export interface SpeakerOptions {
  pace: SpeechPace;
  faults: Faults;
}

/** The voice of a live model: one utterance at a time, at the pace of the session, stopped in mid-word when it must. */
export class Speaker {
  readonly #pace: SpeechPace;
  readonly #faults: Faults;
  #current: AbortController | undefined;

  constructor({ pace, faults }: SpeakerOptions) {
    this.#pace = pace;
    this.#faults = faults;
  }

  get isSpeaking(): boolean {
    return this.#current !== undefined;
  }

  stop(): void {
    this.#current?.abort();
    this.#current = undefined;
  }

  /** Thinks a while and says a text. Resolves to whether it was said to its end. */
  async say(text: string, told: SpeakerListener): Promise<boolean> {
    if (this.#faults.strike('hang')) return false;
    const slow = this.#faults.strike('slowFirstToken');
    const cut = this.#faults.strike('socketCut');
    const failure = this.#faults.strike('streamError');
    return this.#run(async (signal) => {
      const thoughtMs = performance.now() + this.#pace.thinkMs + (slow?.delayMs ?? 0);
      const utterance = await utter(text, this.#pace.chunkMs);
      if (!(await waitUntil(thoughtMs, signal))) return false;
      const limit = cut?.afterTokens ?? failure?.afterTokens ?? Number.POSITIVE_INFINITY;
      if (!(await this.#send(utterance, limit, told, signal))) return false;
      if (cut) told.cut();
      else if (failure) told.onFailure(failure.message ?? 'The server had an error while it spoke.');
      return !cut && !failure;
    });
  }

  /** Plays sound as it is. Resolves to whether it was played to its end. */
  play(audio: Uint8Array, told: SpeakerListener): Promise<boolean> {
    const chunkBytes = this.#pace.chunkMs * BYTES_PER_MS;
    const fragments = Array.from({ length: Math.ceil(audio.length / chunkBytes) }, (_, index) => {
      const piece = audio.subarray(index * chunkBytes, (index + 1) * chunkBytes);
      const startMs = (index * chunkBytes) / BYTES_PER_MS;
      return { audio: piece, text: '', words: [], startMs, endMs: startMs + piece.length / BYTES_PER_MS };
    });
    return this.#run((signal) => this.#send({ audio, fragments }, Number.POSITIVE_INFINITY, told, signal));
  }

  async #run(task: (signal: AbortSignal) => Promise<boolean>): Promise<boolean> {
    this.stop();
    const controller = new AbortController();
    this.#current = controller;
    const isDone = await task(controller.signal);
    if (this.#current === controller) this.#current = undefined;
    return isDone;
  }

  async #send(
    { fragments }: Utterance,
    limit: number,
    told: SpeakerListener,
    signal: AbortSignal,
  ): Promise<boolean> {
    const startMs = performance.now();
    const timesRealTime = this.#pace.liveTimesRealTime;
    let words = 0;
    for (const fragment of fragments) {
      if (words >= limit) return true;
      if (!(await waitUntil(startMs + fragment.startMs / timesRealTime, signal))) return false;
      words += fragment.words.length;
      told.onSound(fragment);
    }
    const endMs = fragments.at(-1)?.endMs ?? 0;
    return words >= limit || waitUntil(startMs + endMs / timesRealTime, signal);
  }
}
