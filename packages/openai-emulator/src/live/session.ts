import { silence } from '@callkite/emulated-voice';
import { ApiError } from '../api-error.ts';
import type { ModelRequest, Turn } from '../model/dialogue.ts';
import { createReply, newId, think } from '../reply.ts';
import { parseRequest } from '../request-validation.ts';
import { type Connection, readAudio, type SpeechContext, type SpeechSession } from '../speech/connection.ts';
import { BYTES_PER_MS, Ear } from '../speech/ear.ts';
import { verbatimWords } from '../speech/verbatim.ts';
import { type ClientEvent, type ClientEventOf, clientEvent, type SessionConfig } from './client-events.ts';
import { delegatedTools, liveAnswer } from './delegated-work.ts';
import { readFixture } from './fixture.ts';
import { Speaker } from './speaker.ts';

const DETECTION = { threshold: 0.5, prefixPaddingMs: 300, silenceMs: 500 };
/** How long the other side speaks before the model stops for it. */
const YIELD_MS = 200;
const ACKNOWLEDGEMENT = 'One moment, please.';

type Started = SessionConfig & { id: string; expires_at: number; status: 'active' };
type AppendEvent = ClientEventOf<
  'session.instructions.append' | 'session.thinking.append' | 'session.commentary.append'
>;

/** A session of the Live API over one socket: it listens all the time, also while it speaks. */
export class LiveSession implements SpeechSession {
  readonly #connection: Connection;
  readonly #context: SpeechContext;
  readonly #ear: Ear;
  readonly #speaker: Speaker;
  readonly #timers = new Set<NodeJS.Timeout>();
  readonly #delegations = new Set<string>();
  readonly #turns: Turn[] = [];
  /** Instructions and silent context, in the order they came. */
  readonly #notes: string[] = [];
  /** Texts to be said once the model has finished what it says. */
  readonly #toSay: string[] = [];
  #session: Started | undefined;
  #isOver = false;
  #isMuted = false;
  #isFixturePlaying = false;
  #speechStartedMs: number | undefined;
  #lastWordMs = 0;
  #transcript: { isLost: boolean; delayMs: number } = { isLost: false, delayMs: 0 };
  #acknowledgement: NodeJS.Timeout | undefined;

