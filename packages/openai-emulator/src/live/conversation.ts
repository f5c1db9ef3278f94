import { silence } from '@callkite/emulated-voice';
import { ApiError } from '../api-error.ts';
import { newId, type Reply } from '../reply.ts';
import { readAudio, type SpeechContext } from '../speech/connection.ts';
import { BYTES_PER_MS, Ear } from '../speech/ear.ts';
import { verbatimWords } from '../speech/verbatim.ts';
import type { LiveChannel } from './channel.ts';
import type { ClientEvent, ClientEventOf, SessionConfig } from './client-events.ts';
import { type AnswerTurn, LiveDialogue } from './dialogue.ts';
import { readFixture } from './fixture.ts';
import type { ResponsesBackend } from './responses-backend.ts';
import { Speaker } from './speaker.ts';

const DETECTION = { threshold: 0.5, prefixPaddingMs: 300, silenceMs: 500 };
/** How long the other side speaks before the model stops for it. */
const YIELD_MS = 200;
const ACKNOWLEDGEMENT = 'One moment, please.';
/** Commentary that asks for the model's own words, and is none itself. */
const PROMPT = /^(?:please )?(?:speak|begin|start|open|greet|introduce yourself|continue|go on)\b/i;

/** What a session was started with, and what the server added. */
export type StartedSession = SessionConfig & { id: string; expires_at: number; status: 'active' };

/** What a client may send while the session lasts. */
type ConversationEvent = Exclude<ClientEvent, { type: 'session.start' | 'session.update' | 'session.close' }>;
type AppendEvent = ClientEventOf<
  'session.instructions.append' | 'session.thinking.append' | 'session.commentary.append'
>;

export interface LiveConversationOptions {
  channel: LiveChannel;
  context: SpeechContext;
  session: StartedSession;
  /** The text model that delegated work goes to; undefined for the application itself. */
  backend: ResponsesBackend | undefined;
}

/** The model in a live session: it listens all the time, also while it speaks. */
export class LiveConversation {
  readonly #channel: LiveChannel;
  readonly #context: SpeechContext;
  readonly #session: StartedSession;
  readonly #backend: ResponsesBackend | undefined;
  readonly #dialogue: LiveDialogue;
  readonly #ear: Ear;
  readonly #speaker: Speaker;
  readonly #delegations = new Set<string>();
  #isOver = false;
  #isMuted = false;
  #isFixturePlaying = false;
  #speechStartedMs: number | undefined;
  #lastWordMs = 0;
  #transcript: { isLost: boolean; delayMs: number } = { isLost: false, delayMs: 0 };
  #acknowledgement: NodeJS.Timeout | undefined;

  constructor({ channel, context, session, backend }: LiveConversationOptions) {
    this.#channel = channel;
    this.#context = context;
    this.#session = session;
    this.#backend = backend;
    this.#dialogue = new LiveDialogue(session, backend, context);
    this.#speaker = new Speaker({
      pace: context.pace,
      faults: context.faults,
      onUtteranceOver: () => {
        if (!this.#isOver) channel.send('session.usage.updated', { usage: this.usage });
      },
      onFailure: (message) =>
        channel.refuse(new ApiError(message, { type: 'server_error', code: 'server_error' })),
      cut: () => channel.cut(),
    });
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

  get usage(): { seconds: number } {
    return { seconds: this.#ear.heardMs / 1000 };
  }

  close(): void {
    this.#isOver = true;
    this.#speaker.stop();
  }

  /** @throws ApiError when the event is refused */
  receive(event: ConversationEvent): void {
    switch (event.type) {
      case 'session.input_audio.append':
        this.#hear(readAudio(event.audio, 'audio'));
        break;
      case 'session.input_audio.mute':
        this.#isMuted = true;
        this.#channel.acknowledge('session.input_audio.muted', event);
        break;
      case 'session.input_audio.unmute':
        this.#isMuted = false;
        this.#channel.acknowledge('session.input_audio.unmuted', event);
        break;
      case 'session.output_audio.fixture.play':
        this.#playFixture(event);
        break;
      case 'session.instructions.append':
      case 'session.thinking.append':
      case 'session.commentary.append':
        this.#append(event);
        break;
      case 'response.item.create':
        this.#takeItem(event);
        break;
      case 'response.create':
        this.#askBackend();
    }
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
    const tell = () =>
      this.#channel.send('session.input_transcript.delta', { delta: ` ${text}`, start_ms, end_ms });
    if (delayMs === 0) tell();
    else this.#channel.later(delayMs, tell);
  }

  #yieldWhenInterrupted(heardMs: number): void {
    if (this.#speechStartedMs === undefined || this.#isFixturePlaying) return;
    if (!this.#speaker.isSpeaking || heardMs < this.#speechStartedMs + DETECTION.prefixPaddingMs + YIELD_MS)
      return;
    this.#speaker.stop();
  }

  #speechStopped(): void {
    this.#speechStartedMs = undefined;
    const { text } = this.#ear.take();
    this.#dialogue.hear(text);
    this.#takeTurn();
  }

  /** Says or delegates what comes next. */
  #takeTurn(): void {
    const trouble = this.#context.faults.strike('errorEvent');
    if (trouble)
      this.#channel.refuse(new ApiError(trouble.message, { type: 'server_error', code: trouble.code }));
    try {
      this.#answer(this.#dialogue.think());
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      this.#channel.refuse(error);
    }
  }

