/** An accepted WebSocket, reduced to what a speech channel needs. */
export interface TextSocket {
  send(text: string): void;
  close(code: number, reason: string): void;
  /** Bytes accepted by `send` and not yet written to the network. */
  readonly bufferedBytes: number;
  onMessage(listener: (text: string) => void): void;
  /** Called exactly once, also after an error. */
  onClose(listener: (code: number) => void): void;
}

/** What happens on the callee's side of a live call. */
export type CalleeEvent =
  /** Always first. `providerCallId` is the carrier's id of the call. */
  | { readonly type: 'ready'; readonly providerCallId: string; readonly sessionId: string }
  | { readonly type: 'said'; readonly text: string; readonly language: string | null }
  | { readonly type: 'pressed'; readonly digit: string }
  /** The callee spoke over the agent. `heardText` is what was played of the utterance being spoken. */
  | { readonly type: 'interrupted'; readonly heardText: string; readonly atMs: number }
  | { readonly type: 'callee-speaking'; readonly speaking: boolean }
  /** A piece of agent text that was played to its end. */
  | { readonly type: 'played'; readonly text: string }
  | { readonly type: 'agent-speaking'; readonly speaking: boolean }
  | { readonly type: 'failed'; readonly description: string }
  /** Always last. */
  | { readonly type: 'closed' };

/**
 * Words in, words out, on one live call. The carrier does recognition and synthesis.
 * No event is lost between construction and `listen`.
 */
export interface SpeechChannel {
  /** Starts delivery of events, in order, to the one listener. */
  listen(listener: (event: CalleeEvent) => void): void;
  /**
   * Adds text to the utterance being spoken; `last` closes the utterance.
   * Text sent after an interruption begins a new utterance.
   */
  speak(text: string, options: { readonly last: boolean; readonly interruptible: boolean }): void;
  pressDigits(digits: string): void;
  /** Ends the session after what was spoken has been played; the carrier then asks for instructions. */
  end(): void;
  /** Drops the channel at once. */
  close(): void;
}
