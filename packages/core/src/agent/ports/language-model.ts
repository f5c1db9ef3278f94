import type * as z from 'zod';

export interface ModelToolCall {
  readonly id: string;
  readonly name: string;
  /** JSON text as the model wrote it: may be invalid, is parsed by the tool's owner. */
  readonly arguments: string;
}

/** One entry of the dialogue a model is shown. */
export type ModelMessage =
  | { readonly role: 'user'; readonly content: string }
  | { readonly role: 'assistant'; readonly content: string; readonly toolCalls?: readonly ModelToolCall[] }
  | { readonly role: 'tool'; readonly toolCallId: string; readonly content: string };

export interface ModelTool {
  readonly name: string;
  readonly description: string;
  /** Object schema within the limits of strict structured outputs: no `.optional()`, no records, no transforms. */
  readonly input: z.ZodObject;
}

export type TurnPart =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'tool-call'; readonly call: ModelToolCall }
  /** Last part of every turn that was not aborted. */
  | { readonly type: 'end'; readonly reason: 'stop' | 'tool-calls' | 'length' | 'refused' };

export interface TurnRequest {
  readonly instructions: string;
  readonly messages: readonly ModelMessage[];
  readonly tools: readonly ModelTool[];
  /** The turn ends at the latest after so many tokens, those a model thinks with included. */
  readonly maximumTokens: number;
  readonly signal: AbortSignal;
}

export interface ObjectRequest<T> {
  /** Object schema within the limits of strict structured outputs. */
  readonly schema: z.ZodType<T>;
  /** Letters, digits, `_` and `-`. */
  readonly name: string;
  readonly instructions: string;
  readonly input: string;
  readonly signal: AbortSignal;
}

/**
 * A text model. Adapters only move tokens: all prompt text is core's. Failures are `CallkiteError`s
 * `provider_rejected` (never retry) or `provider_unavailable` (retryable); an abort by the given signal
 * rejects with the signal's reason.
 */
export interface LanguageModel {
  /** Streams one turn. The iterator ends right after `end`; returning early cancels the request. */
  streamTurn(request: TurnRequest): AsyncIterable<TurnPart>;
  /** A value that satisfies the schema. Refusals and invalid output are `provider_rejected`. */
  generateObject<T>(request: ObjectRequest<T>): Promise<T>;
}