  /** Says what is to be said, and delegates what is to be called. */
  #answer(reply: Reply): void {
    const turn = this.#say(reply.text.join('') + reply.refusal.join(''));
    if (reply.toolCalls.length === 0) return;
    const { toolCalls } = turn ?? this.#dialogue.beginAnswer();
    if (this.#backend) {
      toolCalls.push(...this.#showResponse(this.#backend, { ...reply, text: [], refusal: [] }));
    } else {
      for (const { name } of reply.toolCalls) {
        const id = newId('dlg_');
        this.#delegations.add(id);
        this.#delegate({ id, target: 'client' });
        toolCalls.push({ id, name, arguments: '{}' });
      }
    }
  }

  /** Hands work over, and says that it takes a moment when nothing else is said. */
  #delegate(delegation: { id: string; target: 'client' | 'responses'; response_id?: string }): void {
    this.#channel.send('session.delegation.created', {
      delegation: { ...delegation, type: 'delegation' },
      offset_ms: this.#ear.heardMs,
    });
    clearTimeout(this.#acknowledgement);
    if (this.#speaker.isSpeaking) return;
    const waitMs = this.#session.delegation?.acknowledgement_delay_ms ?? 0;
    // It is no part of the dialogue.
    this.#acknowledgement = this.#channel.later(waitMs, () => this.#speak(ACKNOWLEDGEMENT));
  }

  /** Tells of a response of the backend, event by event. Returns the calls in it. */
  #showResponse(backend: ResponsesBackend, reply: Reply): AnswerTurn['toolCalls'] {
    const { id: response_id, delegationId, isNew, events } = backend.respond(reply);
    if (isNew) this.#delegate({ id: delegationId, target: 'responses', response_id });
    for (const event of events) this.#channel.send('response.event', { delegation_id: delegationId, event });
    return reply.toolCalls.map((call) => ({ ...call, arguments: call.arguments.join('') }));
  }

  #requireBackend(): ResponsesBackend {
    if (this.#backend) return this.#backend;
    throw new ApiError("This needs a session whose 'delegation' is of type 'responses'.", {
      code: 'invalid_delegation',
    });
  }

  #takeItem({ item }: ClientEventOf<'response.item.create'>): void {
    const backend = this.#requireBackend();
    if (item.type === 'message') {
      this.#dialogue.hear(item.content);
    } else {
      backend.answer(item.call_id);
      this.#dialogue.takeResult(item.call_id, item.output);
    }
  }

  /** Lets the backend go on; what it writes is said. */
  #askBackend(): void {
    const backend = this.#requireBackend();
    backend.assertAnswered();
    clearTimeout(this.#acknowledgement);
    const reply = this.#dialogue.think();
    if (reply.toolCalls.length === 0) this.#showResponse(backend, reply);
    this.#answer(reply);
  }

  #append(event: AppendEvent): void {
    const { content, delegation_id, type } = event;
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
    this.#channel.acknowledge(type.replace('append', 'appended'), event, { start_ms: atMs, end_ms: atMs });
    if (type !== 'session.instructions.append') clearTimeout(this.#acknowledgement);
    if (delegation_id !== null) this.#dialogue.takeResult(delegation_id, content);
    if (type === 'session.thinking.append') this.#dialogue.note(content);
    else this.#followText(content, type === 'session.commentary.append');
  }

  /** Follows instructions, or says commentary, unless that asks for the model's own words. */
  #followText(content: string, isCommentary: boolean): void {
    const words = verbatimWords(content);
    if (words !== undefined) {
      this.#say(this.#context.faults.strike('misquote')?.text ?? words);
    } else if (isCommentary && !PROMPT.test(content)) {
      this.#say(content);
    } else {
      if (!isCommentary) this.#dialogue.note(content);
      const isItsTurn = isCommentary || !this.#dialogue.wasAnsweredLast;
      const isQuiet = this.#speechStartedMs === undefined && !this.#speaker.isSpeaking;
      if (isItsTurn && isQuiet) this.#takeTurn();
    }
  }

  /** Says something that is part of the dialogue. Returns the turn it becomes. */
  #say(text: string): AnswerTurn | undefined {
    if (text === '') return undefined;
    clearTimeout(this.#acknowledgement);
    const turn = this.#dialogue.beginAnswer();
    this.#speak(text, turn);
    return turn;
  }

  /** Says something; `turn` takes the words as they are said. */
  #speak(text: string, turn?: AnswerTurn): void {
    let startMs: number | undefined;
    this.#speaker.say(text, (piece) => {
      startMs ??= this.#ear.heardMs;
      if (turn) turn.text += piece.text;
      if (piece.text !== '') {
        const range = { start_ms: startMs + piece.startMs, end_ms: startMs + piece.endMs };
        this.#channel.send('session.output_transcript.delta', { delta: piece.text, ...range });
      }
      this.#channel.sendSound(piece.audio);
    });
  }

  #playFixture(event: ClientEventOf<'session.output_audio.fixture.play'>): void {
    const audio = readFixture(event.audio);
    if (this.#isFixturePlaying) {
      throw new ApiError('Only one audio fixture can be played at a time.', { code: 'fixture_active' });
    }
    this.#isFixturePlaying = true;
    this.#channel.acknowledge('session.output_audio.fixture.playing', event);
    void this.#speaker
      .play(audio, (piece) => this.#channel.sendSound(piece.audio))
      .then((isPlayed) => {
        this.#isFixturePlaying = false;
        if (isPlayed) this.#channel.acknowledge('session.output_audio.fixture.played', event);
      });
  }
}