  constructor(connection: Connection, context: SpeechContext) {
    this.#connection = connection;
    this.#context = context;
    this.#speaker = new Speaker(context);
    this.#ear = new Ear(
      {
        onSpeechStarted: (startMs) => this.#speechStarted(startMs),
        onSpeechStopped: () => this.#speechStopped(),
        onWord: (text, atMs) => this.#transcribe(text, atMs),
        onTime: (heardMs) => this.#yieldWhenInterrupted(heardMs),
      },
      DETECTION,
    );
  }

  receive(raw: Record<string, unknown>): void {
    if (this.#isOver) return;
    const event = parseRequest(clientEvent, raw);
    if (event.type === 'session.start') {
      this.#start(event);
    } else if (this.#session) {
      this.#handle(event, this.#session);
    } else {
      throw new ApiError(`Send 'session.start' and wait for 'session.started' before '${event.type}'.`, {
        code: 'session_not_started',
      });
    }
  }

  refuse(error: ApiError, eventId?: string | undefined): void {
    const { message, type, param, code } = error.body;
    const client = eventId !== undefined && { client_event_id: eventId };
    this.#send('error', {
      error: { type, code: code ?? 'invalid_request', message, ...(param !== null && { param }), ...client },
      ...client,
    });
  }

  close(): void {
    this.#isOver = true;
    this.#speaker.stop();
    for (const timer of this.#timers) clearTimeout(timer);
    this.#timers.clear();
  }

  #send(type: string, fields: object): void {
    this.#connection.send({ type, event_id: newId('event_'), ...fields });
  }

  #acknowledge(type: string, { event_id }: ClientEvent, fields: object = {}): void {
    this.#send(type, { ...fields, ...(event_id != null && { client_event_id: event_id }) });
  }

  #later(waitMs: number, action: () => void): NodeJS.Timeout {
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      action();
    }, waitMs);
    this.#timers.add(timer);
    return timer;
  }

  #start(event: ClientEventOf<'session.start'>): void {
    if (this.#session) {
      throw new ApiError('The session has started: close it and open another one.', {
        code: 'session_already_started',
      });
    }
    const { session } = event;
    this.#context.catalog.assertKnown(session.model, 'live');
    if (session.audio.format.type !== 'audio/pcmu') {
      throw new ApiError(
        `The emulator does not speak '${session.audio.format.type}': use { "type": "audio/pcmu", "rate": 8000 }.`,
        { param: 'session.audio.format', code: 'emulator_unsupported' },
      );
    }
    const { sessionMs } = this.#context.pace;
    this.#connection.record.model = session.model;
    this.#session = {
      ...session,
      id: newId('live_'),
      expires_at: Math.floor((Date.now() + sessionMs) / 1000),
      status: 'active',
      delegation: session.delegation ?? { type: 'client' },
    };
    if (session.instructions) this.#notes.push(session.instructions);
    for (const { role, content } of session.input) {
      const [{ text }] = content;
      if (role === 'developer') this.#notes.push(text);
      else if (role === 'user') this.#turns.push({ role, text });
      else this.#turns.push({ role, text, toolCalls: [] });
    }
    this.#later(sessionMs, () => this.#end('expired'));
    this.#acknowledge('session.started', event, { session: this.#session });
  }

  #handle(event: Exclude<ClientEvent, { type: 'session.start' }>, session: Started): void {
    switch (event.type) {
      case 'session.update':
        session.delegation = event.session.delegation
          ? { ...session.delegation, ...event.session.delegation }
          : session.delegation;
        this.#acknowledge('session.updated', event, { session });
        break;
      case 'session.input_audio.append':
        this.#hear(readAudio(event.audio, 'audio'));
        break;
      case 'session.input_audio.mute':
        this.#isMuted = true;
        this.#acknowledge('session.input_audio.muted', event);
        break;
      case 'session.input_audio.unmute':
        this.#isMuted = false;
        this.#acknowledge('session.input_audio.unmuted', event);
        break;
      case 'session.output_audio.fixture.play':
        this.#playFixture(event);
        break;
      case 'session.instructions.append':
      case 'session.thinking.append':
      case 'session.commentary.append':
        this.#append(event);
        break;
      case 'session.close':
        this.#end('close_requested', event);
    }
  }

  #end(reason: 'close_requested' | 'expired', event?: ClientEvent): void {
    this.close();
    const fields = { reason, session: this.#session, usage: this.#usage() };
    if (event) this.#acknowledge('session.closed', event, fields);
    else this.#send('session.closed', fields);
    this.#connection.end(1000, 'session closed');
  }

  #usage(): { seconds: number } {
    return { seconds: this.#ear.heardMs / 1000 };
  }

  #hear(audio: Uint8Array): void {
    const isDeaf = this.#isMuted || this.#isFixturePlaying;
    this.#ear.hear(isDeaf ? silence(audio.length / BYTES_PER_MS) : audio);
  }

  #speechStarted(startMs: number): void {
    this.#speechStartedMs = startMs;
    this.#lastWordMs = startMs;
    const { faults } = this.#context;
    this.#transcript = {
      isLost: faults.strike('transcriptionLost') !== undefined,
      delayMs: faults.strike('transcriptionLate')?.delayMs ?? 0,
    };
  }

  #transcribe(text: string, end_ms: number): void {
    const start_ms = Math.min(this.#lastWordMs, end_ms);
    this.#lastWordMs = end_ms;
    const { isLost, delayMs } = this.#transcript;
    if (isLost) return;
    const tell = () => this.#send('session.input_transcript.delta', { delta: ` ${text}`, start_ms, end_ms });
    if (delayMs === 0) tell();
    else this.#later(delayMs, tell);
  }

  #yieldWhenInterrupted(heardMs: number): void {
    if (this.#speechStartedMs === undefined || this.#isFixturePlaying) return;
    if (!this.#speaker.isSpeaking || heardMs < this.#speechStartedMs + DETECTION.prefixPaddingMs + YIELD_MS)
      return;
    this.#speaker.stop();
    this.#toSay.length = 0;
  }

  #speechStopped(): void {
    this.#speechStartedMs = undefined;
    const { text } = this.#ear.take();
    this.#turns.push({ role: 'user', text });
    this.#takeTurn();
  }

  /** Says or delegates what comes next. */
  #takeTurn(): void {
    const request: ModelRequest = {
      instructions: this.#notes.join('\n\n'),
      turns: this.#turns,
      tools: delegatedTools,
      toolChoice: { kind: 'auto' },
      parallelToolCalls: true,
      output: { kind: 'text' },
    };
    try {
      const { faults } = this.#context;
      const trouble = faults.strike('errorEvent');
      if (trouble) this.refuse(new ApiError(trouble.message, { type: 'server_error', code: trouble.code }));
      const source = think(request, this.#context, liveAnswer);
      const reply = createReply({ request, source, faults, maxTokens: undefined });
      this.#say(reply.text.join('') + reply.refusal.join(''));
      for (const call of reply.toolCalls) this.#delegate(call.name);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      this.refuse(error);
    }
  }

  /** Hands work to the application. `tool` is what the model would use if it could. */
  #delegate(tool: string): void {
    const id = newId('dlg_');
    this.#delegations.add(id);
    this.#turns.push({ role: 'assistant', text: '', toolCalls: [{ id, name: tool, arguments: '{}' }] });
    this.#send('session.delegation.created', {
      delegation: { id, type: 'delegation', target: 'client' },
      offset_ms: this.#ear.heardMs,
    });
    if (this.#speaker.isSpeaking || this.#toSay.length > 0) return;
    this.#acknowledgement = this.#later(this.#session?.delegation?.acknowledgement_delay_ms ?? 0, () => {
      this.#say(ACKNOWLEDGEMENT);
    });
  }

  #append(event: AppendEvent): void {
    const { content, delegation_id } = event;
    if (this.#isFixturePlaying) {
      throw new ApiError('Nothing can be appended while an audio fixture is played.', {
        code: 'fixture_active',
      });
    }
    if (delegation_id !== null && !this.#delegations.has(delegation_id)) {
      throw new ApiError(`No delegation with id '${delegation_id}' exists in this session.`, {
        param: 'delegation_id',
        code: 'delegation_not_found',
      });
    }
    const atMs = this.#ear.heardMs;
    this.#acknowledge(event.type.replace('append', 'appended'), event, { start_ms: atMs, end_ms: atMs });
    if (event.type !== 'session.instructions.append') clearTimeout(this.#acknowledgement);
    if (delegation_id !== null) this.#turns.push({ role: 'tool', callId: delegation_id, text: content });
    const words = verbatimWords(content);
    if (event.type !== 'session.thinking.append' && words !== undefined) {
      this.#say(this.#context.faults.strike('misquote')?.text ?? words);
    } else if (event.type === 'session.commentary.append') {
      this.#say(content);
    } else {
      this.#notes.push(content);
      const isItsTurn = this.#turns.at(-1)?.role !== 'assistant' && this.#speechStartedMs === undefined;
      if (event.type === 'session.instructions.append' && isItsTurn && !this.#speaker.isSpeaking)
        this.#takeTurn();
    }
  }

  #say(text: string): void {
    if (text === '') return;
    this.#toSay.push(text);
    if (!this.#speaker.isSpeaking) {
      this.#sayAll().catch((error: unknown) => {
        console.error('openai-emulator: an utterance failed by a defect of the emulator', error);
        this.#connection.cut();
      });
    }
  }

  async #sayAll(): Promise<void> {
    for (let text = this.#toSay.shift(); text !== undefined; text = this.#toSay.shift()) {
      const turn: Turn = { role: 'assistant', text: '', toolCalls: [] };
      this.#turns.push(turn);
      let startMs: number | undefined;
      await this.#speaker.say(text, {
        onSound: (piece) => {
          startMs ??= this.#ear.heardMs;
          turn.text += piece.text;
          if (piece.text !== '') {
            const range = { start_ms: startMs + piece.startMs, end_ms: startMs + piece.endMs };
            this.#send('session.output_transcript.delta', { delta: piece.text, ...range });
          }
          this.#sendSound(piece.audio);
        },
        onFailure: (message) => {
          this.refuse(new ApiError(message, { type: 'server_error', code: 'server_error' }));
        },
        cut: () => this.#connection.cut(),
      });
      if (!this.#isOver) this.#send('session.usage.updated', { usage: this.#usage() });
    }
  }

  // The one event without an id.
  #sendSound(audio: Uint8Array): void {
    this.#connection.send({
      type: 'session.output_audio.delta',
      delta: Buffer.from(audio).toString('base64'),
    });
  }

  #playFixture(event: ClientEventOf<'session.output_audio.fixture.play'>): void {
    const audio = readFixture(event.audio);
    if (this.#isFixturePlaying) {
      throw new ApiError('Only one audio fixture can be played at a time.', { code: 'fixture_active' });
    }
    this.#toSay.length = 0;
    this.#isFixturePlaying = true;
    this.#acknowledge('session.output_audio.fixture.playing', event);
    const told = {
      onSound: (piece: { audio: Uint8Array }) => this.#sendSound(piece.audio),
      onFailure: () => {},
      cut: () => {},
    };
    void this.#speaker.play(audio, told).then((isPlayed) => {
      this.#isFixturePlaying = false;
      if (isPlayed) this.#acknowledge('session.output_audio.fixture.played', event);
    });
  }
}
