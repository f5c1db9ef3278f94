import { listener } from '@callkite/emulated-voice';
import { ApiError } from '../api-error.ts';
import type { ModelRequest } from '../model/dialogue.ts';
import { createReply, newId, type Reply, think } from '../reply.ts';
import { parseRequest } from '../request-validation.ts';
import { type Connection, readAudio, type SpeechContext, type SpeechSession } from '../speech/connection.ts';
import { BYTES_PER_MS, Ear } from '../speech/ear.ts';
import { verbatimWords } from '../speech/verbatim.ts';
import { type ClientEvent, type ClientEventOf, clientEvent, type ResponseSettings } from './client-events.ts';
import { Conversation, clientEntry, type Entry, heardEntry, readEntries } from './conversation.ts';
import { RealtimeResponse } from './response.ts';
import {
  assertSpokenFormat,
  assertVoiceKept,
  defaultSettings,
  detectionOf,
  readFunctionTools,
  type SessionSettings,
  updatedSettings,
} from './session-settings.ts';
import { Transcriber } from './transcription.ts';

const MIN_COMMIT_MS = 100;

function listenTo(audio: Uint8Array): string {
  const words = listener();
  words.hear(audio);
  return words
    .take()
    .map(({ text }) => text)
    .join(' ');
}

/** A session of the Realtime API over one socket. */
export class RealtimeSession implements SpeechSession {
  readonly #connection: Connection;
  readonly #context: SpeechContext;
  readonly #id = newId('sess_');
  readonly #conversationId = newId('conv_');
  readonly #conversation = new Conversation();
  readonly #ear: Ear;
  readonly #transcriber: Transcriber;
  readonly #responses = new Set<RealtimeResponse>();
  readonly #expiry: NodeJS.Timeout;
  readonly #expiresAtSeconds: number;
  #settings: SessionSettings;
  #hasSpoken = false;
  /** Id of the item that the speech being heard will become. */
  #spokenItemId = '';
  /** Where, in the audio heard, the last answer is over. */
  #idleFromMs: number | undefined;

  constructor(connection: Connection, model: string, context: SpeechContext) {
    this.#connection = connection;
    this.#context = context;
    this.#settings = defaultSettings(model);
    const { faults, pace } = context;
    this.#transcriber = new Transcriber({ send: this.#send, pace, faults });
    this.#ear = new Ear(
      {
        onSpeechStarted: (startMs) => this.#speechStarted(startMs),
        onSpeechStopped: (endMs) => this.#speechStopped(endMs),
        onTime: (heardMs) => this.#checkIdle(heardMs),
      },
      detectionOf(this.#settings.audio.input.turn_detection),
    );
    this.#expiresAtSeconds = Math.floor((Date.now() + pace.sessionMs) / 1000);
    this.#expiry = setTimeout(() => this.#expire(), pace.sessionMs);
    this.#send('session.created', { session: this.#session() });
  }

  receive(raw: Record<string, unknown>): void {
    this.#handle(parseRequest(clientEvent, raw));
  }

  refuse(error: ApiError, eventId?: string | undefined): void {
    this.#send('error', { error: { ...error.body, event_id: eventId ?? null } });
  }

  close(): void {
    clearTimeout(this.#expiry);
    this.#transcriber.close();
    for (const response of this.#responses) response.abandon();
    this.#responses.clear();
  }

  readonly #send = (type: string, fields: object): void => {
    this.#connection.send({ type, event_id: newId('event_'), ...fields });
  };

  #session(): object {
    return {
      id: this.#id,
      object: 'realtime.session',
      expires_at: this.#expiresAtSeconds,
      ...this.#settings,
    };
  }

