import type { StreamFrame } from './event-stream.ts';
import type { Turn } from './model/dialogue.ts';
import { newId, type Reply } from './reply.ts';
import type { ResponsesRequest } from './responses-request.ts';
import { obfuscation } from './tokens.ts';

type ItemStatus = 'in_progress' | 'completed' | 'incomplete';

/** An item of the output with the fragments it is streamed in. */
type OutputItem =
  | { kind: 'message'; id: string; part: 'output_text' | 'refusal'; fragments: string[] }
  | { kind: 'function_call'; id: string; callId: string; name: string; fragments: string[] };

/** A response under way: its identity and items, from which body and events are made. */
export interface ResponseDraft {
  id: string;
  createdAt: number;
  request: ResponsesRequest;
  reply: Reply;
  items: OutputItem[];
}

export function responseDraft(request: ResponsesRequest, reply: Reply, nowSeconds: number): ResponseDraft {
  const items: OutputItem[] = [];
  const messagePart = reply.refusal.length > 0 ? 'refusal' : 'output_text';
  const fragments = messagePart === 'refusal' ? reply.refusal : reply.text;
  if (fragments.length > 0 || reply.toolCalls.length === 0) {
    items.push({ kind: 'message', id: newId('msg_'), part: messagePart, fragments });
  }
  for (const call of reply.toolCalls) {
    items.push({
      kind: 'function_call',
      id: newId('fc_'),
      callId: call.id,
      name: call.name,
      fragments: call.arguments,
    });
  }
  return { id: newId('resp_'), createdAt: nowSeconds, request, reply, items };
}

/** The turns that `previous_response_id` continues from. */
export function rememberedTurns(draft: ResponseDraft): Turn[] {
  const { reply } = draft;
  const turn: Turn = {
    role: 'assistant',
    text: [...reply.text, ...reply.refusal].join(''),
    toolCalls: reply.toolCalls.map((call) => ({
      id: call.id,
      name: call.name,
      arguments: call.arguments.join(''),
    })),
  };
  return [...draft.request.modelRequest.turns, turn];
}

function contentPart(part: 'output_text' | 'refusal', text: string): object {
  return part === 'refusal'
    ? { type: 'refusal', refusal: text }
    : { type: 'output_text', text, annotations: [], logprobs: [] };
}

function wireItem(item: OutputItem, status: ItemStatus): object {
  const text = status === 'in_progress' ? '' : item.fragments.join('');
  if (item.kind === 'function_call') {
    return {
      id: item.id,
      type: 'function_call',
      status,
      call_id: item.callId,
      name: item.name,
      arguments: text,
    };
  }
  return {
    id: item.id,
    type: 'message',
    status,
    role: 'assistant',
    phase: 'final_answer',
    content: status === 'in_progress' ? [] : [contentPart(item.part, text)],
  };
}

const INCOMPLETE_REASONS: Partial<Record<Reply['finishReason'], string>> = {
  length: 'max_output_tokens',
  content_filter: 'content_filter',
};

function usage({ inputTokens, outputTokens }: Reply['usage']) {
  return {
    input_tokens: inputTokens,
    input_tokens_details: { cached_tokens: 0, cache_write_tokens: 0 },
    output_tokens: outputTokens,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: inputTokens + outputTokens,
  };
}

/** Only the last item of an incomplete response is cut. */
function finalStatus(draft: ResponseDraft, item: OutputItem): ItemStatus {
  const incomplete = INCOMPLETE_REASONS[draft.reply.finishReason] !== undefined;
  return incomplete && item === draft.items.at(-1) ? 'incomplete' : 'completed';
}

