import * as z from 'zod';
import { identifier } from '../request-validation.ts';

const base = {
  id: z.exactOptional(z.string().min(1).max(64)),
  object: z.exactOptional(z.literal('realtime.item')),
  status: z.exactOptional(z.enum(['completed', 'incomplete', 'in_progress'])),
};
const inputText = z.strictObject({ type: z.literal('input_text'), text: z.string() });
const inputAudio = z.strictObject({
  type: z.literal('input_audio'),
  audio: z.base64().min(4),
  transcript: z.string().nullish(),
});

const message = z.discriminatedUnion('role', [
  z.strictObject({
    type: z.literal('message'),
    role: z.literal('system'),
    content: z.array(inputText).min(1),
    ...base,
  }),
  z.strictObject({
    type: z.literal('message'),
    role: z.literal('user'),
    content: z.array(z.discriminatedUnion('type', [inputText, inputAudio])).min(1),
    ...base,
  }),
  z.strictObject({
    type: z.literal('message'),
    role: z.literal('assistant'),
    // Spoken answers cannot be put into a conversation, only written ones.
    content: z.array(z.strictObject({ type: z.literal('output_text'), text: z.string() })).min(1),
    ...base,
  }),
]);

/** An item that a client adds to a conversation. Images and MCP items are not emulated. */
export const clientItem = z.discriminatedUnion('type', [
  message,
  z.strictObject({
    type: z.literal('function_call'),
    name: identifier,
    arguments: z.string(),
    call_id: z.exactOptional(z.string().min(1).max(64)),
    ...base,
  }),
  z.strictObject({
    type: z.literal('function_call_output'),
    call_id: z.string().min(1),
    output: z.string(),
    ...base,
  }),
]);
export type ClientItem = z.output<typeof clientItem>;

/** An item of the input of a single response: also a reference to one of the conversation. */
export const responseInput = z.array(
  z.union([z.strictObject({ type: z.literal('item_reference'), id: z.string().min(1) }), clientItem]),
);

type Status = 'completed' | 'incomplete' | 'in_progress';

/** A piece of a message as events show it: without the sound. */
export type ContentPart =
  | { type: 'input_text' | 'output_text'; text: string }
  | { type: 'input_audio' | 'output_audio'; transcript: string | null };

/** An item as events show it. */
export type Item = { id: string; object: 'realtime.item'; status: Status } & (
  | { type: 'message'; role: 'system' | 'user' | 'assistant'; content: ContentPart[] }
  | { type: 'function_call'; name: string; arguments: string; call_id: string }
  | { type: 'function_call_output'; call_id: string; output: string }
);
