import type { WidgetServerEvent, WidgetSession, WidgetSessionRequest } from '@callkite/contract';
import type { Voice } from './audio/voice.ts';
import { type CallState, type EndReason, type ErrorCode, noCall } from './call-state.ts';
import { type Connection, openConnection } from './connection.ts';
import { MessageLedger, type OutgoingMessage, type SavedLedger } from './message-ledger.ts';
import { askForMicrophone } from './microphone.ts';
import { type CallEvent, nextCallState } from './next-call-state.ts';
import { type ServerApi, WidgetError } from './server-api.ts';

export interface CallListener {
  changed(state: CallState, before: CallState): void;
  /** Each event of the server once. */
  received(event: WidgetServerEvent): void;
  /** What went wrong, for the page's own log; the visitor reads a sentence by its code. */
  failed(code: ErrorCode, message: string, until?: Date | null): void;
  /** How loud the visitor is, from 0 to 1. */
  level(level: number): void;
}

export interface CallStart {
  readonly api: ServerApi;
  readonly request: Omit<WidgetSessionRequest, 'media'>;
  /** For a call with sound; it has to be opened in the handler of a click. `null` for a typed call. */
  readonly context: AudioContext | null;
  /** BCP-47 tag of the visitor's language. */
  readonly language: string;
  /** The visitor's first words, typed. */
  readonly text?: string | undefined;
}

/** What another page of this tab needs to go on with a call. */
export interface SavedCall {
  readonly url: string;
  readonly token: string;
  readonly language: string;
  readonly ledger: SavedLedger;
  readonly state: CallState;
}

/** The line and its sound can be had by one call of a page at a time. */
let callOfThisPage: Call | null = null;

/** Of the page, as far as the server takes it. */
const longestReason = 200;
const closeReasons: Record<number, EndReason> = { 1000: 'agent', 4409: 'replaced', 4429: 'unavailable' };
const closeFailures: Record<number, ErrorCode> = { 4403: 'origin_not_allowed', 4429: 'rate_limited' };

/** The calls of one widget, one after the other. */
export class Call {
  readonly #listener: CallListener;
  #state = noCall;
  #ledger = new MessageLedger();
  #session: { url: string; token: string; language: string } | null = null;
  #connection: Connection | null = null;
  #voice: Voice | null = null;
  /** Marks of sound that was given to the loudspeaker and was not played yet. */
  readonly #unplayed = new Set<string>();
  /** Changes with every call, so that what was awaited for an earlier one is dropped. */
  #attempt = {};

  constructor(listener: CallListener) {
    this.#listener = listener;
  }

  get state(): CallState {
    return this.#state;
  }

