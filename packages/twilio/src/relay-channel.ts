import type { CalleeEvent, Logger, RelayChannel, TextSocket } from '@callkite/core';
import { Playback } from './playback.ts';
import { parseRelayMessage, type RelayCommand, type RelayMessage } from './relay-messages.ts';

const MAXIMUM_BUFFERED_BYTES = 1024 * 1024;
/** WebSocket close codes: 1001 going away, 1008 policy violation. */
const GOING_AWAY = 1001;
const TOO_SLOW = 1008;

/** One ConversationRelay session as a speech channel. */
export class ConversationRelayChannel implements RelayChannel {
  readonly #socket: TextSocket;
  readonly #logger: Logger;
  readonly #hearsAll: boolean;
  readonly #playback = new Playback();
  readonly #undelivered: CalleeEvent[] = [];
  #listener: ((event: CalleeEvent) => void) | undefined;
  #ready = false;
  #ended = false;
  #dropped = false;

  /** @param hearsAll whether the callee is understood in several languages at once, see {@link hearsAllLanguages} */
  constructor(socket: TextSocket, logger: Logger, hearsAll: boolean) {
    this.#socket = socket;
    this.#hearsAll = hearsAll;
    this.#logger = logger;
    socket.onMessage((frame) => this.#receive(frame));
    socket.onClose(() => {
      this.#dropped = true;
      this.#playback.stop();
      this.#emit({ type: 'closed' });
    });
  }

  listen(listener: (event: CalleeEvent) => void): void {
    this.#listener = listener;
    for (const event of this.#undelivered.splice(0)) listener(event);
  }

  speak(text: string, options: { readonly last: boolean; readonly interruptible: boolean }): void {
    if (text === '' && !options.last) return;
    this.#playback.sent(text);
    this.#send({ type: 'text', token: text, last: options.last, interruptible: options.interruptible });
  }

  speakIn(language: string): void {
    this.#send({
      type: 'language',
      ttsLanguage: language,
      ...(!this.#hearsAll && { transcriptionLanguage: language }),
    });
  }

  /** Sends `0-9`, `#`, `*` and `w` (half a second of silence); Twilio knows no other keys. */
  pressDigits(digits: string): void {
    const known = digits.replace(/[^0-9w#*]/g, '');
    if (known !== '') this.#send({ type: 'sendDigits', digits: known });
  }

  end(): void {
    if (this.#ended) return;
    this.#playback.whenPlayed(() => {
      this.#send({ type: 'end' });
      this.#ended = true;
    });
  }

  close(): void {
    this.#drop(GOING_AWAY, 'going away');
  }

  #receive(frame: string): void {
    if (this.#dropped) return;
    const message = parseRelayMessage(frame);
    if (message === null) {
      this.#logger.debug({ length: frame.length }, 'ignored a relay message of an unknown kind');
      return;
    }
    // Nothing can come before the setup, nor another setup after it.
    if ((message.type === 'setup') === this.#ready) return;
    this.#ready = true;
    this.#follow(message);
    const event = calleeEvent(message);
    if (event !== null) this.#emit(event);
  }

  #follow(message: RelayMessage): void {
    if (message.type === 'interrupt') this.#playback.cut();
    if (message.type !== 'info') return;
    if (message.name === 'tokensPlayed') this.#playback.played(message.value);
    if (message.name === 'agentSpeaking') this.#playback.agentSpeaking(message.value === 'on');
  }

  #emit(event: CalleeEvent): void {
    if (this.#listener === undefined) this.#undelivered.push(event);
    else this.#listener(event);
  }

  #send(command: RelayCommand): void {
    if (this.#dropped || this.#ended) return;
    this.#socket.send(JSON.stringify(command));
    if (this.#socket.bufferedBytes > MAXIMUM_BUFFERED_BYTES) this.#drop(TOO_SLOW, 'too slow');
  }

  #drop(code: number, reason: string): void {
    if (this.#dropped) return;
    this.#dropped = true;
    this.#playback.stop();
    this.#socket.close(code, reason);
  }
}

function calleeEvent(message: RelayMessage): CalleeEvent | null {
  switch (message.type) {
    case 'setup':
      return { type: 'ready', providerCallId: message.callSid, sessionId: message.sessionId };
    case 'prompt':
      if (message.last === false || message.voicePrompt.trim() === '') return null;
      return { type: 'said', text: message.voicePrompt, language: message.lang ?? null };
    case 'dtmf':
      return { type: 'pressed', digit: message.digit };
    case 'interrupt':
      return {
        type: 'interrupted',
        heardText: message.utteranceUntilInterrupt ?? '',
        atMs: message.durationUntilInterruptMs,
      };
    case 'info':
      return informed(message);
    case 'error':
      return { type: 'failed', description: message.description ?? 'unknown error' };
  }
}

function informed(message: Extract<RelayMessage, { type: 'info' }>): CalleeEvent {
  switch (message.name) {
    case 'tokensPlayed':
      return { type: 'played', text: message.value };
    case 'agentSpeaking':
      return { type: 'agent-speaking', speaking: message.value === 'on' };
    case 'clientSpeaking':
      return { type: 'callee-speaking', speaking: message.value === 'on' };
  }
}
