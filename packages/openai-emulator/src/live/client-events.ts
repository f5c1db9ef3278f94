import * as z from 'zod';
import {
  identifier,
  jsonSchema,
  reasoningEffort,
  refusedParameter,
  serviceTier,
  verbosity,
} from '../request-validation.ts';
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

const historyItem = { id: z.string().nullish(), status: z.enum(['incomplete', 'completed']).nullish() };
const heardPart = z.strictObject({ type: z.literal('input_text').default('input_text'), text: z.string() });
const saidPart = z.strictObject({ type: z.enum(['text', 'output_text']).default('text'), text: z.string() });
const historyMessage = z.discriminatedUnion('role', [
  z.strictObject({
    type: z.literal('message').optional(),
    role: z.enum(['developer', 'user']),
    content: z.tuple([heardPart]),
    ...historyItem,
  }),
  z.strictObject({
    type: z.literal('message').optional(),
    role: z.literal('assistant'),
    content: z.tuple([saidPart]),
    ...historyItem,
  }),
]);

const acknowledgement_delay_ms = z.exactOptional(z.int().min(0));

/** A Responses model that does delegated work. Of its tools, only functions are emulated. */
const responsesSettings = z.strictObject({
  model: z.string(),
  instructions: z.exactOptional(z.string().nullable()),
  max_output_tokens: z.exactOptional(z.int().min(16).nullable()),
  parallel_tool_calls: z.exactOptional(z.boolean().nullable()),
  reasoning: z.exactOptional(
    z.strictObject({ effort: reasoningEffort, summary: z.enum(['concise', 'detailed', 'auto']).nullish() }),
  ),
  service_tier: z.exactOptional(serviceTier),
  text: z.exactOptional(z.strictObject({ verbosity })),
  tool_choice: z.exactOptional(
    z.union([
      z.enum(['auto', 'none', 'required']),
      z.strictObject({ type: z.literal('function'), name: identifier }),
    ]),
  ),
  tools: z.exactOptional(
    z.array(
      z.strictObject({
        type: z.literal('function'),
        name: identifier,
        description: z.string().nullish(),
        parameters: jsonSchema.nullish(),
        strict: z.boolean().nullish(),
      }),
    ),
  ),
});
export type ResponsesSettings = z.output<typeof responsesSettings>;

const clientDelegation = z.strictObject({ type: z.literal('client'), acknowledgement_delay_ms });
const responsesDelegation = z.strictObject({
  type: z.literal('responses'),
  responses: responsesSettings,
  acknowledgement_delay_ms,
});

// Of the three owners of delegated work, the emulator knows all but the Decisions API.
const delegation = z.discriminatedUnion('type', [clientDelegation, responsesDelegation]);
export type Delegation = z.output<typeof delegation>;

const delegationUpdate = z.discriminatedUnion('type', [
  clientDelegation,
  responsesDelegation.extend({
    responses: z.exactOptional(responsesSettings.extend({ model: z.exactOptional(z.string()) })),
  }),
]);
export type DelegationUpdate = z.output<typeof delegationUpdate>;
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
    item: z.strictObject({
      type: z.literal('function_call_output'),
      call_id: z.string().min(1),
      output: z.string(),
      id: z.string().nullish(),
      status: z.enum(['in_progress', 'completed', 'incomplete']).nullish(),
    }),
    event_id,
  }),
  z.strictObject({ type: z.literal('response.create'), event_id }),
  z.strictObject({ type: z.literal('session.close'), event_id }),
]);
export type ClientEvent = z.output<typeof clientEvent>;
export type ClientEventOf<Type extends ClientEvent['type']> = Extract<ClientEvent, { type: Type }>;
