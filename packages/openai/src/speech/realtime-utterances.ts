import { audioDurationMs, type SpeechModelEvent } from '@callkite/core';

interface Utterance {
  readonly responseId: string;
  /** Milliseconds of its sound that were told. */
  toldMs: number;
  /** Words that came before any sound. */
  early: string;
  /** The rest is not wanted. */
  isCut: boolean;
  isEnded: boolean;
}

/** Tells of the utterances of the agent: sound first, nothing after their end. */
export class RealtimeUtterances {
  readonly #tell: (event: SpeechModelEvent) => void;
  readonly #utterances = new Map<string, Utterance>();
  readonly #cutResponses = new Set<string>();

  constructor(tell: (event: SpeechModelEvent) => void) {
    this.#tell = tell;
  }

  sound(utteranceId: string, responseId: string, audio: string): void {
    const utterance = this.#utterance(utteranceId, responseId);
    if (utterance.isCut || utterance.isEnded || audio === '') return;
    utterance.toldMs += audioDurationMs(audio);
    this.#tell({ type: 'speech', utteranceId, audio });
    if (utterance.early !== '') {
      this.#tell({ type: 'speech-text', utteranceId, text: utterance.early });
      utterance.early = '';
    }
  }

  words(utteranceId: string, responseId: string, text: string): void {
    const utterance = this.#utterance(utteranceId, responseId);
    if (utterance.isCut || utterance.isEnded || text === '') return;
    if (utterance.toldMs === 0) utterance.early += text;
    else this.#tell({ type: 'speech-text', utteranceId, text });
  }

  ended(utteranceId: string): void {
    const utterance = this.#utterances.get(utteranceId);
    if (utterance === undefined || utterance.isEnded) return;
    utterance.isEnded = true;
    if (utterance.toldMs > 0) this.#tell({ type: 'speech-ended', utteranceId });
  }

  /** What is still to come of the response is not wanted. */
  cutResponse(responseId: string): void {
    this.#cutResponses.add(responseId);
    for (const utterance of this.#utterances.values()) {
      if (utterance.responseId === responseId) utterance.isCut = true;
    }
  }

  endResponse(responseId: string): void {
    this.#cutResponses.delete(responseId);
    for (const [utteranceId, utterance] of this.#utterances) {
      if (utterance.responseId === responseId) this.ended(utteranceId);
    }
  }

  /**
   * Cuts the utterance after so much of it.
   * @returns where to cut in whole milliseconds, never beyond the sound that was told; `null` if there is nothing to cut
   */
  cut(utteranceId: string, heardMs: number): number | null {
    const utterance = this.#utterances.get(utteranceId);
    if (utterance === undefined || utterance.toldMs === 0) return null;
    const toldMs = Math.floor(utterance.toldMs);
    if (utterance.isEnded && !utterance.isCut && heardMs >= toldMs) return null;
    utterance.isCut = true;
    return Math.max(0, Math.min(Math.floor(heardMs), toldMs));
  }

  #utterance(utteranceId: string, responseId: string): Utterance {
    const known = this.#utterances.get(utteranceId);
    if (known !== undefined) return known;
    const isCut = this.#cutResponses.has(responseId);
    const utterance = { responseId, toldMs: 0, early: '', isCut, isEnded: false };
    this.#utterances.set(utteranceId, utterance);
    return utterance;
  }
}
