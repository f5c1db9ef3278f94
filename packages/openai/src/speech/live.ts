import {
  type Logger,
  type SpeechModel,
  type SpeechSessionRequest,
  safeLogger,
  silentLogger,
} from '@callkite/core';
import type { ReasoningEffort } from '../chat-request.ts';
import { strictJsonSchema } from '../strict-schema.ts';
import type { LiveConfiguration } from './live-events.ts';
import { LiveSession } from './live-session.ts';
import { socketOptions } from './model-socket.ts';
import { voiceOf } from './voice.ts';

/** The most that a session begins with. */
const MAXIMUM_HISTORY = 128;

export interface OpenAiLiveOptions {
  apiKey: string;
  /** The HTTP API, up to `/v1`; `https` becomes `wss`, `http` `ws`. @default 'https://api.openai.com/v1' */
  baseURL?: string | undefined;
  /** Model that hears and speaks. @default 'gpt-live-1' */
  model?: string | undefined;
  /** Voice where a session asks for none: a name, or the id of a custom voice (`voice_…`). @default 'marin' */
  voice?: string | undefined;
  /** Text model that the speaking one turns to, and that uses the tools. @default 'gpt-6-luna' */
  delegateModel?: string | undefined;
  /** How long that one thinks; `null` leaves it to the model. @default 'none' */
  delegateReasoningEffort?: ReasoningEffort | null | undefined;
  /** Silence that separates utterances and turns, which the API does not do, in milliseconds. @default 800 */
  pauseMs?: number | undefined;
  /** Longest wait until a session takes sound, in milliseconds. @default 10000 */
  connectTimeoutMs?: number | undefined;
  /** Time between pings, in milliseconds; a session that is silent for two of them is given up. @default 5000 */
  keepAliveMs?: number | undefined;
  /** @default no log */
  logger?: Logger | undefined;
}

/**
 * Speech models of OpenAI's Live API, which hear and speak at once.
 * https://developers.openai.com/api/docs/guides/live
 *
 * They tell less than the Realtime API, and can be told less:
 *
 * - Utterances and turns are cut at pauses. `callee-speaking` is never told: the model stops by itself when it is
 *   interrupted, and nothing tells when that happened.
 * - `stop` only drops words that wait, and `heardOnly` does nothing.
 * - `say` asks for exact words, which the API does not guarantee. `tell` and `say` take at most 500 tokens.
 * - Tools are used by a text model that the speaking one turns to; both have the same instructions, of which `instruct`
 *   replaces that model's.
 */
export function openAiLive(options: OpenAiLiveOptions): SpeechModel {
  const socket = socketOptions(options, 'live/sessions');
  const settings = {
    socket,
    pauseMs: options.pauseMs ?? 800,
    logger: safeLogger(options.logger ?? silentLogger),
  };
  return {
    open: (request) =>
      new LiveSession({ ...settings, configuration: configurationOf(options, request) }, request),
  };
}

function configurationOf(options: OpenAiLiveOptions, request: SpeechSessionRequest): LiveConfiguration {
  const effort = options.delegateReasoningEffort === undefined ? 'none' : options.delegateReasoningEffort;
  const messages = request.history.flatMap((message) =>
    message.role === 'tool' || message.content === '' ? [] : [message],
  );
  return {
    model: options.model ?? 'gpt-live-1',
    instructions: request.instructions,
    audio: {
      format: { type: 'audio/pcmu', rate: 8000 },
      output: { voice: voiceOf(request.voice ?? options.voice) },
    },
    delegation: {
      type: 'responses',
      responses: {
        model: options.delegateModel ?? 'gpt-6-luna',
        instructions: request.instructions,
        ...(effort !== null && { reasoning: { effort } }),
        tools: request.tools.map(({ name, description, input }) => ({
          type: 'function',
          name,
          description,
          parameters: strictJsonSchema(input),
          strict: true,
        })),
      },
    },
    input: messages.slice(-MAXIMUM_HISTORY).map(({ role, content: text }) => ({
      type: 'message',
      role,
      content: [{ type: role === 'user' ? 'input_text' : 'output_text', text }],
    })),
  };
}
