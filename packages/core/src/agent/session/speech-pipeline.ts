import type { EmitEvent } from '../../kernel/events.ts';
import type { Logger } from '../../kernel/logger.ts';
import type { OutputGuardrail } from '../guardrails/output-guardrail.ts';
import type { InterruptedSpeech } from '../languages/small-words.ts';
import type { TurnResult } from '../relay/model-turn.ts';
import type { ConversationTool } from '../tools/tools.ts';
import type { InactivityTimer } from './inactivity-timer.ts';
import type { Transcript } from './transcript.ts';

/**
 * Why the agent is to speak: the call begins, goes on after the line was cut or nobody took it over, the callee has said
 * something, a line of ours came in between, or its own words broke off at a sound by which the callee showed that they
 * listen.
 */
export type ReplyTrigger = 'answered' | 'resumed' | 'returned' | 'said' | 'interjected' | 'continued';

/**
 * How the words of one call travel: what is said, by whom it is thought up, and what of it was heard. Everything that
 * was said or heard goes to the transcript by itself, in the order in which the callee knows it.
 */
export interface SpeechPipeline {
  /** Starts to listen to the channel. */
  listen(listener: PipelineListener): void;
  /** The model is at work on words of the agent. */
  readonly isTakingTurn: boolean;
  /** Opens the call with this very line, which the callee cannot talk over. */
  disclose(line: string): void;
  /** Says a line of ours, after what is being said. */
  say(line: string): void;
  /** Says a line of ours in place of what the model answers to the callee's last words. */
  interject(line: string): void;
  /** Leaves the next words to the model. */
  takeTurn(occasion: ReplyTrigger): void;
  /**
   * The model says nothing of its own until it is given a turn: a machine speaks, or takes a message. Lines of ours are
   * said all the same.
   */
  hush(): void;
  /** Says this to a machine that records. */
  leaveMessage(message: string): void;
  /** What comes is said in this language, which the callee is expected to speak as well. */
  speakIn(language: string): void;
  /** Presses 0-9, * and # on the callee's line; w waits for half a second. */
  pressDigits(digits: string): void;
  /**
   * Drops the turn under way, says this last, and ends the channel once it was heard.
   * @param options.callGoesOn the call is not over then: rather than by hanging up, the channel is ended without the line
   */
  finish(line: string, options: { readonly interruptible: boolean; readonly callGoesOn?: boolean }): void;
  /** Drops the channel at once. */
  drop(): void;
}

/** Told by a talk, in order; nothing comes after `closed`. */
export interface PipelineListener {
  ready(): void;
  /**
   * The callee said this; the turn of the agent that was under way is dropped.
   * `knowsAll`: they had heard everything that was said to them. `language`: of these words, where the carrier can tell.
   */
  said(words: string, options: { readonly knowsAll: boolean; readonly language?: string | null }): void;
  /** Whether these words, said while the agent spoke, only show that they listen. Then nothing comes of them. */
  onlyListens(words: string, speech: InterruptedSpeech): boolean;
  pressed(digit: string): void;
  calleeSpeaking(speaking: boolean): void;
  /** All that was to be said was heard to its end, or the callee spoke over it. */
  spoken(how: 'whole' | 'cut'): void;
  /** A mailbox has begun to record. Only told by talks that hear the sound, while the agent is hushed. */
  beeped(): void;
  /** The turn ended by itself. */
  turnEnded(how: Exclude<TurnResult, 'aborted'>, hasSpoken: boolean): void;
  closed(): void;
}

export interface PipelineOptions {
  readonly callId: string;
  readonly transcript: Transcript;
  readonly silence: InactivityTimer;
  /** Everything the model may do besides talking. */
  readonly tools: readonly ConversationTool[];
  /** The brief, as it stands now. */
  instructions(): string;
  /** Judges the model's words before they are heard. */
  readonly guard: OutputGuardrail;
  /** Words for a callee who waits. */
  oneMoment(): string;
  /** To be on record before the channel is ended, where the carrier cannot tell that from a lost channel. */
  noteEnd(): Promise<void>;
  readonly emit: EmitEvent;
  readonly logger: Logger;
}
