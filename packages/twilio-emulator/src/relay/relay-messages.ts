import * as z from 'zod';

const languageCode = z.string().regex(/^([a-z]{2,3}(-[A-Za-z0-9]{2,8})*|multi)$/, 'a BCP-47 code');

const relayMessageSchema = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('text'),
    token: z.string(),
    last: z.boolean().default(false),
    lang: languageCode.optional(),
    interruptible: z.boolean().optional(),
    preemptible: z.boolean().optional(),
  }),
  z.object({
    type: z.literal('play'),
    source: z.url({ protocol: /^https?$/ }),
    loop: z.number().int().min(0).max(1000).default(1),
    interruptible: z.boolean().optional(),
    preemptible: z.boolean().default(false),
  }),
  z.object({
    type: z.literal('sendDigits'),
    digits: z.string().regex(/^[0-9w#*]+$/, 'only 0-9, w, # and *'),
  }),
  z
    .object({
      type: z.literal('language'),
      ttsLanguage: languageCode.optional(),
      transcriptionLanguage: languageCode.optional(),
    })
    .refine((message) => message.ttsLanguage !== undefined || message.transcriptionLanguage !== undefined, {
      message: 'ttsLanguage or transcriptionLanguage is needed',
    }),
  z.object({ type: z.literal('end'), handoffData: z.string().optional() }),
]);

/** A message an application may send on the relay socket. */
export type RelayMessage = z.output<typeof relayMessageSchema>;

/** Reads a frame from the application: the message, or what is wrong with it. */
export function readRelayMessage(frame: string): RelayMessage | { fault: string } {
  let value: unknown;
  try {
    value = JSON.parse(frame);
  } catch {
    return { fault: 'the message is not JSON' };
  }
  const parsed = relayMessageSchema.safeParse(value);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  return { fault: `${issue?.path.join('.') || 'message'}: ${issue?.message ?? 'invalid'}` };
}
