import * as z from 'zod';
import { metadata, refusedParameter } from '../request-validation.ts';
import { clientItem, responseInput } from './items.ts';
import {
  functionTools,
  maxOutputTokens,
  outputModalities,
  reasoning,
  responseOutput,
  toolChoice,
} from './session-schema.ts';

const event_id = z.string().max(512).optional();

/** The `response` of a `response.create`. What it names holds for this response only. */
export const responseSettings = z.strictObject({
  instructions: z.string().optional(),
  output_modalities: outputModalities.optional(),
  tools: functionTools.optional(),
  tool_choice: toolChoice.optional(),
  parallel_tool_calls: z.boolean().optional(),
  audio: z.strictObject({ output: responseOutput.optional() }).optional(),
  max_output_tokens: maxOutputTokens.optional(),
  metadata,
  conversation: z.enum(['auto', 'none']).optional(),
  input: responseInput.optional(),
  reasoning: reasoning.optional(),
  prompt: refusedParameter("Unsupported parameter: 'response.prompt' is not supported by the emulator."),
});
export type ResponseSettings = z.output<typeof responseSettings>;

/** What a client may send. */
export const clientEvent = z.discriminatedUnion('type', [
  // Checked against what the session is set to, when it is merged.
  z.strictObject({ type: z.literal('session.update'), session: z.unknown(), event_id }),
  z.strictObject({ type: z.literal('input_audio_buffer.append'), audio: z.string(), event_id }),
  z.strictObject({ type: z.literal('input_audio_buffer.commit'), event_id }),
  z.strictObject({ type: z.literal('input_audio_buffer.clear'), event_id }),
  z.strictObject({
    type: z.literal('conversation.item.create'),
    item: clientItem,
    previous_item_id: z.string().nullish(),
    event_id,
  }),
  z.strictObject({
    type: z.literal('conversation.item.truncate'),
    item_id: z.string(),
    content_index: z.literal(0),
    audio_end_ms: z.int().min(0),
    event_id,
  }),
  z.strictObject({ type: z.literal('conversation.item.delete'), item_id: z.string(), event_id }),
  z.strictObject({ type: z.literal('conversation.item.retrieve'), item_id: z.string(), event_id }),
  z.strictObject({ type: z.literal('response.create'), response: responseSettings.nullish(), event_id }),
  z.strictObject({ type: z.literal('response.cancel'), response_id: z.string().optional(), event_id }),
]);
export type ClientEvent = z.output<typeof clientEvent>;
export type ClientEventOf<Type extends ClientEvent['type']> = Extract<ClientEvent, { type: Type }>;
