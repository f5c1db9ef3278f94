import type {
  CallkiteError,
  Logger,
  ModelMessage,
  SpeechModelEvent,
  SpeechSession,
  SpeechSessionRequest,
} from '@callkite/core';
import type {
  ConversationItem,
  RealtimeAudioInputTurnDetection,
  RealtimeClientEvent,
  RealtimeSessionCreateRequest,
} from 'openai/resources/realtime/realtime';
import { codeOf, isPermanent, rejected, unavailable } from '../model-failure.ts';
import { audioFrame, audioReader, isPlain } from './audio-frames.ts';
import { CalleeTurns } from './callee-turns.ts';
import { EventDelivery } from './event-delivery.ts';
import { ModelSocket, type ModelSocketOptions } from './model-socket.ts';
import { parseRealtimeEvent, type RealtimeErrorDetails, type RealtimeEvent } from './realtime-events.ts';
import { RealtimeResponses } from './realtime-responses.ts';
import { RealtimeUtterances } from './realtime-utterances.ts';

export interface RealtimeSettings {
  readonly socket: ModelSocketOptions;
  readonly turnDetection: RealtimeAudioInputTurnDetection;
  /** Longest wait for the words of a turn, in milliseconds. */
  readonly transcriptionTimeoutMs: number;
  /** Everything of the session's configuration but the instructions, which may change before it is asked for. */
  readonly configuration: RealtimeSessionCreateRequest;
  readonly logger: Logger;
}

const configurationId = 'configuration';
/** Errors of commands that met an event on its way to us. */
const racingCodes = ['response_cancel_not_active', 'conversation_already_has_active_response'];

const appendFrame = audioFrame('input_audio_buffer.append');
const readSound = audioReader('response.output_audio.delta', ['item_id', 'response_id', 'delta']);

/** One session with the Realtime API. */
export class RealtimeSession implements SpeechSession {
  readonly #settings: RealtimeSettings;
  readonly #history: readonly ModelMessage[];
  readonly #delivery = new EventDelivery();
  readonly #socket: ModelSocket;
  readonly #turns: CalleeTurns;
  readonly #utterances: RealtimeUtterances;
  readonly #responses: RealtimeResponses;
  #instructions: string;
  #isConfigured = false;

