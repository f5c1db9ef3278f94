import { WebSocket } from 'ws';
import { addressFault } from '../addresses.ts';
import { type Call, callOver } from '../calls/call.ts';
import type { Emulation } from '../emulation.ts';
import { newSid } from '../identifiers.ts';
import type { RelaySessionRecord } from '../ledger.ts';
import type { CalleeListener } from '../line/line.ts';
import { twilioSignature } from '../signature.ts';
import { type RelayMessage, readRelayMessage } from './relay-messages.ts';
import type { RelaySettings } from './relay-settings.ts';

const CONNECT_TIMEOUT_MS = 10_000;
const MAXIMUM_MALFORMED_IN_A_ROW = 10;
const AUDIO_FILE_MS = 3000;
const BACKCHANNEL = /^(?:(?:m+|mm+-?hm+|mhm|uh-?huh|hm+|ah|aha|oh|okay|ok|yeah|right|i see)[\s.,!]*)+$/i;
const CLOSE_REASON = 'Closing websocket session';

const primary = (tag: string) => tag.split('-')[0] ?? tag;
/** What a recognizer makes of words in a language that it does not listen for. */
const misheard = (text: string) => text.replaceAll(/\p{L}+/gu, 'uh');

/** How a relay session ended. */
export type RelayOutcome =
  | { status: 'ended'; handoffData?: string | undefined }
  | { status: 'failed'; errorCode: number; errorMessage: string }
  | { status: 'completed' }
  | { status: 'replaced' };

/** One ConversationRelay session: the socket to the application on one side, the line on the other. */
export class RelaySession implements CalleeListener {
  readonly sessionId = newSid('VX');
  readonly #emulation: Emulation;
  readonly #call: Call;
  readonly #settings: RelaySettings;
  readonly #record: RelaySessionRecord;
  readonly #startedAt = Date.now();
  #socket: WebSocket | undefined;
  #finish: (outcome: RelayOutcome) => void = () => {};
  #isConnected = false;
  #malformedInARow = 0;
  #isSpeechLost = false;
  #promptedAt: number | undefined;
  #ttsLanguage: string;
  #transcriptionLanguage: string;
  #dropTimer: NodeJS.Timeout | undefined;

  constructor(emulation: Emulation, call: Call, settings: RelaySettings) {
    this.#emulation = emulation;
    this.#call = call;
    this.#settings = settings;
    this.#ttsLanguage = settings.ttsLanguage;
    this.#transcriptionLanguage = settings.transcriptionLanguage;
    this.#record = {
      sessionId: this.sessionId,
      url: settings.url,
      startedAt: new Date().toISOString(),
      spokenLanguages: [],
      messagesReceived: 0,
      messagesRefused: 0,
    };
    call.record.relaySessions.push(this.#record);
  }

