import { CallkiteError } from '../errors.ts';
import type { LanguageModel, ModelMessage, ModelToolCall } from '../ports/language-model.ts';
import type { Logger } from '../ports/logger.ts';
import { conversationTools, readToolCall } from './tools.ts';

const fillerAfterMs = 2000;
const longestWaitMs = 12_000;
/** Requests of one turn that may follow a tool call we could not use. */
const maximumToolRounds = 3;

/**
 * - `answered`: the text was given to `onText` in full.
 * - `end-call`, `opt-out`: the model asked for it, possibly after text.
 * - `failed`: there is nothing more to expect from the model; text may have come before.
 * - `aborted`: by the signal. Nothing is given to `onText` after that.
 */
export type TurnResult = 'answered' | 'end-call' | 'opt-out' | 'failed' | 'aborted';

interface Answer {
  text: string;
  toolCalls: ModelToolCall[];
}

interface Pace {
  readonly signal: AbortSignal;
  progressed(): void;
  stop(): void;
}

/** Watches how long the callee waits: once for a filler, and for giving up. */
function keepPace(onSlow: () => void): Pace {
  const tooSlow = new AbortController();
  const giveUp = () => tooSlow.abort(new CallkiteError('provider_unavailable', 'the model fell silent'));
  const filler = setTimeout(onSlow, fillerAfterMs);
  const end = setTimeout(giveUp, longestWaitMs);
  return {
    signal: tooSlow.signal,
    progressed() {
      clearTimeout(filler);
      end.refresh();
    },
    stop() {
      clearTimeout(filler);
      clearTimeout(end);
    },
  };
}

function mayRetry(error: unknown): boolean {
  return !CallkiteError.isInstance(error) || error.code !== 'provider_rejected';
}

/** What the model is shown of an answer that led nowhere, so that it goes on from there. */
function afterFailure(answer: Answer): ModelMessage[] {
  if (answer.text.trim() === '') return [];
  return [
    { role: 'assistant', content: answer.text },
    { role: 'user', content: '(Your words broke off here. Finish the sentence.)' },
  ];
}

/**
 * Asks the model for one turn, with one immediate retry after a failure and a few rounds for tool calls that
 * could not be used. Sends the first request before it returns. Never rejects.
 */
export async function takeTurn(options: {
  callId: string;
  languageModel: LanguageModel;
  instructions: string;
  messages: readonly ModelMessage[];
  signal: AbortSignal;
  /** Receives the text as it comes. */
  onText: (text: string) => void;
  /** The first word takes long. Called at most once, and not after `onText`. */
  onSlow: () => void;
  logger: Logger;
}): Promise<TurnResult> {
  const { callId, languageModel, instructions, signal, onText, logger } = options;
  const pace = keepPace(options.onSlow);
  const either = AbortSignal.any([signal, pace.signal]);
  const messages = [...options.messages];
  let retries = 1;
  let toolRounds = maximumToolRounds;
  let hasSpoken = false;

  async function ask(answer: Answer): Promise<void> {
    const request = { instructions, messages: [...messages], tools: conversationTools, signal: either };
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

  try {
    for (;;) {
      const answer: Answer = { text: '', toolCalls: [] };
      try {
        await ask(answer);
      } catch (error) {
        if (signal.aborted) return 'aborted';
        logger.warn({ callId, error }, 'the model failed in a turn');
        if (pace.signal.aborted || retries === 0 || !mayRetry(error)) return 'failed';
        retries -= 1;
        messages.push(...afterFailure(answer));
        continue;
      }
      const readings = answer.toolCalls.map((call) => ({ call, reading: readToolCall(call) }));
      const wanted = readings.flatMap(({ reading }) => ('effect' in reading ? [reading.effect] : []));
      if (wanted.length > 0) return wanted.includes('opt-out') ? 'opt-out' : 'end-call';
      if (readings.length === 0) return 'answered';
      if (toolRounds === 0) return hasSpoken ? 'answered' : 'failed';
      toolRounds -= 1;
      messages.push({ role: 'assistant', content: answer.text, toolCalls: answer.toolCalls });
      for (const { call, reading } of readings) {
        if ('answer' in reading)
          messages.push({ role: 'tool', toolCallId: call.id, content: reading.answer });
      }
      if (answer.text !== '') onText(' ');
    }
  } finally {
    pace.stop();
  }
}
