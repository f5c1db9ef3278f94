import * as z from 'zod';

// One character class at a time: a pattern of groups of four overflows the stack on megabytes.
const base64 = z
  .string()
  .regex(/^[A-Za-z0-9+/]*={0,2}$/, 'not base64')
  .refine((text) => text.length % 4 === 0, 'not base64');

const streamMessageSchema = z.discriminatedUnion('event', [
  z.object({ event: z.literal('media'), streamSid: z.string(), media: z.object({ payload: base64 }) }),
  z.object({ event: z.literal('mark'), streamSid: z.string(), mark: z.object({ name: z.string().min(1) }) }),
  z.object({ event: z.literal('clear'), streamSid: z.string() }),
]);

/** A message an application may send on the socket of a stream. */
export type StreamMessage = z.output<typeof streamMessageSchema>;

/** Why a frame from the application is dropped. */
export interface StreamMessageFault {
  code: 31950 | 31951;
  fault: string;
}

/** Reads a frame from the application: the message, or what is wrong with it. */
export function readStreamMessage(
  frame: string,
  isBinary: boolean,
  streamSid: string,
): StreamMessage | StreamMessageFault {
  if (isBinary) return { code: 31950, fault: 'binary frames are not allowed' };
  let value: unknown;
  try {
    value = JSON.parse(frame);
  } catch {
    return { code: 31950, fault: 'the message is not JSON' };
  }
  const parsed = streamMessageSchema.safeParse(value);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    return { code: 31951, fault: `${issue?.path.join('.') || 'message'}: ${issue?.message ?? 'invalid'}` };
  }
  if (parsed.data.streamSid !== streamSid)
    return { code: 31951, fault: 'streamSid is not that of this stream' };
  return parsed.data;
}
