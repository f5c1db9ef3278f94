import type { CallkiteError } from '../../kernel/errors.ts';
import type { ModelMessage, ModelTool, ModelToolCall } from './language-model.ts';

export interface SpeechSessionRequest {
  readonly instructions: string;
  readonly tools: readonly ModelTool[];
  /** BCP-47 tag of the language that is spoken, for transcription; `null` when there may be several. */
  readonly language: string | null;
  /** Words of this call that a recognizer would not expect, for transcription. */
  readonly hints: readonly string[];
  /** A voice of the model; `null` for its own choice. */
  readonly voice: string | null;
  /** What was said on this call before, tool calls left out. */
  readonly history: readonly ModelMessage[];
}

/**
 * What a speech model does. An utterance is one piece of talk of the agent, a turn one of the callee; their ids are the
 * model's own, are not those of any other session, and appear in spoken order, while `said` may come long after.
 */
export type SpeechModelEvent =
  /** The session takes sound from now on. Always before any other event but `closed`. */
  | { readonly type: 'ready' }
  /** Only from models that detect speech. `speaking: true` opens the turn. */
  | { readonly type: 'callee-speaking'; readonly speaking: boolean; readonly turnId: string }
  /** What the callee said in a turn, once; empty when it could not be understood. May open the turn. */
  | { readonly type: 'said'; readonly turnId: string; readonly text: string }
  /** Sound of the agent; the first piece opens the utterance. Comes faster than it can be played. */
  | { readonly type: 'speech'; readonly utteranceId: string; readonly audio: string }
  /** The words of the utterance, piece by piece, about in step with the sound. */
  | { readonly type: 'speech-text'; readonly utteranceId: string; readonly text: string }
  /** All sound and words of the utterance were given. */
  | { readonly type: 'speech-ended'; readonly utteranceId: string }
  | { readonly type: 'tool-call'; readonly call: ModelToolCall }
  /**
   * The model is done with what it was asked, and every utterance and tool call of it was told.
   * `interrupted`: the callee, or `stop`, cut it short. `failed`: it can be asked again.
   */
  | { readonly type: 'response-ended'; readonly how: 'completed' | 'interrupted' | 'failed' }
  /** Always last. `null` after `close` without an error; otherwise why the session ended, retryable or not. */
  | { readonly type: 'closed'; readonly error: CallkiteError | null };

/**
 * One session with a model that hears and speaks: µ-law, 8 kHz, mono, as base64 in pieces of any length. Methods never
 * throw and may be called at any time; before `ready` they wait, after `closed` they do nothing.
 */
export interface SpeechSession {
  /** Starts delivery of events, in order, to the one listener. No event is lost before that. */
  listen(listener: (event: SpeechModelEvent) => void): void;
  /** Sound of the callee, to be given without gaps, silence included. */
  hear(audio: string): void;
  /** Speaks exactly these words as one utterance, after a response that is under way. Nothing is answered or used meanwhile. */
  say(text: string): void;
  /** Asks for the model's next words. A model that takes turns by itself needs it only where nobody spoke before. */
  respond(): void;
  /** Stops the response under way, if there is one, and drops requests that wait. */
  stop(): void;
  /** Adds to the dialogue without asking for an answer. */
  tell(message: ModelMessage): void;
  /** The result of a tool. Ask for a response when all calls of one response are answered. */
  answerTool(toolCallId: string, output: string): void;
  /** The callee heard only the beginning of the utterance, in milliseconds of its sound; the model forgets the rest. */
  heardOnly(utteranceId: string, heardMs: number): void;
  /** Replaces the instructions from the next response on, where the model allows it. */
  instruct(instructions: string): void;
  /** @param error why the session is given up, which `closed` then tells; left out where nothing is wrong with it */
  close(error?: CallkiteError): void;
}

/** A model that hears and speaks. Adapters only move sound and words: all prompt text is core's. */
export interface SpeechModel {
  /** Begins to connect. Never throws: a session that cannot be had tells `closed`, within 15 s. */
  open(request: SpeechSessionRequest): SpeechSession;
}
