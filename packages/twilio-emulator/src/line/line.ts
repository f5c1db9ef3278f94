import { speak, tone } from '@callkite/emulated-voice';
import { AgentVoice, type CutSpeech, type InterruptibleBy } from './agent-voice.ts';
import { CalleeEar, type EarListener, FRAME_BYTES } from './callee-ear.ts';
import { delay, unlessAborted } from './delay.ts';
import type { Pace } from './pace.ts';

// How long the callee waits, in milliseconds of the call, before taking the agent's silence for its turn. However fast
// calls run, the application thinks in real time, so no wait is shorter than `leastMs` of real time.
const PAUSE_AFTER_FINISHED_CYCLE = { ms: 400, leastMs: 60 };
const PAUSE_IN_OPEN_CYCLE = { ms: 2500, leastMs: 250 };
const LEAST_PATIENCE_MS = 500;

const BEEP_MS = 500;
const BEEP_HZ = 1000;

/** The verb that currently listens to the callee. */
export interface CalleeListener {
  /**
   * The callee begins to speak. The listener decides whether that cuts the agent off.
   * @param text what they are about to say, to tell a "mhm" from a turn
   */
  speechStarted(text: string): void;
  /** What the callee has said so far. */
  speechGoesOn(text: string): void;
  /** @param language BCP-47 tag, where the callee minds which language is listened for */
  speechEnded(text: string, language?: string): void;
  digit(digit: string): void;
}

/** Told about the agent's voice, for speaker events. */
export interface AgentListener {
  agentStarted(): void;
  agentSilent(): void;
}

/** Carries sound between the callee and the application, while there is a connection that does. */
export interface SoundPath {
  /** Whether the agent's speech is not played to its end yet. */
  readonly hasSpeechToPlay: boolean;
  /** Sends a sound after those before it. Resolves once all of it is sent, or never will be. */
  send(audio: Uint8Array): Promise<void>;
  /** Lets milliseconds of the sound pass. @returns how many were left when the connection ended, else 0 */
  pass(milliseconds: number): Promise<number>;
}

/** Who wants to know what is said on a line. */
export interface LineObserver {
  said(speaker: 'agent' | 'callee', text: string, interrupted: boolean): void;
  pressed(by: 'agent' | 'callee', digits: string): void;
}

/** What the callee is saying while no sound is carried. */
interface WordsBeingSaid {
  text: string;
  startedAt: number;
  /** Resolves once what was left to say when sound was connected has been sent. */
  rest: Promise<void>;
}

