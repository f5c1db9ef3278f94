import type { LanguageModel } from '@callkite/core';
import OpenAI from 'openai';
import type { ReasoningEffort } from './chat-request.ts';
import { generateObject } from './object-generation.ts';
import { streamTurn } from './turn-stream.ts';

export interface OpenAiOptions {
  /** A server that asks for no key still needs some text here. */
  apiKey: string;
  /** Any server that speaks Chat Completions, up to `/v1`. @default 'https://api.openai.com/v1' */
  baseURL?: string | undefined;
  /** Model that talks on calls. @default 'gpt-6-luna' */
  model?: string | undefined;
  /** Model that writes workflows and summaries. @default the value of `model` */
  generationModel?: string | undefined;
  /**
   * How long the model thinks before it speaks: silence on the line. `null` leaves the parameter out, for servers
   * and models that do not know it. @default 'none'
   */
  reasoningEffort?: ReasoningEffort | null | undefined;
  /** The same for workflows and summaries. @default 'low', or `null` when `reasoningEffort` is `null` */
  generationReasoningEffort?: ReasoningEffort | null | undefined;
  /**
   * How often a turn that failed before its first token is asked for again, at once. 0 where somebody else is asked
   * then, as `withFallbackLanguageModel` does. @default 1
   */
  turnRetries?: number | undefined;
  /** Longest wait for the first token of a turn, and from one token to the next, in milliseconds. @default 10000 */
  timeoutMs?: number | undefined;
  /** Longest wait for a whole workflow or summary, in milliseconds. @default 60000 */
  generationTimeoutMs?: number | undefined;
  /** Organization the usage is billed to. @default the key's own */
  organization?: string | undefined;
  /** Project the usage is billed to. @default the key's own */
  project?: string | undefined;
}

/** Text models of OpenAI, and of every server compatible with its Chat Completions API. */
export function openAi(options: OpenAiOptions): LanguageModel {
  // What is given explicitly is not looked up in environment variables by the SDK; its debug log would show prompts.
  const client = new OpenAI({
    apiKey: options.apiKey,
    baseURL: options.baseURL ?? 'https://api.openai.com/v1',
    organization: options.organization ?? null,
    project: options.project ?? null,
    maxRetries: 0,
    logLevel: 'off',
  });
  const model = options.model ?? 'gpt-6-luna';
  const reasoningEffort = options.reasoningEffort === undefined ? 'none' : options.reasoningEffort;
  const generationEffort = reasoningEffort === null ? null : 'low';
  const turns = {
    client,
    model,
    reasoningEffort,
    timeoutMs: options.timeoutMs ?? 10_000,
    retries: options.turnRetries ?? 1,
  };
  const objects = {
    client,
    model: options.generationModel ?? model,
    reasoningEffort:
      options.generationReasoningEffort === undefined ? generationEffort : options.generationReasoningEffort,
    timeoutMs: options.generationTimeoutMs ?? 60_000,
  };
  return {
    streamTurn: (request) => streamTurn(turns, request),
    generateObject: (request) => generateObject(objects, request),
  };
}
