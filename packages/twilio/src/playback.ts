/** A voice slower than this is not worth waiting for. */
const SLOWEST_SPEECH_MS_PER_CHARACTER = 150;
/** Time until speech begins, network included. */
const SYNTHESIS_DELAY_MS = 3000;
/** Silence after which what is still unconfirmed will not be played any more. */
const SILENCE_MS = 1500;

/**
 * Knows how much of what was sent has not been played yet. ConversationRelay has no "finished" message: what it has
 * played is told piece by piece, in pieces that need not be ours, so that characters are counted. Where the count
 * does not come out even, silence of the agent or, at last, time decides.
 */
export class Playback {
  #unplayed = 0;
  #whenPlayed: (() => void) | undefined;
  #silence: NodeJS.Timeout | undefined;
  #limit: NodeJS.Timeout | undefined;

  sent(text: string): void {
    this.#unplayed += spokenLength(text);
  }

  played(text: string): void {
    this.#unplayed = Math.max(0, this.#unplayed - spokenLength(text));
    if (this.#unplayed === 0) this.#finish();
  }

  /** The rest will not be played. */
  cut(): void {
    this.#unplayed = 0;
    this.#finish();
  }

  agentSpeaking(speaking: boolean): void {
    clearTimeout(this.#silence);
    if (!speaking && this.#whenPlayed !== undefined) this.#silence = setTimeout(() => this.cut(), SILENCE_MS);
  }

  /** Calls back once, when everything sent so far was played: at once if it was. */
  whenPlayed(callback: () => void): void {
    this.stop();
    this.#whenPlayed = callback;
    const limitMs = SYNTHESIS_DELAY_MS + this.#unplayed * SLOWEST_SPEECH_MS_PER_CHARACTER;
    if (this.#unplayed === 0) this.#finish();
    else this.#limit = setTimeout(() => this.cut(), limitMs);
  }

  /** Forgets the callback. */
  stop(): void {
    clearTimeout(this.#silence);
    clearTimeout(this.#limit);
    this.#whenPlayed = undefined;
  }

  #finish(): void {
    const callback = this.#whenPlayed;
    this.stop();
    callback?.();
  }
}

function spokenLength(text: string): number {
  return text.replace(/\s/g, '').length;
}
