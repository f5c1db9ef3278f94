import type {
  CallkiteError,
  Logger,
  ModelMessage,
  ModelToolCall,
  SpeechModelEvent,
  SpeechSession,
  SpeechSessionRequest,
} from '@callkite/core';
import { codeOf, isPermanent, rejected, unavailable } from '../model-failure.ts';
import { audioFrame, audioReader, isPlain } from './audio-frames.ts';
import { EventDelivery } from './event-delivery.ts';
import { type LiveCommand, type LiveConfiguration, type LiveEventOf, parseLiveEvent } from './live-events.ts';
import { LiveTurns, LiveUtterances } from './live-speech.ts';
import { ModelSocket, type ModelSocketOptions } from './model-socket.ts';

/** Longest wait for the sound of words of ours. */
const LONGEST_SILENCE_MS = 10_000;

export interface LiveSettings {
  readonly socket: ModelSocketOptions;
  readonly configuration: LiveConfiguration;
  /** Silence that separates utterances and turns, in milliseconds. */
  readonly pauseMs: number;
  readonly logger: Logger;
}

const appendFrame = audioFrame('session.input_audio.append');
const readSound = audioReader('session.output_audio.delta', ['delta']);

/** One session with the Live API. */
export class LiveSession implements SpeechSession {
  readonly #settings: LiveSettings;
  readonly #delivery = new EventDelivery();
  readonly #socket: ModelSocket;
  readonly #utterances: LiveUtterances;
  readonly #turns: LiveTurns;
  /** Tool calls of delegated responses under way, by delegation. */
  readonly #delegated = new Map<string, ModelToolCall[]>();
  readonly #unanswered = new Set<string>();
  #hasAnswers = false;
  #instructions: string;
  #waiting: string[] = [];
  #saying: { readonly eventId: string; readonly limit: NodeJS.Timeout } | null = null;
  #said = 0;

