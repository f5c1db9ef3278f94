import { randomUUID } from 'node:crypto';
import type { ModelToolCall, TurnPart, TurnRequest } from '@callkite/core';
import type OpenAI from 'openai';
import { chatMessages, chatTools, type ModelAccess, modelParameters } from './chat-request.ts';
import { timeout, toCallkiteError, unavailable } from './model-failure.ts';
import { watchdog } from './watchdog.ts';

type FinishReason = OpenAI.ChatCompletionChunk.Choice['finish_reason'];
type EndReason = Extract<TurnPart, { type: 'end' }>['reason'];

/**
 * Streams one turn. A request that failed before its first token is sent once more, at once, unless it ran out of
 * time: a caller who waits hears silence.
 */
export async function* streamTurn(access: ModelAccess, request: TurnRequest): AsyncGenerator<TurnPart, void> {
  const body: OpenAI.ChatCompletionCreateParamsStreaming = {
    ...modelParameters(access),
    messages: chatMessages(request.instructions, request.messages),
    ...chatTools(request.tools),
    stream: true,
  };
  for (let attempt = 1; ; attempt += 1) {
    request.signal.throwIfAborted();
    const patience = watchdog(request.signal, access.timeoutMs);
    let begun = false;
    try {
      const chunks = await access.client.chat.completions.create(body, { signal: patience.signal });
      for await (const part of turnParts(chunks, patience.start)) {
        begun = true;
        // The time that the listener takes is not the model's.
        patience.stop();
        yield part;
        request.signal.throwIfAborted();
        patience.start();
      }
      return;
    } catch (error) {
      request.signal.throwIfAborted();
      if (patience.timedOut) throw timeout();
      const failure = toCallkiteError(error);
      if (begun || attempt > 1 || !failure.retryable) throw failure;
    } finally {
      patience.stop();
    }
  }
}

/** Ends with `end`, or throws: also when the stream just stops, which is all the SDK shows of an abort. */
async function* turnParts(
  chunks: AsyncIterable<OpenAI.ChatCompletionChunk>,
  onProgress: () => void,
): AsyncGenerator<TurnPart, void> {
  const calls = new Map<number, { id: string; name: string; arguments: string }>();
  let finish: FinishReason = null;
  let refused = false;
  for await (const { choices } of chunks) {
    onProgress();
    const [choice] = choices;
    if (choice === undefined) continue;
    const { content, refusal, tool_calls: fragments = [] } = choice.delta ?? {};
    if (refusal) refused = true;
    if (content) yield { type: 'text', text: content };
    for (const fragment of fragments ?? []) addFragment(calls, fragment);
    finish = choice.finish_reason ?? finish;
  }
  if (finish === null) throw unavailable('the connection to the model ended in the middle of an answer');
  const reason = endReason(finish, refused, calls.size > 0);
  if (reason === 'tool-calls') {
    for (const call of calls.values()) yield { type: 'tool-call', call: toolCall(call) };
  }
  yield { type: 'end', reason };
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
