import * as z from 'zod';

/**
 * What a bidirectional Media Stream sends besides sound, as far as we read it.
 * https://www.twilio.com/docs/voice/media-streams/websocket-messages
 */
const mediaMessage = z.discriminatedUnion('event', [
  z.object({
    event: z.literal('start'),
    // Goes back unquoted into every message.
    streamSid: z.string().regex(/^\w{1,64}$/),
    start: z.object({ callSid: z.string().min(1) }),
  }),
  z.object({ event: z.literal('dtmf'), dtmf: z.object({ digit: z.string().min(1) }) }),
  z.object({ event: z.literal('mark'), mark: z.object({ name: z.string() }) }),
]);

export type MediaMessage = z.infer<typeof mediaMessage>;

/** Marks come as often as we send sound, so as a rule they are not parsed either. */
const markPattern = /^\{"event":"mark",[^{}]*"mark":\{"name":"([^"\\]*)"\}[^{}]*\}$/;

/** `null` for a frame that is not JSON, of another type, or incomplete. */
export function parseMediaMessage(text: string): MediaMessage | null {
  const name = markPattern.exec(text)?.[1];
  if (name !== undefined) return { event: 'mark', mark: { name } };
  try {
    return mediaMessage.safeParse(JSON.parse(text)).data ?? null;
  } catch {
    return null;
  }
}

/** Sound of the callee: base64 µ-law, at this point of the stream. */
export interface MediaFrame {
  readonly payload: string;
  readonly timestampMs: number;
}

const mediaFrame = z.object({
  event: z.literal('media'),
  media: z.object({ payload: z.base64(), timestamp: z.coerce.number() }),
});
const timestampKey = '"timestamp":"';
const payloadKey = '"payload":"';

/**
 * The sound in a `media` message; `null` when it is another message. Fifty come a second and call, so as a rule they are
 * cut out of the text, which is what `JSON.parse` would find there: base64 and digits hold nothing to unescape.
 */
export function mediaFrameOf(text: string): MediaFrame | null {
  if (!text.startsWith('{"event":"media"')) return text.includes('"media"') ? parsedFrameOf(text) : null;
  const timestamp = textAt(text, timestampKey);
  const payload = textAt(text, payloadKey);
  if (timestamp === null || payload === null || !/^\d+$/.test(timestamp)) return parsedFrameOf(text);
  return { payload, timestampMs: Number(timestamp) };
}

function textAt(text: string, key: string): string | null {
  const start = text.indexOf(key) + key.length;
  const end = text.indexOf('"', start);
  return start < key.length || end < 0 ? null : text.slice(start, end);
}

function parsedFrameOf(text: string): MediaFrame | null {
  try {
    const { data } = mediaFrame.safeParse(JSON.parse(text));
    return data ? { payload: data.media.payload, timestampMs: data.media.timestamp } : null;
  } catch {
    return null;
  }
}
