import * as z from 'zod';
import { refusedParameter } from '../request-validation.ts';
import { estimateTokens } from '../tokens.ts';

const VOICES = [
  ...[
    'alloy',
    'ash',
    'ballad',
    'coral',
    'echo',
    'sage',
    'shimmer',
    'verse',
    'marin',
    'cedar',
    'beacon',
    'bossa',
  ],
  ...[
    'cinder',
    'delta',
    'gleam',
    'meridian',
    'quartz',
    'ripple',
    'shida',
    'stone',
    'tempo',
    'vesper',
    'willow',
  ],
];
const MAX_INPUT_MESSAGES = 128;
const MAX_CONTENT_TOKENS = 500;

const event_id = z.string().nullish();

const audioFormat = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('audio/pcmu'), rate: z.literal(8000) }),
  z.strictObject({ type: z.literal('audio/pcma'), rate: z.literal(8000) }),
  z.strictObject({ type: z.literal('audio/pcm'), rate: z.literal([16_000, 24_000]) }),
]);

const itemHead = { id: z.string().nullish(), status: z.enum(['incomplete', 'completed']).nullish() };
const heardPart = z.strictObject({ type: z.literal('input_text').default('input_text'), text: z.string() });
const saidPart = z.strictObject({ type: z.enum(['text', 'output_text']).default('text'), text: z.string() });
const historyMessage = z.discriminatedUnion('role', [
  z.strictObject({
    type: z.literal('message').optional(),
    role: z.enum(['developer', 'user']),
    content: z.tuple([heardPart]),
    ...itemHead,
  }),
  z.strictObject({
    type: z.literal('message').optional(),
    role: z.literal('assistant'),
    content: z.tuple([saidPart]),
    ...itemHead,
  }),
]);

const acknowledgement_delay_ms = z.int().min(0).optional();

/** The backend model of a session; what its fields hold is checked as that of a Responses request. */
const responsesConfig = z.strictObject({
  model: z.string(),
  instructions: z.unknown().optional(),
  max_output_tokens: z.unknown().optional(),
  parallel_tool_calls: z.unknown().optional(),
  reasoning: z.unknown().optional(),
  service_tier: z.unknown().optional(),
  text: z.unknown().optional(),
  tool_choice: z.unknown().optional(),
  tools: z.unknown().optional(),
});
const responsesUpdate = responsesConfig.partial().extend({ model: z.exactOptional(z.string()) });
export type ResponsesConfig = z.output<typeof responsesConfig>;
export type ResponsesUpdate = z.output<typeof responsesUpdate>;

// A third owner of delegated work, the Decisions API, is not emulated.
const delegation = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('client'), acknowledgement_delay_ms }),
  z.strictObject({ type: z.literal('responses'), responses: responsesConfig, acknowledgement_delay_ms }),
]);
const delegationUpdate = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('client'), acknowledgement_delay_ms }),
  z.strictObject({
    type: z.literal('responses'),
    responses: responsesUpdate.optional(),
    acknowledgement_delay_ms,
  }),
]);
const triggers = z.array(z.unknown()).max(0);

/** The `session` of a `session.start`. */
export const sessionConfig = z.strictObject({
  model: z.string(),
  instructions: z.string().nullish(),
  audio: z.strictObject({
    format: audioFormat,
    output: z
      .strictObject({
        voice: z.union([z.enum(VOICES), z.strictObject({ id: z.string().min(1) })]).default('marin'),
      })
      .default({ voice: 'marin' }),
  }),
  delegation: delegation.nullish(),
  input: z.array(historyMessage).max(MAX_INPUT_MESSAGES).default([]),
  store: z.boolean().default(false),
  triggers: triggers.default([]),
  client: refusedParameter("Unsupported parameter: 'session.client' only holds for WebRTC sessions."),
});
export type SessionConfig = z.output<typeof sessionConfig>;

const content = z.string().superRefine((text, refinement) => {
  if (estimateTokens(text.length) <= MAX_CONTENT_TOKENS) return;
  refinement.addIssue({
    code: 'custom',
    message: `Invalid 'content': string too long. Expected at most ${MAX_CONTENT_TOKENS} tokens.`,
    params: { openai: { code: 'string_above_max_length' } },
  });
});
const delegation_id = z.string().nullable();

/** What a client may send. */
export const clientEvent = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('session.start'), session: sessionConfig, event_id }),
  z.strictObject({
    type: z.literal('session.update'),
    // Everything else was settled when the session started.
    session: z.strictObject({ delegation: delegationUpdate.nullish(), triggers: triggers.optional() }),
    event_id,
  }),
  z.strictObject({ type: z.literal('session.input_audio.append'), audio: z.string(), event_id }),
  z.strictObject({ type: z.literal('session.input_audio.mute'), event_id }),
  z.strictObject({ type: z.literal('session.input_audio.unmute'), event_id }),
  z.strictObject({ type: z.literal('session.output_audio.fixture.play'), audio: z.string(), event_id }),
  z.strictObject({ type: z.literal('session.instructions.append'), content, delegation_id, event_id }),
  z.strictObject({ type: z.literal('session.thinking.append'), content, delegation_id, event_id }),
  z.strictObject({ type: z.literal('session.commentary.append'), content, delegation_id, event_id }),
  z.strictObject({
    type: z.literal('response.item.create'),
    item: z.discriminatedUnion('type', [
      z.strictObject({
        type: z.literal('function_call_output'),
        call_id: z.string().min(1),
        output: z.string(),
        ...itemHead,
      }),
      z.strictObject({ type: z.literal('message'), role: z.literal('user'), content: z.string() }),
    ]),
    event_id,
  }),
  z.strictObject({ type: z.literal('response.create'), event_id }),
  z.strictObject({ type: z.literal('session.close'), event_id }),
]);
export type ClientEvent = z.output<typeof clientEvent>;
export type ClientEventOf<Type extends ClientEvent['type']> = Extract<ClientEvent, { type: Type }>;