  get #isOpen(): boolean {
    return this.#state.status !== 'ready' && this.#state.status !== 'ended';
  }

  /** Begins a call. @returns its id; `null` when none began */
  async start(options: CallStart): Promise<string | null> {
    const { context } = options;
    if (callOfThisPage !== null) {
      void context?.close();
      if (callOfThisPage !== this) this.#fail('call_in_progress', 'Another call of this page is open');
      return null;
    }
    const attempt = this.#begin({ type: 'dial' }, new MessageLedger());
    if (options.text !== undefined) this.sendText(options.text);
    if (context && !isSecureContext) this.#note('insecure_context', 'Sound needs a page served over https');
    let session: WidgetSession;
    try {
      session = await options.api.createSession({ ...options.request, media: context ? 'audio' : 'text' });
    } catch (error) {
      void context?.close();
      if (this.#attempt === attempt)
        this.#fail(codeOf(error), messageOf(error), error instanceof WidgetError ? error.until : null);
      return null;
    }
    if (this.#attempt !== attempt) {
      void context?.close();
      return null;
    }
    this.#dispatch({ type: 'session', callId: session.call_id, agentName: session.agent_name });
    if (context && session.transport === 'audio') await this.#openVoice(context, attempt);
    else void context?.close();
    if (this.#attempt !== attempt) return null;
    this.#connect({ url: session.url, token: session.token, language: options.language }, false);
    return session.call_id;
  }

  /** Goes on with a call of an earlier page. */
  resume(saved: SavedCall): void {
    if (callOfThisPage !== null) return;
    const attempt = this.#begin({ type: 'resume', state: saved.state }, new MessageLedger(saved.ledger));
    this.#connect(saved, true);
    if (!saved.state.hasVoice) return;
    const isGranted = navigator.permissions?.query({ name: 'microphone' as PermissionName });
    isGranted?.then(
      ({ state }) => {
        if (state === 'granted' && this.#attempt === attempt) void this.openSound(new AudioContext());
      },
      // A browser that cannot tell: the visitor is offered to go on with sound.
      () => undefined,
    );
  }

  /** What another page of this tab needs to go on, or `null` when no call is open. */
  save(): SavedCall | null {
    const { status } = this.#state;
    if (this.#session === null || (status !== 'live' && status !== 'reconnecting')) return null;
    return { ...this.#session, ledger: this.#ledger.save(), state: this.#state };
  }

  /** Opens microphone and loudspeaker in a call that has none yet. */
  async openSound(context: AudioContext): Promise<void> {
    if (this.#isOpen && !this.#voice && !this.#state.asking) await this.#openVoice(context, this.#attempt);
    else void context.close();
  }

  /** @param reason of the page, in its own words */
  end(reason?: string): void {
    if (!this.#isOpen) return;
    const pageReason = reason?.trim().slice(0, longestReason) || undefined;
    this.#connection?.send({ type: 'end', ...(pageReason && { reason: pageReason }) });
    this.#over('visitor', { pageReason });
  }

  mute(on: boolean): void {
    this.#dispatch({ type: 'muted', on });
    this.#applyHolds();
  }

  /** Puts the call on hold: no sound is sent or played, and the agent waits. */
  pause(on: boolean): void {
    this.#dispatch({ type: 'paused', on });
    this.#applyHolds();
  }

  sendText(text: string): void {
    if (!this.#isOpen) return;
    this.#dispatch({ type: 'typed', messageId: this.#send({ type: 'text', text }), text });
  }

  sendContext(text: string): void {
    if (this.#isOpen) this.#send({ type: 'context', text });
  }

  sendDigit(digit: string): void {
    if (this.#isOpen) this.#send({ type: 'dtmf', digit });
  }

  /** Forgets what limits the call as it is. */
  dismissNotice(): void {
    this.#dispatch({ type: 'notice', code: null });
  }

  /** Forgets the last call. */
  reset(): void {
    this.#dispatch({ type: 'failed', code: null });
  }

  /** The page is leaving; the server keeps the call for a while. */
  abandon(): void {
    this.#connection?.close();
    this.#release();
  }

  #begin(event: CallEvent, ledger: MessageLedger): object {
    callOfThisPage = this;
    this.#attempt = {};
    this.#ledger = ledger;
    this.#dispatch(event);
    return this.#attempt;
  }

  #send(message: OutgoingMessage): number {
    return this.#connection ? this.#connection.send(message) : this.#ledger.add(message).id;
  }

  #connect(session: { url: string; token: string; language: string }, resumed: boolean): void {
    const { url, token, language } = session;
    this.#session = { url, token, language };
    const attempt = this.#attempt;
    const isCurrent = () => this.#attempt === attempt;
    this.#connection = openConnection({
      url,
      token,
      resumed,
      ledger: this.#ledger,
      start: {
        media: this.#voice ? 'audio' : 'text',
        codecs: this.#voice ? ['mulaw/8000'] : [],
        lang: language,
        tz: Intl.DateTimeFormat().resolvedOptions().timeZone,
      },
      onEvent: (event) => {
        if (isCurrent()) this.#receive(event);
      },
      onSound: (audio) => {
        if (isCurrent()) this.#voice?.play(audio);
      },
      onLost: () => {
        if (isCurrent()) this.#dispatch({ type: 'lost' });
      },
      onClosed: (code) => {
        if (!isCurrent()) return;
        if (this.#state.startedAtMs !== null) this.#over(closeReasons[code ?? 0] ?? 'connection');
        else
          this.#fail(closeFailures[code ?? 0] ?? (code === null ? 'network' : 'server'), `Closed: ${code}`);
      },
    });
  }

  #receive(event: WidgetServerEvent): void {
    this.#dispatch({ type: 'server', event, atMs: Date.now() });
    switch (event.type) {
      case 'ready':
        this.#applyHolds();
        break;
      case 'mark':
        // Without a loudspeaker there is nothing to wait for.
        if (this.#voice) {
          this.#unplayed.add(event.name);
          this.#voice.mark(event.name);
        } else this.#send({ type: 'mark', name: event.name });
        break;
      case 'clear':
        this.#unplayed.clear();
        this.#voice?.clear();
        break;
      case 'end':
        this.#listener.received(event);
        this.#over(event.reason, { durationMs: event.duration_ms });
        return;
    }
    this.#listener.received(event);
  }

  async #openVoice(context: AudioContext, attempt: object): Promise<void> {
    this.#dispatch({ type: 'asking', asking: true });
    const code = import('./audio/voice.ts');
    code.catch(() => undefined);
    let microphone: MediaStream | undefined;
    let voice: Voice | undefined;
    try {
      microphone = await askForMicrophone();
      const { openVoice } = await code;
      voice = await openVoice(context, microphone, {
        frame: (frame) => {
          if (!this.#state.muted && !this.#state.paused) this.#connection?.sendSound(frame);
        },
        played: (mark) => {
          if (this.#unplayed.delete(mark)) this.#send({ type: 'mark', name: mark });
        },
        level: (level) => this.#listener.level(this.#state.muted ? 0 : level),
        lost: () => this.#goOnInWriting('microphone_lost', 'The microphone was taken away'),
        stalled: () => this.#goOnInWriting('voice_unavailable', 'The audio context does not run'),
        noisy: (on) => {
          if (on) this.#note('microphone_noisy', 'The microphone picks up a constant noise');
          else if (this.#state.notice === 'microphone_noisy') this.dismissNotice();
        },
      });
    } catch (error) {
      for (const track of microphone?.getTracks() ?? []) track.stop();
      void context.close();
      if (this.#attempt === attempt) {
        this.#note(error instanceof WidgetError ? error.code : 'voice_unavailable', messageOf(error));
      }
    }
    if (this.#attempt !== attempt) {
      voice?.close();
      return;
    }
    this.#voice = voice ?? null;
    this.#dispatch({ type: 'asking', asking: false });
    if (voice) this.#dispatch({ type: 'voice', open: true });
    this.#applyHolds();
  }

  /** The same call, without sound. What was to be played counts as read, so that the agent waits for nothing. */
  #goOnInWriting(code: ErrorCode, message: string): void {
    if (!this.#voice) return;
    this.#voice.close();
    this.#voice = null;
    for (const name of this.#unplayed) this.#send({ type: 'mark', name });
    this.#unplayed.clear();
    this.#dispatch({ type: 'voice', open: false });
    this.#applyHolds();
    this.#note(code, message);
  }

  #applyHolds(): void {
    const { muted, paused } = this.#state;
    this.#voice?.mute(muted || paused);
    this.#voice?.hold(paused);
    // Nobody can say anything without a microphone: whoever writes is not asked to speak.
    this.#connection?.mention({ type: 'mute', on: muted || paused || this.#voice === null });
    this.#connection?.mention({ type: 'pause', on: paused });
  }

  #over(reason: EndReason, more: { durationMs?: number; pageReason?: string | undefined } = {}): void {
    this.#release();
    this.#dispatch({ type: 'over', reason, atMs: Date.now(), ...more });
  }

  #fail(code: ErrorCode, message: string, until: Date | null = null): void {
    if (callOfThisPage === this) this.#release();
    this.#dispatch({ type: 'failed', code, until });
    this.#listener.failed(code, message, until);
  }

  #note(code: ErrorCode, message: string): void {
    this.#dispatch({ type: 'notice', code });
    this.#listener.failed(code, message);
  }

  /** Lets go of sound and line; the line still delivers what was said on it last. */
  #release(): void {
    this.#attempt = {};
    this.#voice?.close();
    this.#voice = null;
    this.#unplayed.clear();
    this.#connection = null;
    this.#session = null;
    if (callOfThisPage === this) callOfThisPage = null;
  }

  #dispatch(event: CallEvent): void {
    const before = this.#state;
    this.#state = nextCallState(before, event);
    if (this.#state !== before) this.#listener.changed(this.#state, before);
  }
}

const codeOf = (error: unknown): ErrorCode => (error instanceof WidgetError ? error.code : 'server');
const messageOf = (error: unknown) => (error instanceof Error ? error.message : String(error));
