import type { JsonSchema } from '../json-schema.ts';

/** One earlier message, the same whichever endpoint it came through. */
export type Turn =
  | { role: 'user'; text: string }
  | { role: 'assistant'; text: string; toolCalls: { id: string; name: string; arguments: string }[] }
  | { role: 'tool'; callId: string; text: string };

export interface ToolDefinition {
  name: string;
  description: string;
  parameters: JsonSchema;
  strict: boolean;
}

export type ToolChoice = { kind: 'auto' | 'none' | 'required' } | { kind: 'named'; name: string };

export type OutputFormat =
  | { kind: 'text' }
  | { kind: 'json_object' }
  | { kind: 'json_schema'; name: string; schema: JsonSchema; strict: boolean };

/** What the model is asked, freed from the shape of the endpoint. */
export interface ModelRequest {
  /** All system and developer texts, in order. */
  instructions: string;
  turns: Turn[];
  tools: ToolDefinition[];
  toolChoice: ToolChoice;
  parallelToolCalls: boolean;
  output: OutputFormat;
}

/** What the model says: text, tool calls, or text followed by tool calls. */
export interface ModelAnswer {
  text: string | null;
  toolCalls: { name: string; arguments: Record<string, unknown> }[];
}