/** The response object, while it is made or when it is finished. */
export function responseBody(draft: ResponseDraft, stage: 'in_progress' | 'finished' = 'finished'): object {
  const { body } = draft.request;
  const reason = INCOMPLETE_REASONS[draft.reply.finishReason];
  const finished = stage === 'finished';
  return {
    id: draft.id,
    object: 'response',
    created_at: draft.createdAt,
    completed_at: finished && !reason ? draft.createdAt : null,
    status: finished ? (reason ? 'incomplete' : 'completed') : 'in_progress',
    background: false,
    error: null,
    incomplete_details: finished && reason ? { reason } : null,
    instructions: body.instructions ?? null,
    max_output_tokens: body.max_output_tokens ?? null,
    max_tool_calls: body.max_tool_calls ?? null,
    model: body.model,
    output: finished ? draft.items.map((item) => wireItem(item, finalStatus(draft, item))) : [],
    parallel_tool_calls: body.parallel_tool_calls ?? true,
    previous_response_id: body.previous_response_id ?? null,
    prompt_cache_key: body.prompt_cache_key ?? null,
    prompt_cache_retention: body.prompt_cache_retention ?? null,
    reasoning: { effort: body.reasoning?.effort ?? null, summary: body.reasoning?.summary ?? null },
    safety_identifier: body.safety_identifier ?? null,
    service_tier: 'default',
    store: body.store ?? true,
    temperature: body.temperature ?? 1,
    text: { format: body.text?.format ?? { type: 'text' }, verbosity: body.text?.verbosity ?? 'medium' },
    tool_choice: body.tool_choice ?? 'auto',
    tools: body.tools ?? [],
    top_logprobs: 0,
    top_p: body.top_p ?? 1,
    truncation: body.truncation ?? 'disabled',
    usage: finished ? usage(draft.reply.usage) : null,
    user: body.user ?? null,
    metadata: body.metadata ?? {},
  };
}

type ResponseEvent = { type: string; isToken?: boolean } & Record<string, unknown>;

function* messageEvents(
  draft: ResponseDraft,
  item: Extract<OutputItem, { kind: 'message' }>,
  outputIndex: number,
): Generator<ResponseEvent> {
  const position = { item_id: item.id, output_index: outputIndex, content_index: 0 };
  const obfuscate = draft.request.body.stream_options?.include_obfuscation ?? true;
  const text = item.fragments.join('');
  yield { type: 'response.content_part.added', ...position, part: contentPart(item.part, '') };
  for (const delta of item.fragments) {
    const padding = obfuscate ? { obfuscation: obfuscation(delta) } : {};
    yield item.part === 'refusal'
      ? { type: 'response.refusal.delta', ...position, delta, ...padding, isToken: true }
      : { type: 'response.output_text.delta', ...position, delta, logprobs: [], ...padding, isToken: true };
  }
  yield item.part === 'refusal'
    ? { type: 'response.refusal.done', ...position, refusal: text }
    : { type: 'response.output_text.done', ...position, text, logprobs: [] };
  yield { type: 'response.content_part.done', ...position, part: contentPart(item.part, text) };
}

function* callEvents(item: OutputItem, outputIndex: number): Generator<ResponseEvent> {
  const position = { item_id: item.id, output_index: outputIndex };
  for (const delta of item.fragments) {
    yield { type: 'response.function_call_arguments.delta', ...position, delta, isToken: true };
  }
  yield { type: 'response.function_call_arguments.done', ...position, arguments: item.fragments.join('') };
}

function* responseEvents(draft: ResponseDraft): Generator<ResponseEvent> {
  const inProgress = responseBody(draft, 'in_progress');
  yield { type: 'response.created', response: inProgress };
  yield { type: 'response.in_progress', response: inProgress };
  for (const [outputIndex, item] of draft.items.entries()) {
    const added = wireItem(item, 'in_progress');
    yield { type: 'response.output_item.added', output_index: outputIndex, item: added };
    yield* item.kind === 'message' ? messageEvents(draft, item, outputIndex) : callEvents(item, outputIndex);
    const done = wireItem(item, finalStatus(draft, item));
    yield { type: 'response.output_item.done', output_index: outputIndex, item: done };
  }
  const incomplete = INCOMPLETE_REASONS[draft.reply.finishReason] !== undefined;
  yield {
    type: incomplete ? 'response.incomplete' : 'response.completed',
    response: responseBody(draft),
  };
}

/** The numbered events of a streamed response. */
export function* responseFrames(draft: ResponseDraft): Generator<StreamFrame> {
  let sequenceNumber = 0;
  for (const { isToken = false, ...event } of responseEvents(draft)) {
    yield { event: event.type, data: { ...event, sequence_number: sequenceNumber }, isToken };
    sequenceNumber += 1;
  }
}

/**
 * The event that ends a broken stream. The reference documents flat fields, while clients throw only for an `error`
 * object, so both are sent.
 */
export function responseErrorFrame(message: string, sequenceNumber: number): StreamFrame {
  const error = { type: 'server_error', code: 'server_error', message, param: null };
  return { event: 'error', data: { ...error, type: 'error', error, sequence_number: sequenceNumber } };
}
