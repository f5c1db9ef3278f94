import type { SpeechChannel } from '../ports/speech.ts';

/** The live conversations of this process. */
export interface Conversations {
  /**
   * Talks to the callee until the channel closes. Loads the call, its workflow and what was said before, so a
   * conversation that lost its channel, or its process, goes on where it was.
   */
  begin(callId: string, channel: SpeechChannel): void;
  /** Conversations going on now. */
  readonly active: number;
  /** Waits until none is left, at most so long, then drops the channels: the carrier reconnects to another process. */
  drain(timeoutMs: number): Promise<void>;
}
