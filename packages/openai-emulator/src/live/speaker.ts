import type { Faults } from '../faults.ts';
import { BYTES_PER_MS } from '../speech/ear.ts';
import { type SpeechPace, waitUntil } from '../speech/pace.ts';
import { type SpeechFragment, utter } from '../speech/utterance.ts';

/** Takes sound as it becomes due, the words in it, and where it lies in the utterance. */
type SoundListener = (piece: SpeechFragment) => void;

export interface SpeakerOptions {
  pace: SpeechPace;
  faults: Faults;
  /** An utterance is over, said to its end or not. */
  onUtteranceOver(): void;
  /** The model failed in the middle of an utterance. */
  onFailure(message: string): void;
  /** Breaks the connection. */
  cut(): void;
}

/** The voice of a live model: one utterance at a time, at the pace of the session, stopped in mid-word when it must. */
export class Speaker {
  readonly #options: SpeakerOptions;
  /** Texts that wait for the one being said. */
  readonly #waiting: { text: string; onSound: SoundListener }[] = [];
  #current: AbortController | undefined;

  constructor(options: SpeakerOptions) {
    this.#options = options;
  }

  get isSpeaking(): boolean {
    return this.#current !== undefined;
  }

  /** Stops at once, and drops what waits. */
  stop(): void {
    this.#waiting.length = 0;
    this.#current?.abort();
    this.#current = undefined;
  }

  /** Thinks a while and says a text, after what is being said. */
  say(text: string, onSound: SoundListener): void {
    this.#waiting.push({ text, onSound });
    if (this.isSpeaking) return;
    this.#sayAll().catch((error: unknown) => {
      console.error('openai-emulator: an utterance failed by a defect of the emulator', error);
      this.#options.cut();
    });
  }

  /** Plays sound as it is, in place of what is being said. Resolves to whether it was played to its end. */
  play(audio: Uint8Array, onSound: SoundListener): Promise<boolean> {
    this.stop();
    const chunkBytes = this.#options.pace.chunkMs * BYTES_PER_MS;
    const fragments = Array.from({ length: Math.ceil(audio.length / chunkBytes) }, (_, index) => {
      const piece = audio.subarray(index * chunkBytes, (index + 1) * chunkBytes);
      const startMs = (index * chunkBytes) / BYTES_PER_MS;
      return { audio: piece, text: '', words: [], startMs, endMs: startMs + piece.length / BYTES_PER_MS };
    });
    return this.#run((signal) => this.#send(fragments, Number.POSITIVE_INFINITY, onSound, signal));
  }

  async #sayAll(): Promise<void> {
    for (let next = this.#waiting.shift(); next !== undefined; next = this.#waiting.shift()) {
      const { text, onSound } = next;
      const isOver = await this.#run((signal) => this.#say(text, onSound, signal));
      this.#options.onUtteranceOver();
      // What was said in place of a stopped utterance is said by a loop of its own.
      if (!isOver && this.isSpeaking) return;
    }
  }

  async #say(text: string, onSound: SoundListener, signal: AbortSignal): Promise<boolean> {
    const { cut, faults, onFailure, pace } = this.#options;
    if (faults.strike('hang')) return true;
    const slow = faults.strike('slowFirstToken');
    const socketCut = faults.strike('socketCut');
    const failure = faults.strike('streamError');
    const thoughtMs = performance.now() + pace.thinkMs + (slow?.delayMs ?? 0);
    const fragments = utter(text, pace.chunkMs);
    if (!(await waitUntil(thoughtMs, signal))) return false;
    const limit = socketCut?.afterTokens ?? failure?.afterTokens ?? Number.POSITIVE_INFINITY;
    if (!(await this.#send(fragments, limit, onSound, signal))) return false;
    if (socketCut) cut();
    else if (failure) onFailure(failure.message ?? 'The server had an error while it spoke.');
    return true;
  }

  async #run(task: (signal: AbortSignal) => Promise<boolean>): Promise<boolean> {
    const controller = new AbortController();
    this.#current = controller;
    const isDone = await task(controller.signal);
    if (this.#current === controller) this.#current = undefined;
    return isDone;
  }

  async #send(
    fragments: Iterable<SpeechFragment> | AsyncIterable<SpeechFragment>,
    wordLimit: number,
    onSound: SoundListener,
    signal: AbortSignal,
  ): Promise<boolean> {
    const { liveTimesRealTime } = this.#options.pace;
    let startMs: number | undefined;
    let endMs = 0;
    let words = 0;
    for await (const fragment of fragments) {
      if (words >= wordLimit) return true;
      startMs ??= performance.now();
      if (!(await waitUntil(startMs + fragment.startMs / liveTimesRealTime, signal))) return false;
      words += fragment.words.length;
      endMs = fragment.endMs;
      onSound(fragment);
    }
    if (words >= wordLimit || startMs === undefined) return true;
    return waitUntil(startMs + endMs / liveTimesRealTime, signal);
  }
}