/** The audio of one call: the agent's voice on one side, the callee on the other. */
export class Line {
  readonly pace: Pace;
  /** Aborts when the call is over. */
  readonly signal: AbortSignal;
  #timesSpoken = 0;
  #wakeHasSpoken: () => void = () => {};
  readonly #hasSpoken = new Promise<void>((resolve) => {
    this.#wakeHasSpoken = resolve;
  });
  /** The verb that listens to the callee; without one, what the callee says is lost. */
  calleeListener: CalleeListener | undefined;
  agentListener: AgentListener | undefined;
  readonly #voice: AgentVoice;
  readonly #observer: LineObserver;
  #heard = '';
  #utterances: string[] = [];
  #pauseTimer: NodeJS.Timeout | undefined;
  #cut: CutSpeech | undefined;
  #wakeHeard: (() => void) | undefined;
  #wakeStarted: (() => void) | undefined;
  #keys: string[] = [];
  #wakePressed: (() => void) | undefined;
  #soundPath: SoundPath | undefined;
  #ear: CalleeEar | undefined;
  #saying: WordsBeingSaid | undefined;

  constructor(options: { pace: Pace; signal: AbortSignal; observer: LineObserver }) {
    this.pace = options.pace;
    this.signal = options.signal;
    this.#observer = options.observer;
    this.#voice = new AgentVoice({
      started: () => this.#agentStarted(),
      silent: (heard, finished) => this.#agentSilent(heard, finished),
    });
    this.signal.addEventListener('abort', () => this.stopAgent(), { once: true });
  }

  get agentSpeaking(): boolean {
    return this.#voice.speaking || this.#ear?.hearsSpeech === true;
  }

  /** What may cut off the agent's current words; undefined when it is silent. */
  get interruptibleBy(): InterruptibleBy | undefined {
    return this.#voice.interruptibleBy;
  }

  /** Queues agent speech, in the current talk cycle. */
  play(piece: {
    text: string;
    /** Real milliseconds. @default the time it takes to say the text */
    durationMs?: number | undefined;
    interruptibleBy: InterruptibleBy;
    preemptible?: boolean | undefined;
    onPlayed?: (() => void) | undefined;
  }): void {
    if (this.signal.aborted) return;
    this.#voice.play({
      text: piece.text,
      durationMs: piece.durationMs ?? this.pace.speech(piece.text),
      interruptibleBy: piece.interruptibleBy,
      preemptible: piece.preemptible ?? false,
      onPlayed: piece.onPlayed,
    });
  }

  finishCycle(): void {
    this.#voice.finishCycle();
  }

  /** Says one thing to the end. Rejects when `signal` aborts. */
  async say(text: string, signal: AbortSignal): Promise<void> {
    const played = new Promise<void>((resolve) => {
      this.play({ text: `${text} `, interruptibleBy: 'none', onPlayed: resolve });
    });
    this.finishCycle();
    await unlessAborted(played, signal);
  }

  /** The callee cuts the agent off. */
  interruptAgent(): CutSpeech | undefined {
    const cut = this.#voice.interrupt();
    if (!cut) return undefined;
    this.#cut = cut;
    this.#endUtterance(cut.heard, true);
    if (!this.agentSpeaking) this.agentListener?.agentSilent();
    return cut;
  }

  /**
   * From now on the two sides hear each other in sound. What the callee is just saying is heard from here on.
   *
   * @returns the ear that has to hear all that is played to the callee
   */
  connectSound(path: SoundPath, observer: Pick<EarListener, 'word' | 'ended'>): CalleeEar {
    this.#soundPath = path;
    this.#ear = new CalleeEar({
      started: () => this.#agentStarted(),
      word: (word) => observer.word(word),
      ended: (utterance) => {
        observer.ended(utterance);
        if (utterance.cutOff) this.#endUtterance(utterance.text, true);
        else this.#heard += utterance.text && `${utterance.text} `;
      },
      finished: () => this.#endUtterance('', false),
      key: (key) => this.sendDigits(key),
    });
    if (this.#saying) this.#saying.rest = this.#sendRestOf(this.#saying);
    return this.#ear;
  }

  /** The application takes back sound before it is played. */
  cutSoundOff(): void {
    if (!this.#soundPath?.hasSpeechToPlay) return;
    this.#ear?.end(true);
    this.#endUtterance('', true);
  }

  /** No sound is carried any more. */
  disconnectSound(): void {
    this.stopAgent();
    this.#soundPath = undefined;
    this.#ear = undefined;
  }

  /** The agent's side is gone: redirected, or its session is over. */
  stopAgent(): void {
    const isCutOff = this.#voice.speaking || this.#soundPath?.hasSpeechToPlay === true;
    this.#ear?.end(isCutOff);
    clearTimeout(this.#pauseTimer);
    this.#endUtterance(this.#voice.stop(), isCutOff);
  }

  /** The agent sends keys. */
  sendDigits(digits: string): void {
    this.#observer.pressed('agent', digits);
    this.#keys.push(...digits.replaceAll('w', ''));
    this.#wakePressed?.();
    this.#wakePressed = undefined;
  }

  /** The next thing the agent said to its end, or undefined when `withinMs` of the call pass without. */
  async nextUtterance(withinMs?: number): Promise<string | undefined> {
    if (this.#utterances.length === 0) {
      const heard = new Promise<void>((resolve) => {
        this.#wakeHeard = resolve;
      });
      if (withinMs === undefined) await unlessAborted(heard, this.signal);
      else await this.#withinSilence(heard, withinMs);
    }
    if (this.#utterances.length === 0) return undefined;
    const utterance = this.#utterances.join(' ');
    this.#utterances = [];
    return utterance;
  }

  /** The next key the agent presses, or undefined when `withinMs` of the call pass without. */
  async nextKey(withinMs: number): Promise<string | undefined> {
    if (this.#keys.length === 0) {
      const pressed = new Promise<void>((resolve) => {
        this.#wakePressed = resolve;
      });
      const patienceMs = Math.max(this.pace.real(withinMs), LEAST_PATIENCE_MS);
      await Promise.race([pressed, delay(patienceMs, this.signal)]);
    }
    return this.#keys.shift();
  }

  /** Resolves once the callee has spoken twice. */
  get calleeHasSpoken(): Promise<void> {
    return this.#hasSpoken;
  }

  /** The callee speaks. @returns what the agent had said if this cut it off */
  async calleeSpeaks(text: string, language?: string): Promise<string> {
    this.#cut = undefined;
    this.calleeListener?.speechStarted(text);
    // The listener may have called interruptAgent().
    const cut = this.#cut as CutSpeech | undefined;
    const heard = cut?.heard ?? (this.#ear?.hearsSpeech ? (this.#heard + this.#ear.heard).trim() : '');
    if (this.#soundPath) await this.#speakInSound(text);
    else await this.#speakInWords(text);
    this.#observer.said('callee', text, false);
    this.calleeListener?.speechEnded(text, language);
    this.#timesSpoken += 1;
    if (this.#timesSpoken === 2) this.#wakeHasSpoken();
    return heard;
  }

  /** Lets milliseconds of the call pass: of its sound, where sound is carried, so that what is heard meanwhile is certain. */
  async pass(milliseconds: number): Promise<void> {
    const path = this.#soundPath;
    const leftMs = path ? await unlessAborted(path.pass(milliseconds), this.signal) : milliseconds;
    if (leftMs > 0) await delay(this.pace.real(leftMs), this.signal);
  }

  /** A machine at the callee's end beeps. */
  async calleeBeeps(): Promise<void> {
    this.#observer.said('callee', '(beep)', false);
    const path = this.#soundPath;
    if (path) await unlessAborted(path.send(tone([BEEP_HZ], BEEP_MS)), this.signal);
    else await this.pass(BEEP_MS);
  }

  calleePresses(digit: string): void {
    this.#observer.pressed('callee', digit);
    this.calleeListener?.digit(digit);
  }

  /** Resolves once the agent speaks, at once if it already does. */
  async agentSpeaks(): Promise<void> {
    if (this.agentSpeaking) return;
    const started = new Promise<void>((resolve) => {
      this.#wakeStarted = resolve;
    });
    await unlessAborted(started, this.signal);
  }

  async #speakInWords(text: string): Promise<void> {
    const durationMs = this.pace.speech(text);
    const saying: WordsBeingSaid = { text, startedAt: performance.now(), rest: Promise.resolve() };
    this.#saying = saying;
    try {
      await delay(durationMs / 2, this.signal);
      this.calleeListener?.speechGoesOn(
        text
          .slice(0, Math.ceil(text.length / 2))
          .replace(/\S*$/, '')
          .trim() || text,
      );
      await delay(durationMs / 2, this.signal);
      await unlessAborted(saying.rest, this.signal);
    } finally {
      this.#saying = undefined;
    }
  }

  async #speakInSound(text: string): Promise<void> {
    const { audio } = await unlessAborted(speak(text, { voice: 'callee' }), this.signal);
    const path = this.#soundPath;
    if (path) await unlessAborted(path.send(audio), this.signal);
    else await delay(this.pace.speech(text), this.signal);
  }

  async #sendRestOf({ text, startedAt }: WordsBeingSaid): Promise<void> {
    const share = Math.min(1, (performance.now() - startedAt) / this.pace.speech(text));
    const { audio } = await speak(text, { voice: 'callee' });
    const frames = Math.floor((audio.length / FRAME_BYTES) * share);
    await this.#soundPath?.send(audio.subarray(frames * FRAME_BYTES));
  }

  /** Waits for the agent to have said something; the time runs only while the agent is silent. */
  async #withinSilence(heard: Promise<void>, withinMs: number): Promise<void> {
    const patienceMs = Math.max(this.pace.real(withinMs), LEAST_PATIENCE_MS);
    let isHeard = false;
    const mark = heard.then(() => {
      isHeard = true;
    });
    do {
      await Promise.race([mark, delay(patienceMs, this.signal)]);
    } while (!isHeard && (this.agentSpeaking || this.#heard !== ''));
  }

  #agentStarted(): void {
    clearTimeout(this.#pauseTimer);
    this.agentListener?.agentStarted();
    this.#wakeStarted?.();
    this.#wakeStarted = undefined;
  }

  #agentSilent(heard: string, finished: boolean): void {
    if (heard !== '') this.agentListener?.agentSilent();
    this.#heard += heard;
    if (this.#heard.trim() === '') return;
    clearTimeout(this.#pauseTimer);
    const pause = finished ? PAUSE_AFTER_FINISHED_CYCLE : PAUSE_IN_OPEN_CYCLE;
    const pauseMs = Math.max(this.pace.real(pause.ms), pause.leastMs);
    this.#pauseTimer = setTimeout(() => this.#endUtterance('', false), pauseMs);
  }

  #endUtterance(rest: string, cutOff: boolean): void {
    clearTimeout(this.#pauseTimer);
    const text = (this.#heard + rest).replace(/\s+/g, ' ').trim();
    this.#heard = '';
    if (text === '') return;
    this.#observer.said('agent', text, cutOff);
    if (cutOff) return;
    this.#utterances.push(text);
    this.#wakeHeard?.();
    this.#wakeHeard = undefined;
  }
}
