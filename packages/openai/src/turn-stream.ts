import { randomUUID } from 'node:crypto';
import type { ModelToolCall, TurnPart, TurnRequest } from '@callkite/core';
import type OpenAI from 'openai';
import { chatMessages, chatTools, type ModelAccess, modelParameters } from './chat-request.ts';
import { chunkBatches } from './chat-stream.ts';
import { timeout, toCallkiteError, unavailable } from './model-failure.ts';
import { watchdog } from './watchdog.ts';

type FinishReason = OpenAI.ChatCompletionChunk.Choice['finish_reason'];
type EndReason = Extract<TurnPart, { type: 'end' }>['reason'];

export interface TurnAccess extends ModelAccess {
  /** How often a request that failed before its first token is sent again. */
  readonly retries: number;
}

/**
 * Streams one turn. A request that failed before its first token is sent again, at once, unless it ran out of time: a
 * caller who waits hears silence.
 */
export async function* streamTurn(access: TurnAccess, request: TurnRequest): AsyncGenerator<TurnPart, void> {
  const body: OpenAI.ChatCompletionCreateParamsStreaming = {
    ...modelParameters(access),
    messages: chatMessages(request.instructions, request.messages),
    ...chatTools(request.tools),
    max_completion_tokens: request.maximumTokens,
    stream: true,
  };
  for (let { retries } = access; ; retries -= 1) {
    request.signal.throwIfAborted();
    const patience = watchdog(request.signal, access.timeoutMs);
    let begun = false;
    try {
      const { chat } = access.client;
      const response = await chat.completions.create(body, { signal: patience.signal }).asResponse();
      const answer = new Answer();
      patience.start();
      for await (const chunks of chunkBatches(response)) {
        const parts = chunks === null ? answer.end() : answer.add(chunks);
        // The time that the listener takes is not the model's.
        patience.pause();
        for (const part of parts) {
          begun = true;
          yield part;
          request.signal.throwIfAborted();
        }
        patience.start();
      }
      return;
    } catch (error) {
      request.signal.throwIfAborted();
      if (patience.timedOut) throw timeout();
      const failure = toCallkiteError(error);
      if (begun || retries === 0 || !failure.retryable) throw failure;
    } finally {
      patience.stop();
    }
  }
}

/** Puts an answer together from its chunks. */
class Answer {
  readonly #calls = new Map<number, { id: string; name: string; arguments: string }>();
  #finish: FinishReason = null;
  #isRefused = false;

  /** The parts that are complete with these chunks. */
  add(chunks: readonly OpenAI.ChatCompletionChunk[]): TurnPart[] {
    const parts: TurnPart[] = [];
    for (const { choices } of chunks) {
      const [choice] = choices;
      if (choice === undefined) continue;
      const { content, refusal, tool_calls: fragments = [] } = choice.delta ?? {};
      if (refusal) this.#isRefused = true;
      if (content) parts.push({ type: 'text', text: content });
      for (const fragment of fragments ?? []) addFragment(this.#calls, fragment);
      this.#finish = choice.finish_reason ?? this.#finish;
    }
    return parts;
  }

  /** The last parts. Throws when the answer is not complete. */
  end(): TurnPart[] {
    if (this.#finish === null)
      throw unavailable('the connection to the model ended in the middle of an answer');
    const reason = endReason(this.#finish, this.#isRefused, this.#calls.size > 0);
    const calls = reason === 'tool-calls' ? [...this.#calls.values()] : [];
    return [
      ...calls.map((call): TurnPart => ({ type: 'tool-call', call: toolCall(call) })),
      { type: 'end', reason },
    ];
  }
}

function addFragment(
  calls: Map<number, { id: string; name: string; arguments: string }>,
  fragment: OpenAI.ChatCompletionChunk.Choice.Delta.ToolCall,
): void {
  const call = calls.get(fragment.index) ?? { id: '', name: '', arguments: '' };
  calls.set(fragment.index, call);
  call.id ||= fragment.id ?? '';
  call.name ||= fragment.function?.name ?? '';
  call.arguments += fragment.function?.arguments ?? '';
}

function toolCall(call: { id: string; name: string; arguments: string }): ModelToolCall {
  // Some compatible servers give calls no id; ours only has to link the call to its result.
  return { id: call.id || `call_${randomUUID()}`, name: call.name, arguments: call.arguments || '{}' };
}

function endReason(finish: NonNullable<FinishReason>, refused: boolean, hasCalls: boolean): EndReason {
  if (refused || finish === 'content_filter') return 'refused';
  // Arguments cut in the middle are of no use, so that calls are dropped then.
  if (finish === 'length') return 'length';
  // Some compatible servers finish with `stop` although they ask for tools.
  return hasCalls ? 'tool-calls' : 'stop';
}
