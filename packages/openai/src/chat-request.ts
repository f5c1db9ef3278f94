import type { ModelMessage, ModelTool } from '@callkite/core';
import type OpenAI from 'openai';
import { strictJsonSchema } from './strict-schema.ts';

export type ReasoningEffort = 'none' | 'minimal' | 'low' | 'medium' | 'high' | 'xhigh' | 'max';

/** Which model to ask, and how. */
export interface ModelAccess {
  readonly client: OpenAI;
  readonly model: string;
  readonly reasoningEffort: ReasoningEffort | null;
  readonly timeoutMs: number;
}

/** The part of a request body that says which model answers. */
export function modelParameters(access: ModelAccess): { model: string; reasoning_effort?: ReasoningEffort } {
  return {
    model: access.model,
    ...(access.reasoningEffort !== null && { reasoning_effort: access.reasoningEffort }),
  };
}

export function chatMessages(
  instructions: string,
  messages: readonly ModelMessage[],
): OpenAI.ChatCompletionMessageParam[] {
  return [{ role: 'system', content: instructions }, ...messages.map(chatMessage)];
}

export function chatTools(tools: readonly ModelTool[]): { tools?: OpenAI.ChatCompletionTool[] } {
  if (tools.length === 0) return {};
  return {
    tools: tools.map(({ name, description, input }) => ({
      type: 'function',
      function: { name, description, parameters: strictJsonSchema(input), strict: true },
    })),
  };
}

function chatMessage(message: ModelMessage): OpenAI.ChatCompletionMessageParam {
  switch (message.role) {
    case 'user':
      return { role: 'user', content: message.content };
    case 'tool':
      return { role: 'tool', tool_call_id: message.toolCallId, content: message.content };
    case 'assistant': {
      const toolCalls = message.toolCalls ?? [];
      if (toolCalls.length === 0) return { role: 'assistant', content: message.content };
      return {
        role: 'assistant',
        content: message.content === '' ? null : message.content,
        tool_calls: toolCalls.map((call) => ({
          id: call.id,
          type: 'function',
          function: { name: call.name, arguments: call.arguments },
        })),
      };
    }
  }
}
