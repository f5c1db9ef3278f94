import type { Call } from '../calls/call.ts';
import { callOver } from '../calls/call.ts';
import type { Emulation } from '../emulation.ts';
import { newSid } from '../identifiers.ts';
import type { MediaStreamRecord } from '../ledger.ts';
import { type CalleeEar, FRAME_MS } from '../line/callee-ear.ts';
import type { CalleeListener, SoundPath } from '../line/line.ts';
import { FrameClock } from './frame-clock.ts';
import { Playback } from './playback.ts';
import type { StreamMessage } from './stream-messages.ts';
import type { StreamSettings } from './stream-settings.ts';
import { type StreamOutcome, StreamSocket, type StreamSocketListener } from './stream-socket.ts';

const MAXIMUM_WORDS = 2000;
const MAXIMUM_UTTERANCES = 1000;
const SENT = 'sent';
// However fast the call runs, its sound comes over a real network: what arrives soon after the first piece is not torn off it.
const GATHER_MS = 40;

/** A Media Stream in both directions: the callee's sound goes to the application, the application's to the callee. */
export class ConnectedStream implements SoundPath, CalleeListener, StreamSocketListener {
  readonly #emulation: Emulation;
  readonly #call: Call;
  readonly #record: MediaStreamRecord;
  readonly #socket: StreamSocket;
  readonly #clock: FrameClock;
  /** From the application to the callee. */
  readonly #played: Playback;
  /** From the callee to the application. A mark ends each sound. */
  readonly #sent = new Playback();
  #senders: (() => void)[] = [];
  #passedMs = 0;
  #waits: { untilMs: number; resolve(leftMs: number): void }[] = [];
  #ear: CalleeEar | undefined;
  readonly #recordFrames: ((callee: Uint8Array, agent: Uint8Array) => void) | undefined;
  #dropTimer: NodeJS.Timeout | undefined;
  #finish: (outcome: StreamOutcome) => void = () => {};

  constructor(emulation: Emulation, call: Call, settings: StreamSettings) {
    this.#emulation = emulation;
    this.#call = call;
    this.#record = {
      streamSid: newSid('MZ'),
      ...(settings.name === undefined ? {} : { name: settings.name }),
      url: settings.url,
      startedAt: new Date().toISOString(),
      messagesReceived: 0,
      messagesRefused: 0,
      framesSent: 0,
      framesLost: 0,
      words: [],
      utterances: [],
    };
    call.record.mediaStreams.push(this.#record);
    this.#recordFrames = emulation.recordings?.start(this.#record.streamSid);
    this.#socket = new StreamSocket({ emulation, call, settings, record: this.#record, listener: this });
    const isAccelerated = emulation.pace.simulated(1) > 1;
    this.#played = new Playback(isAccelerated ? GATHER_MS : 0);
    this.#clock = new FrameClock(emulation.pace, (index) => this.#frame(index));
  }

  get hasSpeechToPlay(): boolean {
    return this.#played.hasSpeech;
  }

  /** Runs the stream to its end. Resolves in any case; `signal` aborts when the call or its instructions are gone. */
  run(signal: AbortSignal): Promise<StreamOutcome> {
    return new Promise((resolve) => {
      const aborted = () =>
        this.#socket.stop({ status: signal.reason === callOver ? 'completed' : 'replaced' });
      this.#finish = (outcome) => {
        signal.removeEventListener('abort', aborted);
        resolve(outcome);
      };
      signal.addEventListener('abort', aborted, { once: true });
      this.#socket.open();
    });
  }

  started(): void {
    const { line } = this.#call;
    line.calleeListener = this;
    this.#ear = line.connectSound(this, {
      word: (word) => {
        if (this.#emulation.keepTranscripts && this.#record.words.length < MAXIMUM_WORDS) {
          this.#record.words.push(word);
        }
      },
      ended: (utterance) => {
        if (this.#emulation.keepTranscripts && this.#record.utterances.length < MAXIMUM_UTTERANCES) {
          this.#record.utterances.push(utterance);
        }
      },
    });
    this.#dropLater();
    this.#clock.start();
  }

  received(message: StreamMessage): void {
    switch (message.event) {
      case 'media':
        if (!this.#played.add(Buffer.from(message.media.payload, 'base64'))) {
          this.#call.notify(0, 'Stream: half an hour of sound waits to be played; more is dropped');
        }
        break;
      case 'mark':
        if (!this.#played.mark(message.mark.name)) this.#socket.mark(message.mark.name);
        break;
      case 'clear':
        this.#call.line.cutSoundOff();
        for (const mark of this.#played.clear()) this.#socket.mark(mark);
        break;
    }
  }

  ended(outcome: StreamOutcome): void {
    this.#clock.stop();
    clearTimeout(this.#dropTimer);
    if (this.#ear) {
      this.#call.line.disconnectSound();
      this.#call.line.calleeListener = undefined;
    }
    for (const resolve of this.#senders) resolve();
    for (const { untilMs, resolve } of this.#waits) resolve(untilMs - this.#passedMs);
    this.#finish(outcome);
  }

  send(audio: Uint8Array): Promise<void> {
    return new Promise((resolve) => {
      this.#sent.add(audio);
      this.#sent.mark(SENT);
      this.#senders.push(resolve);
    });
  }

  pass(milliseconds: number): Promise<number> {
    return new Promise((resolve) => {
      this.#waits.push({ untilMs: this.#passedMs + milliseconds, resolve });
    });
  }

  // What the callee says is in its sound.
  speechStarted(): void {}
  speechGoesOn(): void {}
  speechEnded(): void {}

  digit(digit: string): void {
    this.#socket.dtmf(digit);
  }

  #frame(index: number): void {
    const played = this.#played.next();
    this.#ear?.hear(played.frame);
    for (const mark of played.marks) this.#socket.mark(mark);
    const sent = this.#sent.next();
    this.#recordFrames?.(sent.frame, played.frame);
    if (this.#emulation.faults.happens('framesLost')) this.#loseFrame();
    else this.#socket.media(sent.frame, index * FRAME_MS);
    for (const resolve of this.#senders.splice(0, sent.marks.length)) resolve();
    this.#passedMs += FRAME_MS;
    this.#waits = this.#waits.filter(({ untilMs, resolve }) => {
      if (untilMs <= this.#passedMs) resolve(0);
      return untilMs > this.#passedMs;
    });
  }

  #loseFrame(): void {
    this.#record.framesLost += 1;
    const { faults } = this.#call.record;
    if (!faults.includes('framesLost')) faults.push('framesLost');
  }

  #dropLater(): void {
    const { faults, pace } = this.#emulation;
    const { record } = this.#call;
    if (record.faults.includes('socketDrop') || !faults.happens('socketDrop')) return;
    record.faults.push('socketDrop');
    this.#dropTimer = setTimeout(() => this.#socket.destroy(), pace.real(faults.between(1000, 4000)));
  }
}
