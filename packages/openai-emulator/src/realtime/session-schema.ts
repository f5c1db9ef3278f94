import * as z from 'zod';
import { identifier, jsonSchema, reasoningEffort, refusedParameter } from '../request-validation.ts';

const VOICES = [
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
] as const;
const TRANSCRIPTION_MODELS = [
  'gpt-transcribe',
  'gpt-live-transcribe',
  'gpt-realtime-whisper',
  'whisper-1',
  'gpt-4o-transcribe',
  'gpt-4o-transcribe-diarize',
  'gpt-4o-mini-transcribe',
  'gpt-4o-mini-transcribe-2025-12-15',
] as const;
const MAX_OUTPUT_TOKENS = 4096;

const audioFormat = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('audio/pcmu') }),
  z.strictObject({ type: z.literal('audio/pcma') }),
  z.strictObject({ type: z.literal('audio/pcm'), rate: z.literal(24_000).default(24_000) }),
]);
export type AudioFormat = z.output<typeof audioFormat>;

const voice = z.union([z.enum(VOICES), z.strictObject({ id: z.string().min(1) })]);

/** One of two: sound with its transcript, or text. */
export const outputModalities = z.tuple([z.enum(['audio', 'text'])]);

export const maxOutputTokens = z.union([z.literal('inf'), z.number()]).superRefine((value, refinement) => {
  if (value === 'inf' || (Number.isInteger(value) && value >= 1 && value <= MAX_OUTPUT_TOKENS)) return;
  refinement.addIssue({
    code: 'custom',
    message: `Invalid value: ${value}. Expected an integer from 1 to ${MAX_OUTPUT_TOKENS}, or 'inf'.`,
    params: { openai: { code: value < 1 ? 'integer_below_min_value' : 'integer_above_max_value' } },
  });
});

export const functionTools = z.array(
  z.strictObject({
    type: z.literal('function'),
    name: identifier,
    description: z.string().optional(),
    parameters: jsonSchema.optional(),
  }),
);

export const toolChoice = z.union([
  z.enum(['auto', 'none', 'required']),
  z.strictObject({ type: z.literal('function'), name: identifier }),
]);

export const reasoning = z.strictObject({ effort: reasoningEffort });

/** Sound that answers are made of. Only its format and voice may be set for a single response. */
export const responseOutput = z.strictObject({
  format: z.exactOptional(audioFormat),
  voice: z.exactOptional(voice),
});

export const turnDetection = z.discriminatedUnion('type', [
  z.strictObject({
    type: z.literal('server_vad'),
    threshold: z.number().min(0).max(1).default(0.5),
    prefix_padding_ms: z.int().min(0).default(300),
    silence_duration_ms: z.int().min(0).default(500),
    create_response: z.boolean().default(true),
    interrupt_response: z.boolean().default(true),
    idle_timeout_ms: z.int().min(5000).max(30_000).nullable().default(null),
  }),
  z.strictObject({
    type: z.literal('semantic_vad'),
    eagerness: z.enum(['low', 'medium', 'high', 'auto']).default('auto'),
    create_response: z.boolean().default(true),
    interrupt_response: z.boolean().default(true),
  }),
]);
export type TurnDetection = z.output<typeof turnDetection>;

const transcription = z
  .strictObject({
    model: z.enum(TRANSCRIPTION_MODELS),
    language: z.string().min(2).optional(),
    languages: z.array(z.string().min(2)).optional(),
    prompt: z.string().optional(),
    keywords: z.array(z.string()).optional(),
    delay: z.enum(['minimal', 'low', 'medium', 'high', 'xhigh']).optional(),
  })
  .superRefine(({ model, delay, keywords }, refinement) => {
    const refuse = (param: string) =>
      refinement.addIssue({
        code: 'custom',
        path: [param],
        message: `Unsupported parameter: '${param}' is not supported with transcription model '${model}'.`,
        params: { openai: { code: 'unsupported_parameter' } },
      });
    if (delay !== undefined && model !== 'gpt-realtime-whisper') refuse('delay');
    if (keywords !== undefined && model !== 'gpt-transcribe' && model !== 'gpt-live-transcribe')
      refuse('keywords');
  });

const truncation = z.union([
  z.enum(['auto', 'disabled']),
  z.strictObject({
    type: z.literal('retention_ratio'),
    retention_ratio: z.number().min(0).max(1),
    token_limits: z.strictObject({ post_instructions: z.int().min(0).optional() }).optional(),
  }),
]);

export const inputSettings = z.strictObject({
  format: z.exactOptional(audioFormat),
  noise_reduction: z.exactOptional(
    z
      .strictObject({ type: z.enum(['near_field', 'far_field']), strength: z.number().min(0).optional() })
      .nullable(),
  ),
  transcription: z.exactOptional(transcription.nullable()),
  turn_detection: z.exactOptional(turnDetection.nullable()),
});

export const outputSettings = responseOutput.extend({
  speed: z.exactOptional(z.number().min(0.25).max(1.5)),
});

/** The `session` of a `session.update`, as the API takes it: everything but the type may be left out. */
export const sessionUpdate = z.strictObject({
  type: z.literal('realtime'),
  model: z.exactOptional(z.string()),
  instructions: z.exactOptional(z.string()),
  output_modalities: z.exactOptional(outputModalities),
  audio: z.exactOptional(
    z.strictObject({ input: z.exactOptional(inputSettings), output: z.exactOptional(outputSettings) }),
  ),
  tools: z.exactOptional(functionTools),
  tool_choice: z.exactOptional(toolChoice),
  parallel_tool_calls: z.exactOptional(z.boolean()),
  max_output_tokens: z.exactOptional(maxOutputTokens),
  reasoning: z.exactOptional(reasoning),
  truncation: z.exactOptional(truncation),
  tracing: z.exactOptional(z.union([z.literal('auto'), z.record(z.string(), z.unknown())]).nullable()),
  include: z.exactOptional(z.array(z.enum(['item.input_audio_transcription.logprobs'])).nullable()),
  prompt: refusedParameter("Unsupported parameter: 'session.prompt' is not supported by the emulator."),
});
export type SessionUpdate = z.output<typeof sessionUpdate>;
