import type { HeardWord } from '@callkite/emulated-voice';
import type { HeardUtterance } from './line/callee-ear.ts';

/** One thing somebody said in a call, as the other side heard it. */
export interface TranscriptLine {
  at: string;
  speaker: 'agent' | 'callee';
  text: string;
  /** The speaker was cut off here. */
  interrupted?: true;
}

/** A status callback, an AMD callback or another notice to the application, and what came of it. */
export interface SentCallback {
  at: string;
  /** `CallStatus` of a status callback, `amd`, or `relay-action` and `dial-action` for what ended with its call. */
  event: string;
  sequenceNumber?: number;
  url: string;
  /** HTTP status of the last attempt, or why there is none. Missing while the request is under way. */
  result?: number | string;
  attempts?: number;
}

/** A ConversationRelay session of a call. */
export interface RelaySessionRecord {
  sessionId: string;
  url: string;
  startedAt: string;
  connectedAt?: string;
  endedAt?: string;
  status?: 'completed' | 'ended' | 'failed' | 'replaced';
  errorCode?: number;
  /** Languages in which the application had text spoken, in this order. */
  spokenLanguages: string[];
  /** Messages the application sent, and how many of them were refused. */
  messagesReceived: number;
  messagesRefused: number;
}

/** A Media Stream of a call. Times in milliseconds count from its start, in time of the call. */
export interface MediaStreamRecord {
  streamSid: string;
  name?: string;
  url: string;
  startedAt: string;
  connectedAt?: string;
  endedAt?: string;
  /**
   * `closed` by the application, `completed` with the call, `replaced` by other instructions, `failed` to connect or to
   * stay connected.
   */
  status?: 'closed' | 'completed' | 'replaced' | 'failed';
  errorCode?: number;
  /** Messages the application sent, and how many of them were refused. */
  messagesReceived: number;
  messagesRefused: number;
  /** Frames of 20 ms that were sent, and that got lost on the way. */
  framesSent: number;
  framesLost: number;
  /** Words the callee heard, and when; the first two thousand. */
  words: HeardWord[];
  /** What was played between two pauses, as the callee heard it; the first thousand. */
  utterances: HeardUtterance[];
}

/** The truth about one create request, or about one leg that `<Dial>` started. Times are ISO 8601. */
export interface CallRecord {
  requestId: string;
  receivedAt: string;
  accountSid: string;
  to: string;
  from: string;
  /** Path and query of the instruction URL: where an application puts its own token. */
  url?: string;
  direction: 'outbound-api' | 'outbound-dial';
  /** How the create was answered: `status` is null when it was left without an answer. */
  outcome: { status: number | null; code?: number; fault?: string };
  /** Missing when the create was not accepted. */
  sid?: string;
  parentSid?: string;
  /** Real status. With the fault `stuckInProgress` the API shows another one. */
  status?: string;
  callee?: string;
  answeredBy?: string;
  sipResponseCode?: number;
  timeline: {
    createdAt?: string;
    dequeuedAt?: string;
    ringingAt?: string;
    answeredAt?: string;
    endedAt?: string;
  };
  /** Faults that were applied to the call. */
  faults: string[];
  /** Instruction documents, in the order they were executed. */
  documents: { at: string; url: string; status?: number; error?: string }[];
  relaySessions: RelaySessionRecord[];
  mediaStreams: MediaStreamRecord[];
  /** Keys the agent sent and keys the callee pressed. */
  digits: { at: string; by: 'agent' | 'callee'; digits: string }[];
  transcript: TranscriptLine[];
  /** What Twilio would show in its debugger. Code 0 is a note of the emulator itself. */
  notifications: { at: string; code: number; message: string }[];
  callbacks: SentCallback[];
}

/** A new, empty record of a leg or of a create request. */
export function newCallRecord(
  about: Pick<CallRecord, 'requestId' | 'accountSid' | 'to' | 'from' | 'direction' | 'outcome'> &
    Partial<CallRecord>,
): CallRecord {
  return {
    receivedAt: new Date().toISOString(),
    timeline: {},
    faults: [],
    documents: [],
    relaySessions: [],
    mediaStreams: [],
    digits: [],
    transcript: [],
    notifications: [],
    callbacks: [],
    ...about,
  };
}

/** Everything the emulator was asked for and did, the last `limit` records of it. */
export class Ledger {
  readonly #records = new Set<CallRecord>();
  readonly #bySid = new Map<string, CallRecord>();
  readonly #limit: number;
  readonly #onForgotten: (sid: string) => void;

  constructor(options: { limit: number; onForgotten: (sid: string) => void }) {
    this.#limit = options.limit;
    this.#onForgotten = options.onForgotten;
  }

  add(record: CallRecord): void {
    this.#records.add(record);
    if (record.sid !== undefined) this.#bySid.set(record.sid, record);
    if (this.#records.size > this.#limit) this.#forgetOldest();
  }

  all(): CallRecord[] {
    return [...this.#records];
  }

  find(sid: string): CallRecord | undefined {
    return this.#bySid.get(sid);
  }

  clear(): void {
    for (const record of this.#records) this.#forget(record);
  }

  #forgetOldest(): void {
    for (const record of this.#records) {
      if (isLive(record)) continue;
      this.#forget(record);
      return;
    }
  }

  #forget(record: CallRecord): void {
    this.#records.delete(record);
    if (record.sid === undefined) return;
    this.#bySid.delete(record.sid);
    this.#onForgotten(record.sid);
  }
}

function isLive(record: CallRecord): boolean {
  return record.sid !== undefined && record.timeline.endedAt === undefined;
}
