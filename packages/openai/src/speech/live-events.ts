import * as z from 'zod';

const transcriptDelta = { delta: z.string(), start_ms: z.number(), end_ms: z.number() };
const delegatedItem = z.object({
  type: z.literal('function_call'),
  call_id: z.string(),
  name: z.string(),
  arguments: z.string(),
  status: z.string().nullish(),
});

/** What the Live API sends, as far as we read it: the types of version 7.55 of OpenAI's package for Node. */
const liveEvent = z.discriminatedUnion('type', [
  z.object({ type: z.literal('session.started') }),
  z.object({ type: z.literal('session.output_audio.delta'), delta: z.string() }),
  z.object({ type: z.literal('session.input_transcript.delta'), ...transcriptDelta }),
  z.object({ type: z.literal('session.output_transcript.delta'), ...transcriptDelta }),
  z.object({
    type: z.literal('response.event'),
    delegation_id: z.string().nullish(),
    event: z.discriminatedUnion('type', [
      z.object({ type: z.literal('response.created') }),
      z.object({ type: z.literal('response.output_item.done'), item: delegatedItem }),
      z.object({ type: z.literal('response.completed') }),
      z.object({ type: z.literal('response.failed') }),
      z.object({ type: z.literal('response.incomplete') }),
    ]),
  }),
  z.object({ type: z.literal('session.closed'), reason: z.string() }),
  z.object({
    type: z.literal('error'),
    error: z.object({
      code: z.string().nullish(),
      type: z.string().nullish(),
      client_event_id: z.string().nullish(),
    }),
  }),
]);

export type LiveEvent = z.infer<typeof liveEvent>;
export type LiveEventOf<Type extends LiveEvent['type']> = Extract<LiveEvent, { type: Type }>;

/** `null` for a frame that is not JSON, of an unknown type, or incomplete. */
export function parseLiveEvent(frame: Buffer): LiveEvent | null {
  try {
    return liveEvent.safeParse(JSON.parse(frame.toString())).data ?? null;
  } catch {
    return null;
  }
}

interface Message {
  readonly type: 'message';
  readonly role: 'user' | 'assistant';
  readonly content: readonly [{ readonly type: 'input_text' | 'output_text'; readonly text: string }];
}

/** Who is asked for what takes thought, and what it may do. */
export interface LiveDelegation {
  readonly type: 'responses';
  readonly responses: {
    readonly model?: string;
    readonly instructions?: string;
    readonly reasoning?: { readonly effort: string };
    readonly tools?: readonly object[];
  };
}

export interface LiveConfiguration {
  readonly model: string;
  readonly instructions: string;
  readonly audio: {
    readonly format: { readonly type: 'audio/pcmu'; readonly rate: 8000 };
    readonly output: { readonly voice: string | { readonly id: string } };
  };
  readonly delegation: LiveDelegation;
  readonly input?: readonly Message[];
}

/** What we send to the Live API, besides sound. */
export type LiveCommand =
  | { readonly type: 'session.start'; readonly session: LiveConfiguration }
  | { readonly type: 'session.update'; readonly session: { readonly delegation: LiveDelegation } }
  | {
      /** What is to be spoken of; what only is to be known; what is to be done. */
      readonly type: 'session.commentary.append' | 'session.thinking.append' | 'session.instructions.append';
      readonly event_id?: string;
      /** Required; belongs to the application's own delegations, which we have none of. */
      readonly delegation_id: null;
      readonly content: string;
    }
  | {
      readonly type: 'response.item.create';
      readonly item: {
        readonly type: 'function_call_output';
        readonly call_id: string;
        readonly output: string;
      };
    }
  | { readonly type: 'response.create' }
  | { readonly type: 'session.close' };
