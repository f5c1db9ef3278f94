import {
  type Logger,
  type SpeechModel,
  type SpeechSessionRequest,
  safeLogger,
  silentLogger,
} from '@callkite/core';
import type {
  RealtimeAudioInputTurnDetection,
  RealtimeReasoningEffort,
  RealtimeSessionCreateRequest,
} from 'openai/resources/realtime/realtime';
import { strictJsonSchema } from '../strict-schema.ts';
import { socketOptions } from './model-socket.ts';
import { RealtimeSession } from './realtime-session.ts';
import { voiceOf } from './voice.ts';

/** More than a minute of speech and its words: nobody listens to a longer turn. */
const maximumTokensOfResponse = 2_000;

/** How the server notices that the callee has finished. */
export type TurnDetection =
  /** By silence: quick and predictable. */
  | {
      readonly type: 'server_vad';
      /** From 0 to 1: how loud speech has to be. @default 0.5 */
      readonly threshold?: number | undefined;
      /** Sound before the speech that is listened to as well, in milliseconds. @default 300 */
      readonly prefixPaddingMs?: number | undefined;
      /** Silence that ends a turn, in milliseconds. @default 500 */
      readonly silenceMs?: number | undefined;
    }
  /** By what was said: waits for who is still thinking, up to 8, 4 or 2 s. */
  | { readonly type: 'semantic_vad'; readonly eagerness?: 'low' | 'medium' | 'high' | 'auto' | undefined };

export interface OpenAiRealtimeOptions {
  apiKey: string;
  /** The HTTP API, up to `/v1`; `https` becomes `wss`, `http` `ws`. @default 'https://api.openai.com/v1' */
  baseURL?: string | undefined;
  /** @default 'gpt-realtime-2.1' */
  model?: string | undefined;
  /** Voice where a session asks for none: a name, or the id of a custom voice (`voice_…`). @default 'marin' */
  voice?: string | undefined;
  /** Writes down what the callee says; what the model itself hears is independent of it. @default 'gpt-transcribe' */
  transcriptionModel?: string | undefined;
  /** @default { type: 'server_vad' } */
  turnDetection?: TurnDetection | undefined;
  /**
   * Cleans what the model hears: `near_field` for handsets and headsets, `far_field` for speakerphones and cars.
   * `null` leaves it to the carrier. @default 'near_field'
   */
  noiseReduction?: 'near_field' | 'far_field' | null | undefined;
  /** How long the model thinks before it speaks, where it can; `null` leaves it to the model. @default null */
  reasoningEffort?: RealtimeReasoningEffort | null | undefined;
  /** Longest wait until a session takes sound, in milliseconds. @default 10000 */
  connectTimeoutMs?: number | undefined;
  /** Longest wait for the words of a turn after its end, in milliseconds. @default 10000 */
  transcriptionTimeoutMs?: number | undefined;
  /** Time between pings, in milliseconds; a session that is silent for two of them is given up. @default 5000 */
  keepAliveMs?: number | undefined;
  /** @default no log */
  logger?: Logger | undefined;
}

/**
 * Speech models of OpenAI's Realtime API.
 * https://platform.openai.com/docs/guides/realtime-websocket
 *
 * The model takes turns by itself: it answers the callee, and stops when the callee speaks, for which it tells
 * `callee-speaking` and `response-ended` as `interrupted`. It does not know how much of its sound was played: the caller
 * clears what is left to play, and reports that with `heardOnly` for every utterance not heard to its end.
 */
export function openAiRealtime(options: OpenAiRealtimeOptions): SpeechModel {
  const socket = socketOptions(options, 'realtime');
  socket.url.searchParams.set('model', options.model ?? 'gpt-realtime-2.1');
  const turnDetection = turnDetectionOf(options.turnDetection ?? { type: 'server_vad' });
  const settings = {
    socket,
    turnDetection,
    transcriptionTimeoutMs: options.transcriptionTimeoutMs ?? 10_000,
    logger: safeLogger(options.logger ?? silentLogger),
  };
  return {
    open: (request) =>
      new RealtimeSession(
        { ...settings, configuration: configurationOf(options, turnDetection, request) },
        request,
      ),
  };
}

function configurationOf(
  options: OpenAiRealtimeOptions,
  turnDetection: RealtimeAudioInputTurnDetection,
  request: SpeechSessionRequest,
): RealtimeSessionCreateRequest {
  const noiseReduction = options.noiseReduction === undefined ? 'near_field' : options.noiseReduction;
  return {
    type: 'realtime',
    output_modalities: ['audio'],
    max_output_tokens: maximumTokensOfResponse,
    audio: {
      input: {
        format: { type: 'audio/pcmu' },
        ...(noiseReduction !== null && { noise_reduction: { type: noiseReduction } }),
        transcription: {
          model: options.transcriptionModel ?? 'gpt-transcribe',
          ...languageOf(request.language),
          ...(request.hints.length > 0 && { prompt: `Words that may come up: ${request.hints.join(', ')}.` }),
        },
        turn_detection: turnDetection,
      },
      output: {
        format: { type: 'audio/pcmu' },
        voice: voiceOf(request.voice ?? options.voice),
      },
    },
    tools: request.tools.map(({ name, description, input }) => ({
      type: 'function',
      name,
      description,
      parameters: strictJsonSchema(input),
    })),
    tool_choice: 'auto',
    ...(options.reasoningEffort && { reasoning: { effort: options.reasoningEffort } }),
  };
}

function turnDetectionOf(detection: TurnDetection): RealtimeAudioInputTurnDetection {
  const takesTurns = { create_response: true, interrupt_response: true };
  if (detection.type === 'semantic_vad') {
    return { type: 'semantic_vad', eagerness: detection.eagerness ?? 'auto', ...takesTurns };
  }
  return {
    type: 'server_vad',
    threshold: detection.threshold ?? 0.5,
    prefix_padding_ms: detection.prefixPaddingMs ?? 300,
    silence_duration_ms: detection.silenceMs ?? 500,
    ...takesTurns,
  };
}

/** Transcription takes ISO 639-1, the two-letter languages, only. */
function languageOf(tag: string | null): { language?: string } {
  const [language = ''] = (tag ?? '').toLowerCase().split('-');
  return /^[a-z]{2}$/.test(language) ? { language } : {};
}