  #handle(event: ClientEvent): void {
    switch (event.type) {
      case 'session.update':
        this.#update(event.session);
        break;
      case 'input_audio_buffer.append':
        this.#append(event.audio);
        break;
      case 'input_audio_buffer.commit':
        this.#commitByHand();
        break;
      case 'input_audio_buffer.clear':
        this.#ear.clear();
        this.#send('input_audio_buffer.cleared', {});
        break;
      case 'conversation.item.create':
        this.#createItem(event);
        break;
      case 'conversation.item.truncate':
        this.#truncate(event);
        break;
      case 'conversation.item.delete':
        this.#conversation.delete(event.item_id);
        this.#send('conversation.item.deleted', { item_id: event.item_id });
        break;
      case 'conversation.item.retrieve':
        this.#send('conversation.item.retrieved', { item: this.#conversation.withSound(event.item_id) });
        break;
      case 'response.create':
        this.#respond(event.response ?? {});
        break;
      case 'response.cancel':
        this.#cancel(event.response_id);
    }
  }

  #update(raw: unknown): void {
    this.#settings = updatedSettings(this.#settings, raw, {
      hasSpoken: this.#hasSpoken,
      isResponding: this.#responses.size > 0,
    });
    this.#ear.detect(detectionOf(this.#settings.audio.input.turn_detection));
    this.#send('session.updated', { session: this.#session() });
  }

  #append(base64: string): void {
    assertSpokenFormat(this.#settings.audio.input.format, 'session.audio.input.format');
    const audio = readAudio(base64, 'audio');
    this.#ear.hear(audio);
  }

  #speechStarted(audio_start_ms: number): void {
    this.#spokenItemId = newId('item_');
    this.#idleFromMs = undefined;
    this.#send('input_audio_buffer.speech_started', { audio_start_ms, item_id: this.#spokenItemId });
    if (this.#settings.audio.input.turn_detection?.interrupt_response) {
      this.#activeResponse()?.cancel('turn_detected');
    }
  }

  #speechStopped(audio_end_ms: number): void {
    this.#send('input_audio_buffer.speech_stopped', { audio_end_ms, item_id: this.#spokenItemId });
    this.#commit(this.#spokenItemId);
    if (this.#settings.audio.input.turn_detection?.create_response) this.#respondUnasked();
  }

  #checkIdle(heardMs: number): void {
    const detection = this.#settings.audio.input.turn_detection;
    if (detection?.type !== 'server_vad' || detection.idle_timeout_ms === null) return;
    const fromMs = this.#idleFromMs;
    if (fromMs === undefined || this.#ear.hearsSpeech || heardMs < fromMs + detection.idle_timeout_ms) return;
    this.#idleFromMs = undefined;
    const item_id = newId('item_');
    this.#send('input_audio_buffer.timeout_triggered', {
      audio_start_ms: Math.round(fromMs),
      audio_end_ms: heardMs,
      item_id,
    });
    this.#commit(item_id);
    this.#respondUnasked();
  }

  #commitByHand(): void {
    const { keptMs } = this.#ear;
    if (keptMs < MIN_COMMIT_MS) {
      throw new ApiError(
        `Error committing input audio buffer: buffer too small. Expected at least ${MIN_COMMIT_MS}ms of audio, but buffer only has ${keptMs.toFixed(2)}ms of audio.`,
        { code: 'input_audio_buffer_commit_empty' },
      );
    }
    const itemId = this.#ear.hearsSpeech ? this.#spokenItemId : newId('item_');
    this.#commit(itemId);
    this.#ear.clear();
  }

  #commit(itemId: string): void {
    const heard = this.#ear.take();
    const entry = heardEntry(itemId, heard);
    const previous_item_id = this.#conversation.lastId;
    this.#send('input_audio_buffer.committed', { item_id: itemId, previous_item_id });
    this.#conversation.add(entry);
    this.#tellItem(entry, previous_item_id);
    const { transcription } = this.#settings.audio.input;
    if (!transcription) return;
    this.#transcriber.transcribe({
      itemId,
      text: heard.text,
      audioMs: heard.audio.length / BYTES_PER_MS,
      model: transcription.model,
      onDone(transcript) {
        if (entry.item.type === 'message') entry.item.content = [{ type: 'input_audio', transcript }];
      },
    });
  }

  #tellItem({ item }: Entry, previous_item_id: string | null): void {
    this.#send('conversation.item.added', { previous_item_id, item });
    this.#send('conversation.item.done', { previous_item_id, item });
  }

  #createItem({ item, previous_item_id }: ClientEventOf<'conversation.item.create'>): void {
    const entry = clientEntry(item, listenTo);
    this.#conversation.add(entry, previous_item_id);
    this.#tellItem(entry, this.#conversation.previousOf(entry.item.id));
  }

  #truncate({ item_id, content_index, audio_end_ms }: ClientEventOf<'conversation.item.truncate'>): void {
    this.#conversation.truncate(item_id, audio_end_ms);
    this.#send('conversation.item.truncated', { item_id, content_index, audio_end_ms });
  }

  #activeResponse(): RealtimeResponse | undefined {
    return [...this.#responses].find((response) => response.isInConversation);
  }

  #cancel(responseId: string | undefined): void {
    const response =
      responseId === undefined
        ? this.#activeResponse()
        : [...this.#responses].find(({ id }) => id === responseId);
    if (!response) {
      throw new ApiError('Cancellation failed: no active response found', {
        code: 'response_cancel_not_active',
      });
    }
    response.cancel('client_cancelled');
  }

  /** Responds because of what was heard, or was not: there is no client event to blame. */
  #respondUnasked(): void {
    try {
      this.#respond({});
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      this.refuse(error);
    }
  }

  #respond(wanted: ResponseSettings): void {
    const isInConversation = wanted.conversation !== 'none';
    const active = this.#activeResponse();
    if (isInConversation && active) {
      throw new ApiError(
        `Conversation already has an active response in progress: ${active.id}. Wait until the response is finished before creating a new one.`,
        { code: 'conversation_already_has_active_response' },
      );
    }
    const { faults, pace } = this.#context;
    const output = { ...this.#settings.audio.output, ...wanted.audio?.output };
    const modalities = wanted.output_modalities ?? this.#settings.output_modalities;
    const maxTokens = wanted.max_output_tokens ?? this.#settings.max_output_tokens;
    if (this.#hasSpoken) {
      const { voice } = wanted.audio?.output ?? {};
      assertVoiceKept(this.#settings.audio.output, voice, 'response.audio.output.voice');
    }
    if (modalities[0] === 'audio') {
      const owner = wanted.audio?.output?.format ? 'response' : 'session';
      assertSpokenFormat(output.format, `${owner}.audio.output.format`);
    }
    const reply = this.#reply(wanted, maxTokens);
    const response = new RealtimeResponse({
      facts: {
        conversation_id: isInConversation ? this.#conversationId : null,
        output_modalities: modalities,
        max_output_tokens: maxTokens,
        audio: { output: { format: output.format, voice: output.voice } },
        metadata: wanted.metadata ?? null,
      },
      modality: modalities[0],
      remember: isInConversation ? (entry) => this.#remember(entry) : undefined,
      reply,
      pace,
      faults,
      send: this.#send,
      cut: () => this.#connection.cut(),
      onEnd: (audioMs) => {
        this.#responses.delete(response);
        if (audioMs > 0) this.#hasSpoken = true;
        if (isInConversation) this.#idleFromMs = this.#ear.heardMs + audioMs;
      },
    });
    this.#responses.add(response);
    response.run().catch((error: unknown) => {
      console.error('openai-emulator: a response failed by a defect of the emulator', error);
      this.#connection.cut();
    });
  }

  #remember(entry: Entry): string | null {
    const previousId = this.#conversation.lastId;
    this.#conversation.add(entry);
    return previousId;
  }

  #reply(wanted: ResponseSettings, maxTokens: number | 'inf'): Reply {
    const settings = this.#settings;
    const { faults } = this.#context;
    const { tools, toolChoice } = readFunctionTools(
      wanted.tools ?? settings.tools,
      wanted.tool_choice ?? settings.tool_choice,
      'response',
    );
    const { instructions, turns } = readEntries(this.#inputOf(wanted));
    const request: ModelRequest = {
      instructions: [wanted.instructions ?? settings.instructions, ...instructions].join('\n\n'),
      turns,
      tools,
      toolChoice,
      parallelToolCalls: wanted.parallel_tool_calls ?? settings.parallel_tool_calls ?? true,
      output: { kind: 'text' },
    };
    const words = verbatimWords(wanted.instructions ?? '');
    const source =
      words === undefined
        ? think(request, this.#context)
        : { text: faults.strike('misquote')?.text ?? words, toolCalls: [] };
    return createReply({ request, source, faults, maxTokens: maxTokens === 'inf' ? undefined : maxTokens });
  }

  #inputOf({ input }: ResponseSettings): Entry[] {
    if (!input) return this.#conversation.entries;
    // Outputs may answer calls of the conversation or of the input itself.
    const calls = new Set(input.flatMap((item) => (item.type === 'function_call' ? [item.call_id] : [])));
    return input.map((item) => {
      if (item.type === 'item_reference') return this.#conversation.get(item.id, 'retrieve');
      if (item.type === 'function_call_output' && !calls.has(item.call_id)) {
        this.#conversation.assertCallKnown(item.call_id);
      }
      return clientEntry(item, listenTo);
    });
  }

  #expire(): void {
    this.refuse(
      new ApiError('Your session hit the maximum duration of 60 minutes.', { code: 'session_expired' }),
    );
    this.#connection.end(1001, 'session expired');
  }
}
