import { CallkiteError } from '../../kernel/errors.ts';
import type { Logger } from '../../kernel/logger.ts';
import type { LanguageModel, ModelMessage, ModelToolCall } from '../ports/language-model.ts';
import { responseTimer } from '../session/response-timer.ts';
import {
  type ConversationTool,
  highestPriority,
  maximumToolRounds,
  type ToolEffect,
  type ToolOutcome,
  useTool,
} from '../tools/tools.ts';

/**
 * - `answered`: the text was given to `onText` in full, or a tool did what there was to do.
 * - `end-call`, `opt-out`, `transfer`: the model asked for it, possibly after text.
 * - `failed`: there is nothing more to expect from the model; text may have come before.
 * - `aborted`: by the signal. Nothing is given to `onText` after that.
 */
export type TurnResult = 'answered' | ToolEffect | 'failed' | 'aborted';

/** More than anybody listens to, with what a model thinks before; what is said has a bound of its own. */
const maximumTokensOfTurn = 2_000;

interface Answer {
  text: string;
  toolCalls: ModelToolCall[];
}

function mayRetry(error: unknown): boolean {
  return !CallkiteError.isInstance(error) || error.code !== 'provider_rejected';
}

/** What the model is shown of an answer that led nowhere, so that it goes on from there. */
function afterFailure(answer: Answer): ModelMessage[] {
  // The last word may not be whole, and is not said: it is said anew.
  const said = answer.text.slice(0, answer.text.search(/\S*$/));
  if (said.trim() === '') return [];
  return [
    { role: 'assistant', content: said },
    {
      role: 'user',
      content: '(Your words broke off here. Finish the sentence from there, without saying any of it again.)',
    },
  ];
}

/**
 * Asks the model for one turn, with one immediate retry after a failure and a few rounds for tool calls. Sends the first request before it returns. Never rejects.
 */
export async function runModelTurn(options: {
  callId: string;
  languageModel: LanguageModel;
  instructions: string;
  messages: readonly ModelMessage[];
  /** Everything the model may do besides talking. */
  tools: readonly ConversationTool[];
  /** How many times the callee has spoken. */
  turn: number;
  /** A tool that is at work when this aborts finishes its work; what it says is lost. */
  signal: AbortSignal;
  /** Receives the text as it comes. */
  onText: (text: string) => void;
  /** The text broke off, perhaps within a word, and is begun again after its last whole one. */
  onBroken: () => void;
  /** The first word, or a tool, takes long. */
  onSlow: () => void;
  logger: Logger;
}): Promise<TurnResult> {
  const { callId, languageModel, instructions, tools, turn, signal, onText, logger } = options;
  const pace = responseTimer(options.onSlow);
  const either = AbortSignal.any([signal, pace.signal]);
  const messages = [...options.messages];
  let retries = 1;
  let toolRounds = maximumToolRounds;
  let toolIndex = 0;
  let hasSpoken = false;

  async function ask(answer: Answer): Promise<void> {
    const request = {
      instructions,
      messages: [...messages],
      tools,
      maximumTokens: maximumTokensOfTurn,
      signal: either,
    };
    let reason: 'stop' | 'tool-calls' | 'length' | 'refused' | null = null;
    for await (const part of languageModel.streamTurn(request)) {
      either.throwIfAborted();
      if (part.type === 'end') {
        reason = part.reason;
        continue;
      }
      if (part.type === 'tool-call') {
        answer.toolCalls.push(part.call);
        continue;
      }
      if (part.text === '') continue;
      pace.progressed();
      hasSpoken = true;
      answer.text += part.text;
      onText(part.text);
    }
    if (reason === 'refused' || (answer.text.trim() === '' && answer.toolCalls.length === 0)) {
      throw new CallkiteError('provider_unavailable', 'the model gave no answer', { retryable: true });
    }
  }

  async function use(calls: readonly ModelToolCall[]): Promise<ToolOutcome[]> {
    const outcomes: ToolOutcome[] = [];
    pace.toolBegan();
    for (const call of calls) {
      const index = toolIndex;
      toolIndex += 1;
      outcomes.push(await useTool(tools, call, { turn, index }));
      if (signal.aborted) break;
    }
    pace.toolEnded();
    return outcomes;
  }

  try {
    for (;;) {
      const answer: Answer = { text: '', toolCalls: [] };
      try {
        await ask(answer);
      } catch (error) {
        if (signal.aborted) return 'aborted';
        logger.warn({ callId, error }, 'language model failed during a turn');
        if (pace.signal.aborted || retries === 0 || !mayRetry(error)) return 'failed';
        retries -= 1;
        messages.push(...afterFailure(answer));
        options.onBroken();
        continue;
      }
      if (answer.toolCalls.length === 0) return 'answered';
      const outcomes = await use(answer.toolCalls);
      if (signal.aborted) return 'aborted';
      const wanted = outcomes.flatMap((outcome) => ('effect' in outcome ? [outcome.effect] : []));
      const effect = highestPriority(wanted);
      if (effect) return effect;
      if (outcomes.some((outcome) => 'nothingToSay' in outcome)) return 'answered';
      if (toolRounds === 0) return hasSpoken ? 'answered' : 'failed';
      toolRounds -= 1;
      messages.push({ role: 'assistant', content: answer.text, toolCalls: answer.toolCalls });
      for (const [index, outcome] of outcomes.entries()) {
        const toolCallId = answer.toolCalls[index]?.id;
        if (toolCallId === undefined || !('answer' in outcome)) continue;
        messages.push({ role: 'tool', toolCallId, content: outcome.answer });
      }
      if (answer.text !== '') onText(' ');
    }
  } finally {
    pace.stop();
  }
}