  get durationSeconds(): number {
    return Math.round((Date.now() - this.#startedAt) / 1000);
  }

  /** Runs the session to its end. Resolves in any case; `signal` aborts when the call or its instructions are gone. */
  run(signal: AbortSignal): Promise<RelayOutcome> {
    const { line } = this.#call;
    return new Promise((resolve) => {
      const aborted = () => {
        this.#socket?.close(1000, CLOSE_REASON);
        this.#finish({ status: signal.reason === callOver ? 'completed' : 'replaced' });
      };
      this.#finish = (outcome) => {
        this.#finish = () => {};
        signal.removeEventListener('abort', aborted);
        clearTimeout(this.#dropTimer);
        line.calleeListener = undefined;
        line.agentListener = undefined;
        line.stopAgent();
        this.#record.endedAt = new Date().toISOString();
        this.#record.status = outcome.status;
        if (outcome.status === 'failed') {
          this.#record.errorCode = outcome.errorCode;
          this.#call.notify(outcome.errorCode, outcome.errorMessage);
        }
        resolve(outcome);
      };
      signal.addEventListener('abort', aborted, { once: true });
      this.#connect();
    });
  }

  speechStarted(text: string): void {
    this.#report('speaker-events', 'clientSpeaking', 'on');
    const isAgentSpeaking = this.#call.line.interruptibleBy !== undefined;
    const isIgnored = this.#settings.ignoreBackchannel && isAgentSpeaking && BACKCHANNEL.test(text.trim());
    this.#isSpeechLost = isIgnored || !this.#hears('speech');
  }

  speechGoesOn(text: string): void {
    if (this.#settings.partialPrompts && !this.#isSpeechLost) this.#prompt(text, false);
  }

  speechEnded(text: string, language?: string): void {
    this.#report('speaker-events', 'clientSpeaking', 'off');
    if (this.#isSpeechLost) {
      this.#isSpeechLost = false;
      return;
    }
    this.#promptedAt = Date.now();
    const heardFor = this.#transcriptionLanguage;
    const isMisheard =
      language !== undefined && heardFor !== 'multi' && primary(heardFor) !== primary(language);
    this.#prompt(isMisheard ? misheard(text) : text, true, language);
  }

  digit(digit: string): void {
    if (this.#settings.dtmfDetection && this.#hears('dtmf')) this.#send({ type: 'dtmf', digit });
  }

  /** Lets input cut the agent off where that is allowed. @returns whether the application gets to know the input */
  #hears(kind: 'speech' | 'dtmf'): boolean {
    const { line } = this.#call;
    const interruptibleBy = line.interruptibleBy;
    if (interruptibleBy === undefined) return true;
    if (interruptibleBy !== 'any' && interruptibleBy !== kind) {
      const reported = this.#settings.reportInputDuringAgentSpeech;
      return reported === 'any' || reported === kind;
    }
    const cut = line.interruptAgent();
    if (cut) {
      this.#send({
        type: 'interrupt',
        utteranceUntilInterrupt: cut.text,
        durationUntilInterruptMs: Math.round(this.#emulation.pace.simulated(cut.durationMs)),
      });
    }
    return true;
  }

  #connect(): void {
    const { url } = this.#settings;
    const { allowInsecureLoopback } = this.#emulation;
    const fault = addressFault(url, { secureProtocol: 'wss:', allowInsecureLoopback });
    if (fault !== undefined) {
      this.#fail(64102, `Unable to connect to websocket URL: ${fault}`);
      return;
    }
    const socket = new WebSocket(url, {
      headers: { 'X-Twilio-Signature': twilioSignature(this.#call.account.authToken, url) },
      handshakeTimeout: CONNECT_TIMEOUT_MS,
      perMessageDeflate: false,
    });
    this.#socket = socket;
    socket.on('open', () => this.#connected());
    socket.on('message', (data, isBinary) => this.#received(isBinary ? '' : data.toString()));
    socket.on('error', (error) => {
      if (!this.#isConnected) this.#fail(64102, `Unable to connect to websocket URL: ${error.message}`);
    });
    socket.on('close', (code) => this.#fail(64105, `Websocket ended unexpectedly (close code ${code})`));
  }

  #connected(): void {
    const call = this.#call;
    const settings = this.#settings;
    this.#isConnected = true;
    this.#record.connectedAt = new Date().toISOString();
    call.line.calleeListener = this;
    call.line.agentListener = {
      agentStarted: () => this.#report('speaker-events', 'agentSpeaking', 'on'),
      agentSilent: () => this.#report('speaker-events', 'agentSpeaking', 'off'),
    };
    this.#send({
      type: 'setup',
      sessionId: this.sessionId,
      accountSid: call.account.sid,
      parentCallSid: call.parent?.sid ?? '',
      callSid: call.sid,
      from: call.request.from,
      to: call.request.to,
      forwardedFrom: '',
      callType: 'PSTN',
      callerName: '',
      direction: call.direction,
      callStatus: 'IN_PROGRESS',
      customParameters: settings.customParameters,
    });
    if (settings.voiceFault !== undefined) {
      this.#send({ type: 'error', description: settings.voiceFault });
      this.#socket?.close(1000, CLOSE_REASON);
      this.#fail(64101, `Invalid voice configuration: ${settings.voiceFault}`);
      return;
    }
    this.#dropLater();
    if (settings.welcomeGreeting !== '') {
      const interruptibleBy = settings.welcomeGreetingInterruptibleBy;
      call.line.play({ text: `${settings.welcomeGreeting} `, interruptibleBy });
      call.line.finishCycle();
    }
  }

  #received(frame: string): void {
    if (this.#record.endedAt !== undefined) return;
    this.#record.messagesReceived += 1;
    const message = readRelayMessage(frame);
    if ('fault' in message) {
      this.#refuse(message.fault);
      return;
    }
    this.#malformedInARow = 0;
    this.#carryOut(message);
  }

  #carryOut(message: RelayMessage): void {
    const { line } = this.#call;
    switch (message.type) {
      case 'text':
        this.#speak(message);
        break;
      case 'play': {
        const times = message.loop === 0 ? 1000 : message.loop;
        line.play({
          text: `(audio ${message.source}) `,
          durationMs: this.#emulation.pace.real(AUDIO_FILE_MS * times),
          interruptibleBy: this.#interruptibleBy(message.interruptible),
          preemptible: message.preemptible,
        });
        line.finishCycle();
        break;
      }
      case 'sendDigits':
        line.sendDigits(message.digits);
        break;
      case 'language':
        this.#ttsLanguage = message.ttsLanguage ?? this.#ttsLanguage;
        this.#transcriptionLanguage = message.transcriptionLanguage ?? this.#transcriptionLanguage;
        break;
      case 'end':
        this.#socket?.close(1000, CLOSE_REASON);
        this.#finish({ status: 'ended', handoffData: message.handoffData });
        break;
    }
  }

  #speak(message: RelayMessage & { type: 'text' }): void {
    const { line } = this.#call;
    if (this.#promptedAt !== undefined) {
      this.#report('debugging', 'roundTripDelayMs', String(Date.now() - this.#promptedAt));
      this.#promptedAt = undefined;
    }
    if (message.token !== '') {
      const language = message.lang ?? this.#ttsLanguage;
      if (this.#record.spokenLanguages.at(-1) !== language) this.#record.spokenLanguages.push(language);
      const isReported = this.#settings.reports.has('tokens-played');
      line.play({
        text: message.token,
        interruptibleBy: this.#interruptibleBy(message.interruptible),
        preemptible: message.preemptible ?? this.#settings.preemptible,
        onPlayed: isReported ? () => this.#report('tokens-played', 'tokensPlayed', message.token) : undefined,
      });
    }
    if (message.last) line.finishCycle();
  }

  #interruptibleBy(override: boolean | undefined) {
    if (override === undefined) return this.#settings.interruptibleBy;
    return override ? 'any' : 'none';
  }

  #refuse(fault: string): void {
    this.#record.messagesRefused += 1;
    this.#malformedInARow += 1;
    this.#call.notify(64107, `Invalid message: ${fault}`);
    this.#send({ type: 'error', description: `Invalid message received: ${fault}` });
    if (this.#malformedInARow < MAXIMUM_MALFORMED_IN_A_ROW) return;
    this.#socket?.close(1007, 'Too many consecutive malformed messages.');
    this.#fail(64105, 'Too many consecutive malformed messages.');
  }

  #prompt(text: string, last: boolean, language = 'en-US'): void {
    const heardFor = this.#transcriptionLanguage;
    const lang = heardFor === 'multi' ? primary(language) : heardFor;
    this.#send({ type: 'prompt', voicePrompt: text, lang, last });
  }

  #report(kind: string, name: string, value: string): void {
    if (this.#settings.reports.has(kind)) this.#send({ type: 'info', name, value });
  }

  #send(message: object): void {
    if (this.#socket?.readyState === WebSocket.OPEN) this.#socket.send(JSON.stringify(message));
  }

  #fail(errorCode: number, errorMessage: string): void {
    this.#finish({ status: 'failed', errorCode, errorMessage });
  }

  #dropLater(): void {
    const { faults, pace } = this.#emulation;
    const { record } = this.#call;
    if (record.faults.includes('socketDrop') || !faults.happens('socketDrop')) return;
    record.faults.push('socketDrop');
    const afterMs = pace.real(faults.between(1000, 4000));
    this.#dropTimer = setTimeout(() => this.#socket?.terminate(), afterMs);
  }
}
