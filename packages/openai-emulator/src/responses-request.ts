import * as z from 'zod';
import { ApiError } from './api-error.ts';
import type { ModelRequest, OutputFormat, Turn } from './model/dialogue.ts';
import {
  assertMentionsJson,
  cacheRetention,
  identifier,
  jsonSchema,
  metadata,
  parseRequest,
  readToolChoice,
  readTools,
  reasoningEffort,
  refusedParameter,
  serviceTier,
  verbosity,
} from './request-validation.ts';
import type { ResponseMemory } from './response-memory.ts';
import { assertStrictSchema } from './strict-schema.ts';

const status = z.enum(['in_progress', 'completed', 'incomplete']).nullish();
const itemId = z.string().nullish();

const contentPart = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('input_text'), text: z.string() }),
  z.strictObject({
    type: z.literal('output_text'),
    text: z.string(),
    annotations: z.array(z.unknown()).optional(),
    logprobs: z.array(z.unknown()).optional(),
    parsed: z.unknown().optional(),
  }),
  z.strictObject({ type: z.literal('refusal'), refusal: z.string() }),
]);

const inputItem = z.discriminatedUnion('type', [
  z.strictObject({
    type: z.literal('message'),
    id: itemId,
    role: z.enum(['user', 'assistant', 'system', 'developer']),
    content: z.union([z.string(), z.array(contentPart)]),
    status,
    phase: z.enum(['commentary', 'final_answer']).nullish(),
  }),
  z.strictObject({
    type: z.literal('function_call'),
    id: itemId,
    call_id: z.string().min(1),
    name: identifier,
    arguments: z.string(),
    status,
    parsed_arguments: z.unknown().optional(),
  }),
  z.strictObject({
    type: z.literal('function_call_output'),
    id: itemId,
    call_id: z.string().min(1),
    output: z.union([
      z.string(),
      z.array(z.strictObject({ type: z.literal('input_text'), text: z.string() })),
    ]),
    status,
  }),
  z.strictObject({
    type: z.literal('reasoning'),
    id: itemId,
    summary: z.array(z.unknown()),
    content: z.array(z.unknown()).optional(),
    encrypted_content: z.string().nullish(),
    status,
  }),
]);

/** A message may leave its type out. */
const untypedInputItem = z.preprocess(
  (value) =>
    typeof value === 'object' && value !== null && !('type' in value) && 'role' in value
      ? { type: 'message', ...value }
      : value,
  inputItem,
);

const responsesRequest = z.strictObject({
  model: z.string(),
  input: z.union([z.string(), z.array(untypedInputItem)]),
  instructions: z.string().nullish(),
  previous_response_id: z.string().nullish(),
  tools: z
    .array(
      z.strictObject({
        type: z.literal('function'),
        name: identifier,
        description: z.string().nullish(),
        parameters: jsonSchema.nullable(),
        strict: z.boolean().nullable(),
      }),
    )
    .optional(),
  tool_choice: z
    .union([
      z.enum(['none', 'auto', 'required']),
      z.strictObject({ type: z.literal('function'), name: identifier }),
    ])
    .optional(),
  parallel_tool_calls: z.boolean().nullish(),
  max_tool_calls: z.int().min(1).nullish(),
  text: z
    .strictObject({
      format: z
        .discriminatedUnion('type', [
          z.strictObject({ type: z.literal('text') }),
          z.strictObject({ type: z.literal('json_object') }),
          z.strictObject({
            type: z.literal('json_schema'),
            name: identifier,
            description: z.string().optional(),
            schema: jsonSchema,
            strict: z.boolean().nullish(),
          }),
        ])
        .optional(),
      verbosity,
    })
    .optional(),
  reasoning: z
    .strictObject({
      effort: reasoningEffort,
      summary: z.enum(['auto', 'concise', 'detailed']).nullish(),
    })
    .nullish(),
  max_output_tokens: z.int().min(16).nullish(),
  temperature: z.number().min(0).max(2).nullish(),
  top_p: z.number().min(0).max(1).nullish(),
  stream: z.boolean().nullish(),
  stream_options: z.strictObject({ include_obfuscation: z.boolean().optional() }).nullish(),
  store: z.boolean().nullish(),
  include: z.array(z.string()).nullish(),
  truncation: z.enum(['auto', 'disabled']).nullish(),
  prompt_cache_key: z.string().nullish(),
  prompt_cache_retention: cacheRetention,
  prompt_cache_options: z.unknown().optional(),
  safety_identifier: z.string().nullish(),
  service_tier: serviceTier,
  metadata,
  user: z.string().optional(),
  background: z.literal(false).nullish(),
  conversation: refusedParameter("Unsupported parameter: 'conversation' is not supported by the emulator."),
  context_management: refusedParameter(
    "Unsupported parameter: 'context_management' is not supported by the emulator.",
  ),
  prompt: refusedParameter("Unsupported parameter: 'prompt' is not supported by the emulator."),
  moderation: refusedParameter("Unsupported parameter: 'moderation' is not supported by the emulator."),
  top_logprobs: refusedParameter("Unsupported parameter: 'top_logprobs' is not supported with this model."),
});