  constructor(settings: RealtimeSettings, request: SpeechSessionRequest) {
    const tell = (event: SpeechModelEvent) => this.#delivery.tell(event);
    this.#settings = settings;
    this.#instructions = request.instructions;
    this.#history = request.history;
    this.#turns = new CalleeTurns(settings.transcriptionTimeoutMs, tell);
    this.#utterances = new RealtimeUtterances(tell);
    this.#responses = new RealtimeResponses({
      turnDetection: settings.turnDetection,
      calleeSpeaks: () => this.#turns.calleeSpeaks,
      send: (event) => this.#send(event),
    });
    this.#socket = new ModelSocket(settings.socket, {
      onOpen() {},
      onFrame: (frame) => this.#receive(frame),
      onEnd: (error) => this.#end(error),
    });
  }

  listen(listener: (event: SpeechModelEvent) => void): void {
    this.#delivery.listen(listener);
  }

  hear(audio: string): void {
    if (audio !== '' && isPlain(audio)) this.#socket.send(appendFrame(audio));
  }

  say(text: string): void {
    this.#responses.say(text);
  }

  respond(): void {
    this.#responses.respond();
  }

  stop(): void {
    const stoppedId = this.#responses.stop();
    if (stoppedId !== null) this.#utterances.cutResponse(stoppedId);
  }

  tell(message: ModelMessage): void {
    for (const item of itemsOf(message)) this.#send({ type: 'conversation.item.create', item });
  }

  answerTool(toolCallId: string, output: string): void {
    this.tell({ role: 'tool', toolCallId, content: output });
  }

  heardOnly(utteranceId: string, heardMs: number): void {
    const endMs = this.#utterances.cut(utteranceId, heardMs);
    if (endMs === null) return;
    this.#send({
      type: 'conversation.item.truncate',
      item_id: utteranceId,
      content_index: 0,
      audio_end_ms: endMs,
    });
  }

  instruct(instructions: string): void {
    if (instructions === this.#instructions) return;
    this.#instructions = instructions;
    if (this.#isConfigured)
      this.#send({ type: 'session.update', session: { type: 'realtime', instructions } });
  }

  close(error?: CallkiteError): void {
    this.#socket.close(error);
  }

  #send(event: RealtimeClientEvent): void {
    this.#socket.send(JSON.stringify(event));
  }

  #receive(frame: Buffer): void {
    const sound = readSound(frame);
    if (sound !== null) {
      this.#utterances.sound(sound.item_id, sound.response_id, sound.delta);
      return;
    }
    const event = parseRealtimeEvent(frame);
    if (event !== null) this.#handle(event);
  }

  #handle(event: RealtimeEvent): void {
    switch (event.type) {
      case 'session.created':
        this.#configure();
        break;
      case 'session.updated':
        if (!this.#socket.isEstablished) this.#becomeReady();
        this.#responses.turnDetectionChanged(
          event.session.audio?.input.turn_detection?.create_response !== false,
        );
        break;
      case 'input_audio_buffer.speech_started':
        this.#turns.began(event.item_id);
        break;
      case 'input_audio_buffer.speech_stopped':
        this.#turns.ended(event.item_id);
        break;
      case 'input_audio_buffer.committed':
        this.#turns.ended(event.item_id);
        this.#responses.turnCommitted();
        break;
      case 'conversation.item.input_audio_transcription.completed':
        this.#turns.said(event.item_id, event.transcript);
        break;
      case 'conversation.item.input_audio_transcription.failed':
        this.#turns.said(event.item_id, '');
        break;
      case 'response.created': {
        const { id, metadata } = event.response;
        if (this.#responses.created(id, metadata?.request)) this.#utterances.cutResponse(id);
        break;
      }
      case 'response.output_audio.delta':
        this.#utterances.sound(event.item_id, event.response_id, event.delta);
        break;
      case 'response.output_audio_transcript.delta':
        this.#utterances.words(event.item_id, event.response_id, event.delta);
        break;
      case 'response.output_item.done':
        this.#itemDone(event.item);
        break;
      case 'response.done':
        this.#responseDone(event.response);
        break;
      case 'error':
        this.#complained(event.error);
        break;
    }
  }

  /** Commands are carried out in order, so that the history is in its place once the configuration is confirmed. */
  #configure(): void {
    if (this.#isConfigured) return;
    this.#isConfigured = true;
    const commands: RealtimeClientEvent[] = this.#history
      .flatMap(itemsOf)
      .map((item) => ({ type: 'conversation.item.create', event_id: 'history', item }));
    const session = { ...this.#settings.configuration, instructions: this.#instructions };
    commands.push({ type: 'session.update', event_id: configurationId, session });
    for (const command of commands) this.#socket.agree(JSON.stringify(command));
  }

  #becomeReady(): void {
    this.#socket.established();
    this.#delivery.tell({ type: 'ready' });
    this.#responses.start();
  }

  #itemDone(item: Extract<RealtimeEvent, { type: 'response.output_item.done' }>['item']): void {
    if (item.type === 'message') {
      this.#utterances.ended(item.id);
    } else if (item.status !== 'incomplete') {
      // The arguments of a call that was cut short are of no use.
      const { call_id: id, name } = item;
      this.#delivery.tell({ type: 'tool-call', call: { id, name, arguments: item.arguments || '{}' } });
    }
  }

  #responseDone(response: Extract<RealtimeEvent, { type: 'response.done' }>['response']): void {
    this.#utterances.endResponse(response.id);
    const { reason, error } = response.status_details ?? {};
    this.#delivery.tell({ type: 'response-ended', how: howItEnded(response.status, reason) });
    const code = codeOf(error ?? {});
    if (isPermanent(code)) this.#socket.close(sessionFailure(code, false));
    if (response.status === 'failed')
      this.#settings.logger.warn({ code }, 'a response of the speech model failed');
    this.#responses.done(response.id);
  }

  #complained(error: RealtimeErrorDetails): void {
    const code = codeOf(error);
    // What is not about a command of ours is about the session, which begins with its configuration.
    const isRefused = !this.#socket.isEstablished && (error.event_id ?? configurationId) === configurationId;
    if (isPermanent(code) || isRefused || code === 'session_expired') {
      this.#socket.close(sessionFailure(code, error.type === 'invalid_request_error'));
      return;
    }
    const requestIsLost = this.#responses.refused(error.event_id, code);
    if (requestIsLost) this.#delivery.tell({ type: 'response-ended', how: 'failed' });
    if (code === null || !racingCodes.includes(code)) {
      this.#settings.logger.warn({ code }, 'the speech model refused a command');
    }
  }

  #end(error: CallkiteError | null): void {
    this.#turns.close();
    this.#delivery.tell({ type: 'closed', error });
  }
}

function sessionFailure(code: string | null, isInvalid: boolean): CallkiteError {
  if (code === 'session_expired')
    return unavailable('the session with the model has reached its longest duration');
  const what = `the model server refused the session (${code ?? 'no reason given'})`;
  return isInvalid || isPermanent(code) ? rejected(what) : unavailable(what);
}

function howItEnded(
  status: string,
  reason: string | null | undefined,
): 'completed' | 'interrupted' | 'failed' {
  if (status === 'cancelled') return 'interrupted';
  const isOut = status === 'completed' || (status === 'incomplete' && reason === 'max_output_tokens');
  return isOut ? 'completed' : 'failed';
}

function itemsOf(message: ModelMessage): ConversationItem[] {
  switch (message.role) {
    case 'user':
      return [{ type: 'message', role: 'user', content: [{ type: 'input_text', text: message.content }] }];
    case 'tool':
      return [{ type: 'function_call_output', call_id: message.toolCallId, output: message.content }];
    case 'assistant': {
      const content = [{ type: 'output_text' as const, text: message.content }];
      const calls = (message.toolCalls ?? []).map((call) => ({
        type: 'function_call' as const,
        call_id: call.id,
        name: call.name,
        arguments: call.arguments,
      }));
      return message.content === '' ? calls : [{ type: 'message', role: 'assistant', content }, ...calls];
    }
  }
}
