import { randomUUID } from 'node:crypto';
import type { SpeechModelEvent } from '@callkite/core';
import { BYTES_PER_MS } from './audio-frames.ts';

/** A call may have several sessions, whose utterances and turns are not to be taken for one another. */
const sessionPrefix = () => randomUUID().slice(0, 8);

/** Mean amplitude of 16-bit samples: what is below is no speech. */
const QUIET = 24;

/** Amplitudes of µ-law bytes as 16-bit samples. */
const amplitudes = Uint16Array.from({ length: 256 }, (_, byte) => {
  const bits = ~byte;
  return ((((bits & 0x0f) << 3) + 0x84) << ((bits & 0x70) >> 4)) - 0x84;
});

/**
 * Makes utterances of the sound of a model that tells nothing of their beginning and end: one begins with a sound, and
 * ends with a pause in the sound or in its arrival. Silence between them is dropped.
 */
export class LiveUtterances {
  readonly #tell: (event: SpeechModelEvent) => void;
  readonly #onEnd: () => void;
  readonly #pauseMs: number;
  readonly #prefix = sessionPrefix();
  #count = 0;
  #openId: string | null = null;
  /** Words that came before their sound. */
  #early = '';
  #quietMs = 0;
  #pause: NodeJS.Timeout | undefined;

  constructor(options: { pauseMs: number; tell(event: SpeechModelEvent): void; onEnd(): void }) {
    this.#pauseMs = options.pauseMs;
    this.#tell = options.tell;
    this.#onEnd = options.onEnd;
  }

  get isOpen(): boolean {
    return this.#openId !== null;
  }

  sound(audio: string): void {
    const bytes = Buffer.from(audio, 'base64');
    const isQuiet = loudness(bytes) < QUIET;
    if (this.#openId === null) {
      if (isQuiet) return;
      this.#count += 1;
      this.#openId = `${this.#prefix}_utterance_${this.#count}`;
      this.#quietMs = 0;
    }
    const utteranceId = this.#openId;
    this.#tell({ type: 'speech', utteranceId, audio });
    if (this.#early !== '') this.#tell({ type: 'speech-text', utteranceId, text: this.#early });
    this.#early = '';
    this.#quietMs = isQuiet ? this.#quietMs + bytes.length / BYTES_PER_MS : 0;
    if (this.#quietMs >= this.#pauseMs) this.#end(utteranceId);
    else this.#wait(utteranceId);
  }

  words(text: string): void {
    if (this.#openId === null) this.#early += text;
    else this.#tell({ type: 'speech-text', utteranceId: this.#openId, text });
  }

  close(): void {
    clearTimeout(this.#pause);
  }

  #wait(utteranceId: string): void {
    clearTimeout(this.#pause);
    this.#pause = setTimeout(() => this.#end(utteranceId), this.#pauseMs);
  }

  #end(utteranceId: string): void {
    clearTimeout(this.#pause);
    this.#openId = null;
    this.#tell({ type: 'speech-ended', utteranceId });
    this.#onEnd();
  }
}

/** Makes turns of the callee's words: a pause ends one. */
export class LiveTurns {
  readonly #tell: (event: SpeechModelEvent) => void;
  readonly #pauseMs: number;
  readonly #prefix = sessionPrefix();
  #count = 0;
  #text = '';
  #endMs = 0;
  #pause: NodeJS.Timeout | undefined;

  constructor(pauseMs: number, tell: (event: SpeechModelEvent) => void) {
    this.#pauseMs = pauseMs;
    this.#tell = tell;
  }

  words(text: string, startMs: number, endMs: number): void {
    if (startMs - this.#endMs > this.#pauseMs) this.close();
    this.#text += text;
    this.#endMs = endMs;
    clearTimeout(this.#pause);
    this.#pause = setTimeout(() => this.close(), this.#pauseMs);
  }

  /** Ends the turn under way, if there is one. */
  close(): void {
    clearTimeout(this.#pause);
    const text = this.#text.trim();
    this.#text = '';
    if (text === '') return;
    this.#count += 1;
    this.#tell({ type: 'said', turnId: `${this.#prefix}_turn_${this.#count}`, text });
  }
}

function loudness(bytes: Uint8Array): number {
  let sum = 0;
  for (const byte of bytes) sum += amplitudes[byte] ?? 0;
  return sum / Math.max(1, bytes.length);
}
