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
import { assertStrictSchema } from './strict-schema.ts';

const textPart = z.strictObject({ type: z.literal('text'), text: z.string() });
const refusalPart = z.strictObject({ type: z.literal('refusal'), refusal: z.string() });
const textContent = z.union([z.string(), z.array(textPart).min(1)]);
const name = z.string().optional();

const message = z.discriminatedUnion('role', [
  z.strictObject({ role: z.literal('developer'), content: textContent, name }),
  z.strictObject({ role: z.literal('system'), content: textContent, name }),
  z.strictObject({ role: z.literal('user'), content: textContent, name }),
  z.strictObject({
    role: z.literal('assistant'),
    content: z
      .union([z.string(), z.array(z.discriminatedUnion('type', [textPart, refusalPart])).min(1)])
      .nullish(),
    refusal: z.string().nullish(),
    name,
    // What the API itself puts into messages, so that they can be sent back unchanged.
    annotations: z.array(z.unknown()).optional(),
    audio: z.null().optional(),
    parsed: z.unknown().optional(),
    tool_calls: z
      .array(
        z.strictObject({
          id: z.string().min(1),
          type: z.literal('function'),
          function: z.strictObject({
            name: identifier,
            arguments: z.string(),
            parsed_arguments: z.unknown().optional(),
          }),
        }),
      )
      .min(1)
      .optional(),
  }),
  z.strictObject({ role: z.literal('tool'), content: textContent, tool_call_id: z.string() }),
]);

const functionTool = z.strictObject({
  type: z.literal('function'),
  function: z.strictObject({
    name: identifier,
    description: z.string().optional(),
    parameters: jsonSchema.optional(),
    strict: z.boolean().nullish(),
  }),
});

const responseFormat = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('text') }),
  z.strictObject({ type: z.literal('json_object') }),
  z.strictObject({
    type: z.literal('json_schema'),
    json_schema: z.strictObject({
      name: identifier,
      description: z.string().optional(),
      schema: jsonSchema.optional(),
      strict: z.boolean().nullish(),
    }),
  }),
]);

const chatRequest = z.strictObject({
  model: z.string(),
  messages: z.array(message).min(1),
  tools: z.array(functionTool).optional(),
  tool_choice: z
    .union([
      z.enum(['none', 'auto', 'required']),
      z.strictObject({ type: z.literal('function'), function: z.strictObject({ name: identifier }) }),
    ])
    .optional(),
  parallel_tool_calls: z.boolean().optional(),
  response_format: responseFormat.optional(),
  max_completion_tokens: z.int().min(1).nullish(),
  reasoning_effort: reasoningEffort,
  verbosity,
  temperature: z.number().min(0).max(2).nullish(),
  top_p: z.number().min(0).max(1).nullish(),
  frequency_penalty: z.number().min(-2).max(2).nullish(),
  presence_penalty: z.number().min(-2).max(2).nullish(),
  stream: z.boolean().nullish(),
  stream_options: z
    .strictObject({
      include_usage: z.boolean().optional(),
      include_obfuscation: z.boolean().optional(),
    })
    .nullish(),
  service_tier: serviceTier,
  prompt_cache_key: z.string().nullish(),
  prompt_cache_retention: cacheRetention,
  prompt_cache_options: z.unknown().optional(),
  safety_identifier: z.string().nullish(),
  store: z.boolean().nullish(),
  metadata,
  seed: z.int().nullish(),
  user: z.string().optional(),
  n: z.literal(1).nullish(),
  logprobs: z.literal(false).nullish(),
  modalities: z.tuple([z.literal('text')]).nullish(),
  max_tokens: refusedParameter(
    "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
  ),
  stop: refusedParameter("Unsupported parameter: 'stop' is not supported with this model."),
  functions: refusedParameter(
    "Unsupported parameter: 'functions' is no longer supported. Use 'tools' instead.",
  ),
  function_call: refusedParameter(
    "Unsupported parameter: 'function_call' is no longer supported. Use 'tool_choice' instead.",
  ),
  audio: refusedParameter("Unsupported parameter: 'audio' is not supported by the emulator."),
  logit_bias: refusedParameter("Unsupported parameter: 'logit_bias' is not supported with this model."),
  top_logprobs: refusedParameter("Unsupported parameter: 'top_logprobs' is not supported with this model."),
  prediction: refusedParameter("Unsupported parameter: 'prediction' is not supported by the emulator."),
  moderation: refusedParameter("Unsupported parameter: 'moderation' is not supported by the emulator."),
  web_search_options: refusedParameter(
    "Unsupported parameter: 'web_search_options' is not supported by the emulator.",
  ),
});

