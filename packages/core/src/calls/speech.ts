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

/** A socket that carries sound beside its texts. */
export interface BinarySocket extends TextSocket {
  sendBytes(bytes: Uint8Array): void;
  onBytes(listener: (bytes: Uint8Array) => void): void;
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
export interface RelayChannel {
  /** Starts delivery of events, in order, to the one listener. */
  listen(listener: (event: CalleeEvent) => void): void;
  /**
   * Adds text to the utterance being spoken; `last` closes the utterance.
   * Text sent after an interruption begins a new utterance.
   */
  speak(text: string, options: { readonly last: boolean; readonly interruptible: boolean }): void;
  /** Speaks and listens in this language from now on: a BCP-47 tag, one of those the channel was opened for. */
  speakIn(language: string): void;
  pressDigits(digits: string): void;
  /** Ends the session after what was spoken has been played; the carrier then asks for instructions. */
  end(): void;
  /** Drops the channel at once. */
  close(): void;
}

/** What comes from the callee's side of a live call whose sound is ours. */
export type AudioEvent =
  /** Always first. `providerCallId` is the carrier's id of the call. */
  | { readonly type: 'ready'; readonly providerCallId: string; readonly sessionId: string }
  /** The callee's sound, without gaps: what was lost on the way is filled with silence. */
  | { readonly type: 'audio'; readonly audio: string }
  | { readonly type: 'pressed'; readonly digit: string }
  /** Words that came in writing: a turn of the callee, as if said. Web calls only. */
  | { readonly type: 'typed'; readonly text: string }
  /** Everything played before this mark has been heard. Never told of marks that `clear` took back. */
  | { readonly type: 'played'; readonly mark: string }
  /** Always last. */
  | { readonly type: 'closed' };

/**
 * Sound in, sound out, on one live call: µ-law, 8 kHz, mono, so 8 bytes a millisecond, as base64 in pieces of any length.
 * No event is lost between construction and `listen`.
 */
export interface AudioChannel {
  /** Starts delivery of events, in order, to the one listener. */
  listen(listener: (event: AudioEvent) => void): void;
  /** Plays this after everything that was given before. May be given faster than it is played. */
  play(audio: string): void;
  /** Asks to be told when what was given so far has been played; at once when nothing is left to play. */
  mark(name: string): void;
  /** Stops playback, drops what is left of it, and takes all open marks back. */
  clear(): void;
  /** Ends the session; the carrier then asks for instructions. What is not played yet is lost. */
  end(): void;
  /** Drops the channel at once. */
  close(): void;
}

/** How words travel on a call: the carrier hears and speaks (`words`), or a speech model does (`audio`). */
export type CallChannel =
  | { readonly kind: 'words'; readonly channel: RelayChannel }
  | { readonly kind: 'audio'; readonly channel: AudioChannel };
