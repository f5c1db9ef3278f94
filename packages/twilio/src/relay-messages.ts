import * as z from 'zod';

const switchState = z.enum(['on', 'off']);

/**
 * What ConversationRelay sends, as far as we read it.
 * https://www.twilio.com/docs/voice/conversationrelay/websocket-messages
 */
const relayMessage = z.discriminatedUnion('type', [
  z.object({ type: z.literal('setup'), callSid: z.string().min(1), sessionId: z.string() }),
  z.object({
    type: z.literal('prompt'),
    voicePrompt: z.string(),
    lang: z.string().nullish(),
    last: z.boolean().nullish(),
  }),
  z.object({ type: z.literal('dtmf'), digit: z.string().min(1) }),
  z.object({
    type: z.literal('interrupt'),
    utteranceUntilInterrupt: z.string().nullish(),
    // A string in older versions of the protocol.
    durationUntilInterruptMs: z.coerce.number().catch(0),
  }),
  z.discriminatedUnion('name', [
    z.object({ type: z.literal('info'), name: z.literal('tokensPlayed'), value: z.string() }),
    z.object({ type: z.literal('info'), name: z.literal('agentSpeaking'), value: switchState }),
    z.object({ type: z.literal('info'), name: z.literal('clientSpeaking'), value: switchState }),
  ]),
  z.object({ type: z.literal('error'), description: z.string().nullish() }),
]);

export type RelayMessage = z.infer<typeof relayMessage>;

/** `null` for a frame that is not JSON, of an unknown type, or incomplete. */
export function parseRelayMessage(frame: string): RelayMessage | null {
  try {
    return relayMessage.safeParse(JSON.parse(frame)).data ?? null;
  } catch {
    return null;
  }
}

/** What we send to ConversationRelay. */
export type RelayCommand =
  | {
      readonly type: 'text';
      readonly token: string;
      readonly last: boolean;
      readonly interruptible: boolean;
    }
  | { readonly type: 'language'; readonly ttsLanguage: string; readonly transcriptionLanguage?: string }
  | { readonly type: 'sendDigits'; readonly digits: string }
  | { readonly type: 'end' };