type ChatBody = z.output<typeof chatRequest>;
type ChatMessage = z.output<typeof message>;

/** A checked chat completion request. */
export interface ChatRequest {
  body: ChatBody;
  modelRequest: ModelRequest;
}

function textOf(content: z.output<typeof textContent>): string {
  return typeof content === 'string' ? content : content.map((part) => part.text).join('');
}

function assistantText(source: Extract<ChatMessage, { role: 'assistant' }>): string {
  const { content } = source;
  if (typeof content === 'string') return content;
  const parts = content?.map((part) => (part.type === 'text' ? part.text : part.refusal)) ?? [];
  return parts.join('') || (source.refusal ?? '');
}

/** Every tool message must answer a call, and every call must be answered before the talk goes on. */
function assertToolMessagesMatch(messages: ChatMessage[]): void {
  let open: Set<string> | undefined;
  let openAt = 0;
  const assertAnswered = () => {
    if (!open || open.size === 0) return;
    throw new ApiError(
      `An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: ${[...open].join(', ')}`,
      { param: `messages.[${openAt}].role` },
    );
  };
  messages.forEach((current, index) => {
    if (current.role === 'tool') {
      if (!open?.delete(current.tool_call_id)) {
        throw new ApiError(
          "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.",
          { param: `messages.[${index}].role` },
        );
      }
      return;
    }
    assertAnswered();
    open = undefined;
    if (current.role === 'assistant' && current.tool_calls) {
      open = new Set(current.tool_calls.map((call) => call.id));
      openAt = index;
    }
    if (current.role === 'assistant' && !current.tool_calls && current.content == null && !current.refusal) {
      throw new ApiError(
        `Invalid value for 'content': expected a string, got null. (param: messages.[${index}].content)`,
        { param: `messages.[${index}].content` },
      );
    }
  });
  assertAnswered();
}

function readTurns(messages: ChatMessage[]): { instructions: string; turns: Turn[] } {
  const instructions: string[] = [];
  const turns: Turn[] = [];
  for (const current of messages) {
    switch (current.role) {
      case 'developer':
      case 'system':
        instructions.push(textOf(current.content));
        break;
      case 'user':
        turns.push({ role: 'user', text: textOf(current.content) });
        break;
      case 'assistant':
        turns.push({
          role: 'assistant',
          text: assistantText(current),
          toolCalls: (current.tool_calls ?? []).map((call) => ({ id: call.id, ...call.function })),
        });
        break;
      case 'tool':
        turns.push({ role: 'tool', callId: current.tool_call_id, text: textOf(current.content) });
    }
  }
  return { instructions: instructions.join('\n\n'), turns };
}

function readFormat(format: ChatBody['response_format'], instructions: string, turns: Turn[]): OutputFormat {
  if (!format || format.type === 'text') return { kind: 'text' };
  if (format.type === 'json_object') {
    assertMentionsJson([instructions, ...turns.map((turn) => turn.text)], 'messages', 'response_format');
    return { kind: 'json_object' };
  }
  const { name: formatName, schema, strict } = format.json_schema;
  if (strict) {
    assertStrictSchema(schema, {
      subject: `response_format '${formatName}'`,
      param: 'response_format',
      code: null,
    });
  }
  return {
    kind: 'json_schema',
    name: formatName,
    schema: schema ?? { type: 'object' },
    strict: strict ?? false,
  };
}

/** Checks the body of `POST /v1/chat/completions` as the API does. @throws ApiError 400 */
export function readChatRequest(raw: unknown): ChatRequest {
  const body = parseRequest(chatRequest, raw);
  if (body.stream_options && !body.stream) {
    throw new ApiError("The 'stream_options' parameter is only allowed when 'stream' is enabled.", {
      param: 'stream_options',
    });
  }
  assertToolMessagesMatch(body.messages);
  const { instructions, turns } = readTurns(body.messages);
  const tools = readTools(
    (body.tools ?? []).map((tool) => tool.function),
    (index) => `tools[${index}].function.parameters`,
  );
  if (body.parallel_tool_calls !== undefined && tools.length === 0) {
    throw new ApiError(
      "Invalid value for 'parallel_tool_calls': 'parallel_tool_calls' is only allowed when 'tools' are specified.",
      { param: 'parallel_tool_calls' },
    );
  }
  const choice = typeof body.tool_choice === 'object' ? body.tool_choice.function : body.tool_choice;
  return {
    body,
    modelRequest: {
      instructions,
      turns,
      tools,
      toolChoice: readToolChoice(choice, tools),
      parallelToolCalls: body.parallel_tool_calls ?? true,
      output: readFormat(body.response_format, instructions, turns),
    },
  };
}
