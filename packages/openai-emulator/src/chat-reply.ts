import type { ChatRequest } from './chat-request.ts';
import type { StreamFrame } from './event-stream.ts';
import { newId, type Reply } from './reply.ts';
import { obfuscation } from './tokens.ts';

interface ChatHead {
  id: string;
  created: number;
  model: string;
}

function chatHead(request: ChatRequest, nowSeconds: number): ChatHead {
  return { id: newId('chatcmpl-'), created: nowSeconds, model: request.body.model };
}

function chatUsage(reply: Reply) {
  const { inputTokens, outputTokens } = reply.usage;
  return {
    prompt_tokens: inputTokens,
    completion_tokens: outputTokens,
    total_tokens: inputTokens + outputTokens,
    prompt_tokens_details: { cached_tokens: 0, audio_tokens: 0 },
    completion_tokens_details: {
      reasoning_tokens: 0,
      audio_tokens: 0,
      accepted_prediction_tokens: 0,
      rejected_prediction_tokens: 0,
    },
  };
}

/** The body of an answer that is not streamed. */
export function chatCompletion(request: ChatRequest, reply: Reply, nowSeconds: number): object {
  const text = reply.text.join('');
  const calls = reply.toolCalls.map((call) => ({
    id: call.id,
    type: 'function',
    function: { name: call.name, arguments: call.arguments.join('') },
  }));
  const refusal = reply.refusal.join('');
  return {
    ...chatHead(request, nowSeconds),
    object: 'chat.completion',
    choices: [
      {
        index: 0,
        message: {
          role: 'assistant',
          content: text === '' && (calls.length > 0 || refusal) ? null : text,
          refusal: refusal || null,
          annotations: [],
          ...(calls.length > 0 && { tool_calls: calls }),
        },
        logprobs: null,
        finish_reason: reply.finishReason,
      },
    ],
    usage: chatUsage(reply),
    service_tier: 'default',
    system_fingerprint: 'fp_emulator',
  };
}

/** The frames of a streamed answer, the terminator included. */
export function* chatFrames(request: ChatRequest, reply: Reply, nowSeconds: number): Generator<StreamFrame> {
  const head = chatHead(request, nowSeconds);
  const includeUsage = request.body.stream_options?.include_usage ?? false;
  const obfuscate = request.body.stream_options?.include_obfuscation ?? true;

  const chunk = (choices: object[], usage: object | null, extra: object = {}) => ({
    id: head.id,
    object: 'chat.completion.chunk',
    created: head.created,
    model: head.model,
    service_tier: 'default',
    system_fingerprint: 'fp_emulator',
    choices,
    ...(includeUsage && { usage }),
    ...extra,
  });
  const delta = (content: object, fragment: string, finishReason: string | null = null) =>
    chunk(
      [{ index: 0, delta: content, logprobs: null, finish_reason: finishReason }],
      null,
      obfuscate ? { obfuscation: obfuscation(fragment) } : {},
    );

  const startsWithTool = reply.text.length === 0 && reply.toolCalls.length > 0;
  yield { data: delta({ role: 'assistant', content: startsWithTool ? null : '', refusal: null }, '') };
  for (const fragment of reply.text) yield { data: delta({ content: fragment }, fragment), isToken: true };
  for (const fragment of reply.refusal) yield { data: delta({ refusal: fragment }, fragment), isToken: true };
  for (const [index, call] of reply.toolCalls.entries()) {
    const opening = { index, id: call.id, type: 'function', function: { name: call.name, arguments: '' } };
    yield { data: delta({ tool_calls: [opening] }, ''), isToken: true };
    for (const fragment of call.arguments) {
      const part = { index, function: { arguments: fragment } };
      yield { data: delta({ tool_calls: [part] }, fragment), isToken: true };
    }
  }
  yield { data: delta({}, '', reply.finishReason) };
  if (includeUsage) yield { data: chunk([], chatUsage(reply)) };
  yield { data: '[DONE]' };
}

/** The frame that ends a broken stream. */
export function chatErrorFrame(message: string): StreamFrame {
  return { data: { error: { message, type: 'server_error', param: null, code: 'server_error' } } };
}
