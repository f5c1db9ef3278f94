import * as z from 'zod';

const item = z.discriminatedUnion('type', [
  z.object({ type: z.literal('message'), id: z.string() }),
  z.object({
    type: z.literal('function_call'),
    call_id: z.string(),
    name: z.string(),
    arguments: z.string(),
    status: z.string().nullish(),
  }),
]);

const serverError = z.object({
  type: z.string().nullish(),
  code: z.string().nullish(),
  event_id: z.string().nullish(),
});

/**
 * What the Realtime API sends, as far as we read it.
 * https://platform.openai.com/docs/api-reference/realtime-server-events
 */
const realtimeEvent = z.discriminatedUnion('type', [
  z.object({ type: z.literal('session.created') }),
  z.object({
    type: z.literal('session.updated'),
    session: z.object({
      audio: z
        .object({
          input: z.object({ turn_detection: z.object({ create_response: z.boolean().nullish() }).nullish() }),
        })
        .nullish(),
    }),
  }),
  z.object({ type: z.literal('input_audio_buffer.speech_started'), item_id: z.string() }),
  z.object({ type: z.literal('input_audio_buffer.speech_stopped'), item_id: z.string() }),
  z.object({ type: z.literal('input_audio_buffer.committed'), item_id: z.string() }),
  z.object({
    type: z.literal('conversation.item.input_audio_transcription.completed'),
    item_id: z.string(),
    transcript: z.string(),
  }),
  z.object({ type: z.literal('conversation.item.input_audio_transcription.failed'), item_id: z.string() }),
  z.object({
    type: z.literal('response.created'),
    response: z.object({ id: z.string(), metadata: z.object({ request: z.string().nullish() }).nullish() }),
  }),
  z.object({
    type: z.literal('response.output_audio.delta'),
    response_id: z.string(),
    item_id: z.string(),
    delta: z.string(),
  }),
  z.object({
    type: z.literal('response.output_audio_transcript.delta'),
    response_id: z.string(),
    item_id: z.string(),
    delta: z.string(),
  }),
  z.object({ type: z.literal('response.output_item.done'), response_id: z.string(), item }),
  z.object({
    type: z.literal('response.done'),
    response: z.object({
      id: z.string(),
      status: z.string(),
      status_details: z.object({ reason: z.string().nullish(), error: serverError.nullish() }).nullish(),
    }),
  }),
  z.object({ type: z.literal('error'), error: serverError }),
]);

export type RealtimeEvent = z.infer<typeof realtimeEvent>;
export type RealtimeErrorDetails = z.infer<typeof serverError>;

/** `null` for a frame that is not JSON, of an unknown type, or incomplete. */
export function parseRealtimeEvent(frame: Buffer): RealtimeEvent | null {
  try {
    return realtimeEvent.safeParse(JSON.parse(frame.toString())).data ?? null;
  } catch {
    return null;
  }
}
