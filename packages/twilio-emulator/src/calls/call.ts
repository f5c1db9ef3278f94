import type { Account } from '../accounts.ts';
import type { Emulation } from '../emulation.ts';
import type { CallRecord } from '../ledger.ts';
import { Line } from '../line/line.ts';
import { trialLimits } from '../twiml/trial.ts';
import { StatusCallbacks } from './status-callbacks.ts';

export type CallStatus =
  | 'queued'
  | 'ringing'
  | 'in-progress'
  | 'completed'
  | 'busy'
  | 'no-answer'
  | 'failed'
  | 'canceled';

export type TerminalStatus = 'completed' | 'busy' | 'no-answer' | 'failed' | 'canceled';

export type WebhookMethod = 'GET' | 'POST';

export interface WebhookTarget {
  url: string;
  method: WebhookMethod;
}

/** What an answered call does: a document to fetch, or one given inline. */
export type Instruction = WebhookTarget | { twiml: string };

export const progressEvents = ['initiated', 'ringing', 'answered', 'completed'] as const;
export type ProgressEvent = (typeof progressEvents)[number];

export interface StatusCallbackTarget extends WebhookTarget {
  events: ReadonlySet<ProgressEvent>;
}

export interface MachineDetection {
  mode: 'Enable' | 'DetectMessageEnd';
  timeoutSeconds: number;
  speechThresholdMs: number;
  speechEndThresholdMs: number;
  silenceTimeoutMs: number;
  /** Where the verdict goes while the instructions run already; undefined when they wait for it. */
  async: boolean;
  callback?: WebhookTarget | undefined;
}

/** What a leg is asked to do. */
export interface CallRequest {
  to: string;
  from: string;
  /** Undefined on a leg that `<Dial>` started: it is bridged to its parent. */
  instruction?: Instruction | undefined;
  /** The document that runs on a leg of `<Dial>` before it is bridged. */
  screening?: WebhookTarget | undefined;
  fallback?: WebhookTarget | undefined;
  statusCallback?: StatusCallbackTarget | undefined;
  timeoutSeconds: number;
  timeLimitSeconds?: number | undefined;
  machineDetection?: MachineDetection | undefined;
  sendDigits?: string | undefined;
}

/** Why everything that runs on a call stops. */
export const callOver = new Error('the call is over');

const PRICE_PER_MINUTE = 0.014;

/** One leg: its state, its line, and the truth about it. */
export class Call {
  readonly sid: string;
  readonly account: Account;
  readonly parent: Call | undefined;
  readonly request: CallRequest;
  readonly record: CallRecord;
  readonly createdAt = new Date();
  readonly line: Line;
  updatedAt = this.createdAt;
  startedAt: Date | undefined;
  answeredAt: Date | undefined;
  endedAt: Date | undefined;
  queueTimeMs = 0;
  answeredBy: string | undefined;
  /** Replaces the running instructions; set while the call is answered. */
  redirect: ((instruction: Instruction, fallback: WebhookTarget | undefined) => void) | undefined;
  /** Called once when a leg of `<Dial>` is ready to be bridged to its parent. */
  onBridgeable: (() => void) | undefined;
  readonly #emulation: Emulation;
  readonly #over = new AbortController();
  readonly #callbacks: StatusCallbacks;
  readonly #isStuck: boolean;
  #status: CallStatus = 'queued';
  #shownStatus: CallStatus = 'queued';
  #timeLimit: NodeJS.Timeout | undefined;

  constructor(
    emulation: Emulation,
    leg: {
      sid: string;
      account: Account;
      parent?: Call | undefined;
      request: CallRequest;
      record: CallRecord;
    },
  ) {
    this.#emulation = emulation;
    this.sid = leg.sid;
    this.account = leg.account;
    this.parent = leg.parent;
    this.request = leg.request;
    this.record = leg.record;
    this.#callbacks = new StatusCallbacks(emulation, this, leg.request.statusCallback);
    this.#isStuck = emulation.faults.happens('stuckInProgress');
    this.line = new Line({
      pace: emulation.pace,
      signal: this.#over.signal,
      observer: {
        said: (speaker, text, interrupted) => this.#said(speaker, text, interrupted),
        pressed: (by, digits) => {
          if (emulation.keepTranscripts)
            this.record.digits.push({ at: new Date().toISOString(), by, digits });
        },
      },
    });
    this.record.status = this.#status;
    this.record.timeline.createdAt = this.createdAt.toISOString();
  }

  /** Aborts when the call is over. */
  get signal(): AbortSignal {
    return this.#over.signal;
  }

  get isOver(): boolean {
    return this.#over.signal.aborted;
  }

  get status(): CallStatus {
    return this.#status;
  }

  /** The status that the API and webhooks tell, which a fault may freeze. */
  get shownStatus(): CallStatus {
    return this.#shownStatus;
  }

