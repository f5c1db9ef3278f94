import * as z from 'zod';
import { ApiError } from '../api-error.ts';
import type { ToolChoice, ToolDefinition } from '../model/dialogue.ts';
import { parseRequest, readToolChoice, readTools } from '../request-validation.ts';
import type { Detection } from '../speech/ear.ts';
import {
  type AudioFormat,
  type functionTools,
  type inputSettings,
  type outputSettings,
  type responseOutput,
  type SessionUpdate,
  sessionUpdate,
  type TurnDetection,
  type toolChoice,
  turnDetection,
} from './session-schema.ts';

/** Silence after which `semantic_vad` takes a turn for finished. A stand-in: the real one listens to the meaning. */
const SEMANTIC_SILENCE_MS = { low: 1500, medium: 800, auto: 800, high: 400 };

/** What a session is set to. */
export type SessionSettings = Required<
  Omit<SessionUpdate, 'audio' | 'prompt' | 'reasoning' | 'parallel_tool_calls'>
> &
  Pick<SessionUpdate, 'reasoning' | 'parallel_tool_calls'> & {
    audio: {
      input: Required<z.output<typeof inputSettings>>;
      output: Required<z.output<typeof outputSettings>>;
    };
  };

/** What a new session is set to. */
export function defaultSettings(model: string): SessionSettings {
  const format = { type: 'audio/pcm', rate: 24_000 } as const;
  return {
    type: 'realtime',
    model,
    instructions: '',
    output_modalities: ['audio'],
    audio: {
      input: {
        format,
        noise_reduction: null,
        transcription: null,
        turn_detection: turnDetection.parse({ type: 'server_vad' }),
      },
      output: { format, voice: 'alloy', speed: 1 },
    },
    tools: [],
    tool_choice: 'auto',
    max_output_tokens: 'inf',
    truncation: 'auto',
    tracing: null,
    include: null,
  };
}

/** What of the session forbids some changes. */
export interface SessionProgress {
  hasSpoken: boolean;
  isResponding: boolean;
}

function same(left: unknown, right: unknown): boolean {
  return JSON.stringify(left) === JSON.stringify(right);
}

/** @throws ApiError 400 `emulator_unsupported` */
export function assertSpokenFormat(format: AudioFormat, param: string): void {
  if (format.type === 'audio/pcmu') return;
  throw new ApiError(
    `The emulator does not speak '${format.type}': set '${param}' to { "type": "audio/pcmu" } before any sound is sent.`,
    { param, code: 'emulator_unsupported' },
  );
}

/** @throws ApiError 400 when another voice is wanted than the one heard before */
export function assertVoiceKept(
  current: SessionSettings['audio']['output'],
  wanted: z.output<typeof responseOutput>['voice'],
  param: string,
): void {
  if (wanted === undefined || same(wanted, current.voice)) return;
  throw new ApiError("Cannot update a conversation's voice if assistant audio is present.", {
    param,
    code: 'cannot_update_voice',
  });
}

/** Checks tools and the choice among them. @throws ApiError 400 */
export function readFunctionTools(
  tools: z.output<typeof functionTools>,
  choice: z.output<typeof toolChoice>,
  param: string,
): { tools: ToolDefinition[]; toolChoice: ToolChoice } {
  const definitions = readTools(tools, (index) => `${param}.tools[${index}].parameters`);
  return { tools: definitions, toolChoice: readToolChoice(choice, definitions) };
}

/** Merges an update into the settings, as far as it is allowed now. @throws ApiError 400 */
export function updatedSettings(
  current: SessionSettings,
  raw: unknown,
  progress: SessionProgress,
): SessionSettings {
  const { session } = parseRequest(z.object({ session: sessionUpdate }), { session: raw });
  const { audio, prompt: _refused, ...rest } = session;
  if (rest.model !== undefined && rest.model !== current.model) {
    throw new ApiError('The model of a session cannot be changed: open a session with the other model.', {
      param: 'session.model',
      code: 'cannot_update_model',
    });
  }
  // There is one format that is spoken, so that none can be changed once it was used.
  if (audio?.input?.format) assertSpokenFormat(audio.input.format, 'session.audio.input.format');
  if (audio?.output?.format) assertSpokenFormat(audio.output.format, 'session.audio.output.format');
  if (progress.hasSpoken) {
    assertVoiceKept(current.audio.output, audio?.output?.voice, 'session.audio.output.voice');
  }
  if (
    audio?.output?.speed !== undefined &&
    audio.output.speed !== current.audio.output.speed &&
    progress.isResponding
  ) {
    throw new ApiError('The speed can only be changed between responses.', {
      param: 'session.audio.output.speed',
      code: 'cannot_update_speed',
    });
  }
  const merged: SessionSettings = {
    ...current,
    ...rest,
    audio: {
      input: { ...current.audio.input, ...audio?.input },
      output: { ...current.audio.output, ...audio?.output },
    },
  };
  readFunctionTools(merged.tools, merged.tool_choice, 'session');
  return merged;
}

/** What an ear needs of the detection of turns. */
export function detectionOf(detection: TurnDetection | null): Detection | undefined {
  if (!detection) return undefined;
  if (detection.type === 'semantic_vad') {
    return { threshold: 0.5, prefixPaddingMs: 300, silenceMs: SEMANTIC_SILENCE_MS[detection.eagerness] };
  }
  return {
    threshold: detection.threshold,
    prefixPaddingMs: detection.prefix_padding_ms,
    silenceMs: detection.silence_duration_ms,
  };
}