type ResponsesBody = z.output<typeof responsesRequest>;
type InputItem = z.output<typeof inputItem>;

/** A checked Responses request; its turns hold the whole conversation, earlier responses included. */
export interface ResponsesRequest {
  body: ResponsesBody;
  modelRequest: ModelRequest;
}

function messageText(content: Extract<InputItem, { type: 'message' }>['content']): string {
  if (typeof content === 'string') return content;
  return content.map((part) => (part.type === 'refusal' ? part.refusal : part.text)).join('');
}

/** Items of one assistant turn (text, then calls) become one turn, as in chat. */
function appendAssistant(turns: Turn[]): Extract<Turn, { role: 'assistant' }> {
  const last = turns.at(-1);
  if (last?.role === 'assistant') return last;
  const turn: Turn = { role: 'assistant', text: '', toolCalls: [] };
  turns.push(turn);
  return turn;
}

function readItems(items: InputItem[], turns: Turn[]): string[] {
  const instructions: string[] = [];
  for (const item of items) {
    switch (item.type) {
      case 'message':
        if (item.role === 'user') turns.push({ role: 'user', text: messageText(item.content) });
        else if (item.role === 'assistant') {
          turns.push({ role: 'assistant', text: messageText(item.content), toolCalls: [] });
        } else instructions.push(messageText(item.content));
        break;
      case 'function_call':
        appendAssistant(turns).toolCalls.push({
          id: item.call_id,
          name: item.name,
          arguments: item.arguments,
        });
        break;
      case 'function_call_output':
        turns.push({
          role: 'tool',
          callId: item.call_id,
          text: typeof item.output === 'string' ? item.output : item.output.map((part) => part.text).join(''),
        });
        break;
      case 'reasoning':
    }
  }
  return instructions;
}

function assertCallsAnswered(turns: Turn[]): void {
  const open = new Set<string>();
  for (const turn of turns) {
    if (turn.role === 'assistant') for (const call of turn.toolCalls) open.add(call.id);
    if (turn.role === 'tool' && !open.delete(turn.callId)) {
      throw new ApiError(`No tool call found for function call output with call_id ${turn.callId}.`, {
        param: 'input',
      });
    }
  }
  const [unanswered] = open;
  if (unanswered !== undefined) {
    throw new ApiError(`No tool output found for function call ${unanswered}.`, { param: 'input' });
  }
}

function readFormat(body: ResponsesBody, texts: string[]): OutputFormat {
  const format = body.text?.format;
  if (!format || format.type === 'text') return { kind: 'text' };
  if (format.type === 'json_object') {
    assertMentionsJson(texts, 'input', 'text.format');
    return { kind: 'json_object' };
  }
  if (format.strict) {
    assertStrictSchema(format.schema, {
      subject: `response_format '${format.name}'`,
      param: 'text.format.schema',
      code: 'invalid_json_schema',
    });
  }
  return { kind: 'json_schema', name: format.name, schema: format.schema, strict: format.strict ?? false };
}

/** Checks the body of `POST /v1/responses` as the API does. @throws ApiError 400, or 404 for an unknown previous response */
export function readResponsesRequest(raw: unknown, memory: ResponseMemory): ResponsesRequest {
  const body = parseRequest(responsesRequest, raw);
  const earlier = body.previous_response_id ? memory.recall(body.previous_response_id) : [];
  // A call item in the input may be joined to the last turn, which must not change the stored one.
  const turns = earlier.map((turn) =>
    turn.role === 'assistant' ? { ...turn, toolCalls: [...turn.toolCalls] } : turn,
  );
  const instructions = body.instructions ? [body.instructions] : [];
  if (typeof body.input === 'string') turns.push({ role: 'user', text: body.input });
  else instructions.push(...readItems(body.input, turns));
  assertCallsAnswered(turns);

  const tools = readTools(body.tools ?? [], (index) => `tools[${index}].parameters`);
  const texts = [...instructions, ...turns.map((turn) => turn.text)];
  return {
    body,
    modelRequest: {
      instructions: instructions.join('\n\n'),
      turns,
      tools,
      toolChoice: readToolChoice(body.tool_choice, tools),
      parallelToolCalls: body.parallel_tool_calls ?? true,
      output: readFormat(body, texts),
    },
  };
}