  constructor(settings: LiveSettings, request: SpeechSessionRequest) {
    const tell = (event: SpeechModelEvent) => this.#delivery.tell(event);
    this.#settings = settings;
    this.#instructions = request.instructions;
    this.#turns = new LiveTurns(settings.pauseMs, tell);
    this.#utterances = new LiveUtterances({
      pauseMs: settings.pauseMs,
      tell,
      onEnd: () => this.#spoken('completed'),
    });
    this.#socket = new ModelSocket(settings.socket, {
      onOpen: () => this.#agree(),
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
    this.#waiting.push(text);
    this.#advance();
  }

  respond(): void {
    if (this.#hasAnswers) {
      this.#hasAnswers = false;
      this.#send({ type: 'response.create' });
    } else {
      const content = 'Speak now, and do not wait for the other person to speak first.';
      this.#send({ type: 'session.instructions.append', delegation_id: null, content });
    }
  }

  /** Drops words of ours that wait; what is spoken cannot be stopped. */
  stop(): void {
    this.#waiting = [];
  }

  tell(message: ModelMessage): void {
    if (message.role === 'tool') this.answerTool(message.toolCallId, message.content);
    else if (message.content !== '') {
      const content = `${message.role}: ${message.content}`;
      this.#send({ type: 'session.thinking.append', delegation_id: null, content });
    }
  }

  answerTool(toolCallId: string, output: string): void {
    if (!this.#unanswered.delete(toolCallId)) return;
    this.#hasAnswers = true;
    const item = { type: 'function_call_output' as const, call_id: toolCallId, output };
    this.#send({ type: 'response.item.create', item });
  }

  /** Nothing: the model knows by itself what it has spoken when it was interrupted. */
  heardOnly(): void {}

  /** For the model that is asked for what takes thought: those of the voice are fixed. */
  instruct(instructions: string): void {
    if (instructions === this.#instructions) return;
    this.#instructions = instructions;
    const delegation = { type: 'responses' as const, responses: { instructions } };
    this.#send({ type: 'session.update', session: { delegation } });
  }

  close(error?: CallkiteError): void {
    if (this.#socket.isEstablished) this.#send({ type: 'session.close' });
    this.#socket.close(error);
  }

  #send(command: LiveCommand): void {
    this.#socket.send(JSON.stringify(command));
  }

  #agree(): void {
    const start: LiveCommand = { type: 'session.start', session: this.#settings.configuration };
    this.#socket.agree(JSON.stringify(start));
  }

  #receive(frame: Buffer): void {
    const sound = readSound(frame);
    if (sound !== null) {
      this.#utterances.sound(sound.delta);
      return;
    }
    const event = parseLiveEvent(frame);
    switch (event?.type) {
      case 'session.started':
        if (this.#socket.isEstablished) break;
        this.#socket.established();
        this.#delivery.tell({ type: 'ready' });
        this.#advance();
        break;
      case 'session.output_audio.delta':
        this.#utterances.sound(event.delta);
        break;
      case 'session.output_transcript.delta':
        this.#utterances.words(event.delta);
        break;
      case 'session.input_transcript.delta':
        this.#turns.words(event.delta, event.start_ms, event.end_ms);
        break;
      case 'response.event':
        this.#delegation(event.delegation_id ?? '', event.event);
        break;
      case 'session.closed':
        this.#socket.close(
          event.reason === 'content'
            ? rejected('the model ended the session because of what was said')
            : unavailable(`the model ended the session (${event.reason})`),
        );
        break;
      case 'error':
        this.#complained(event.error);
        break;
    }
  }

  /** One thing of ours at a time, and not into the model's own words. */
  #advance(): void {
    if (!this.#socket.isEstablished || this.#saying !== null || this.#utterances.isOpen) return;
    const text = this.#waiting.shift();
    if (text === undefined) return;
    this.#said += 1;
    const eventId = `say_${this.#said}`;
    const limit = setTimeout(() => {
      if (!this.#utterances.isOpen) this.#spoken('failed');
    }, LONGEST_SILENCE_MS);
    this.#saying = { eventId, limit };
    this.#send({
      type: 'session.commentary.append',
      event_id: eventId,
      delegation_id: null,
      content: `Say exactly the following and nothing else: "${text}"`,
    });
  }

  #spoken(how: 'completed' | 'failed'): void {
    clearTimeout(this.#saying?.limit);
    this.#saying = null;
    this.#delivery.tell({ type: 'response-ended', how });
    this.#advance();
  }

  /** Tools are used only for a response that came to its end: the others are not gone on with. */
  #delegation(delegationId: string, event: LiveEventOf<'response.event'>['event']): void {
    const calls = this.#delegated.get(delegationId) ?? [];
    if (event.type === 'response.created') {
      this.#delegated.set(delegationId, []);
    } else if (event.type === 'response.output_item.done') {
      const { call_id: id, name, status } = event.item;
      const call = { id, name, arguments: event.item.arguments || '{}' };
      if (status !== 'incomplete') this.#delegated.set(delegationId, [...calls, call]);
    } else {
      this.#delegated.delete(delegationId);
      const isCompleted = event.type === 'response.completed';
      if (!isCompleted) this.#delivery.tell({ type: 'response-ended', how: 'failed' });
      if (!isCompleted || calls.length === 0) return;
      for (const call of calls) {
        this.#unanswered.add(call.id);
        this.#delivery.tell({ type: 'tool-call', call });
      }
      this.#delivery.tell({ type: 'response-ended', how: 'completed' });
    }
  }

  #complained(error: LiveEventOf<'error'>['error']): void {
    const code = codeOf(error);
    if (isPermanent(code) || !this.#socket.isEstablished) {
      const what = `the model server refused the session (${code ?? 'no reason given'})`;
      const isRefused = isPermanent(code) || error.type === 'invalid_request_error';
      this.#socket.close(isRefused ? rejected(what) : unavailable(what));
      return;
    }
    this.#settings.logger.warn({ code }, 'the speech model refused a command');
    if (this.#saying !== null && error.client_event_id === this.#saying.eventId) this.#spoken('failed');
  }

  #end(error: CallkiteError | null): void {
    clearTimeout(this.#saying?.limit);
    this.#utterances.close();
    this.#turns.close();
    this.#delivery.tell({ type: 'closed', error });
  }
}
