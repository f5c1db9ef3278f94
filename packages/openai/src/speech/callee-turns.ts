import type { SpeechModelEvent } from '@callkite/core';

/** Tells of turns of the callee: who waits for words gets them once, or an empty text when they don't come. */
export class CalleeTurns {
  readonly #tell: (event: SpeechModelEvent) => void;
  readonly #longestWaitMs: number;
  /** Turns whose words were not told yet, with the time that runs for them once the callee was silent. */
  readonly #wordless = new Map<string, NodeJS.Timeout | null>();
  readonly #told = new Set<string>();
  #speakingTurnId: string | null = null;

  /** @param longestWaitMs for the words of a turn, from its end on */
  constructor(longestWaitMs: number, tell: (event: SpeechModelEvent) => void) {
    this.#longestWaitMs = longestWaitMs;
    this.#tell = tell;
  }

  get calleeSpeaks(): boolean {
    return this.#speakingTurnId !== null;
  }

  began(turnId: string): void {
    this.#speakingTurnId = turnId;
    this.#wordless.set(turnId, null);
    this.#tell({ type: 'callee-speaking', speaking: true, turnId });
  }

  ended(turnId: string): void {
    if (this.#speakingTurnId === turnId) {
      this.#speakingTurnId = null;
      this.#tell({ type: 'callee-speaking', speaking: false, turnId });
    }
    if (this.#told.has(turnId) || this.#wordless.get(turnId)) return;
    this.#wordless.set(
      turnId,
      setTimeout(() => this.said(turnId, ''), this.#longestWaitMs),
    );
  }

  said(turnId: string, text: string): void {
    clearTimeout(this.#wordless.get(turnId) ?? undefined);
    this.#wordless.delete(turnId);
    if (this.#told.has(turnId)) return;
    this.#told.add(turnId);
    this.#tell({ type: 'said', turnId, text: text.trim() });
  }

  /** No more words will come. */
  close(): void {
    for (const turnId of [...this.#wordless.keys()]) this.said(turnId, '');
  }
}