  get direction(): 'outbound-api' | 'outbound-dial' {
    return this.parent ? 'outbound-dial' : 'outbound-api';
  }

  /** Whole seconds between answer and end; undefined while the call lives. */
  get durationSeconds(): number | undefined {
    if (!this.endedAt) return undefined;
    return this.answeredAt ? Math.ceil((this.endedAt.getTime() - this.answeredAt.getTime()) / 1000) : 0;
  }

  /** US dollars as a negative amount, once the call has cost anything. */
  get price(): string | undefined {
    const seconds = this.durationSeconds;
    return seconds ? `-${(Math.ceil(seconds / 60) * PRICE_PER_MINUTE).toFixed(5)}` : undefined;
  }

  /** The call leaves the queue. */
  initiated(): void {
    this.startedAt = new Date();
    this.queueTimeMs = this.startedAt.getTime() - this.createdAt.getTime();
    this.record.timeline.dequeuedAt = this.startedAt.toISOString();
    this.#callbacks.report('initiated', 'initiated');
  }

  rings(): void {
    this.#moveTo('ringing');
    this.record.timeline.ringingAt = this.updatedAt.toISOString();
    this.#tell('ringing');
    this.#callbacks.report('ringing', 'ringing');
  }

  answered(): void {
    this.#moveTo('in-progress');
    this.answeredAt = this.updatedAt;
    this.record.timeline.answeredAt = this.updatedAt.toISOString();
    this.#tell('answered');
    const { timeLimitSeconds } = this.request;
    if (timeLimitSeconds !== undefined) this.limitTo(timeLimitSeconds);
    this.#callbacks.report('answered', 'in-progress');
  }

  /** Ends the call `seconds` of the call after it was answered. */
  limitTo(seconds: number): void {
    clearTimeout(this.#timeLimit);
    if (this.isOver || !this.answeredAt) return;
    const passedMs = Date.now() - this.answeredAt.getTime();
    const leftMs = this.#emulation.pace.real(seconds * 1000) - passedMs;
    const exceeded = () => {
      const isTrialLimit = this.account.type === 'Trial' && seconds === trialLimits.callSeconds;
      if (isTrialLimit) this.notify(13805, 'The call exceeded the time limit of trial calls');
      this.end('completed', 200);
    };
    this.#timeLimit = setTimeout(exceeded, Math.max(0, leftMs));
  }

  /** Ends the call. Only the first end counts: there is exactly one terminal status and callback. */
  end(status: TerminalStatus, sipResponseCode?: number): void {
    if (this.isOver) return;
    clearTimeout(this.#timeLimit);
    const wasAnswered = this.answeredAt !== undefined;
    this.#status = status;
    this.endedAt = new Date();
    this.updatedAt = this.endedAt;
    this.record.status = status;
    this.record.timeline.endedAt = this.endedAt.toISOString();
    if (sipResponseCode !== undefined) this.record.sipResponseCode = sipResponseCode;
    const isStuck = this.#isStuck && wasAnswered;
    if (isStuck) this.record.faults.push('stuckInProgress');
    else this.#shownStatus = status;
    this.#over.abort(callOver);
    this.#tell('ended', { status });
    if (!isStuck) this.#callbacks.report('completed', status);
  }

  /** Hangs up at the request of the application: before the answer that cancels the call. */
  hangUp(): void {
    this.end(this.answeredAt ? 'completed' : 'canceled', this.answeredAt ? 200 : 487);
  }

  /** Tells nobody anything about the call from now on. */
  silence(): void {
    this.#callbacks.stop();
  }

  /** Points status callbacks somewhere else from now on. */
  reportTo(target: WebhookTarget): void {
    this.#callbacks.redirect(target);
  }

  /** Records what Twilio would show in its debugger. */
  notify(code: number, message: string): void {
    this.record.notifications.push({ at: new Date().toISOString(), code, message });
  }

  #moveTo(status: CallStatus): void {
    this.#status = status;
    this.#shownStatus = status;
    this.updatedAt = new Date();
    this.record.status = status;
  }

  #said(speaker: 'agent' | 'callee', text: string, interrupted: boolean): void {
    if (this.#emulation.keepTranscripts) {
      this.record.transcript.push({
        at: new Date().toISOString(),
        speaker,
        text,
        ...(interrupted ? { interrupted } : {}),
      });
    }
    this.#tell(speaker === 'agent' ? 'agent-speech' : 'callee-speech', { text });
  }

  #tell(
    type: 'ringing' | 'answered' | 'agent-speech' | 'callee-speech' | 'ended',
    details: { text?: string; status?: string } = {},
  ): void {
    const { to, from } = this.request;
    this.#emulation.onEvent({ type, callSid: this.sid, to, from, ...details });
  }
}
