import type { CallOutcome, CallReason, CallState, WorkflowDefinition } from '@callkite/contract';
import type { Mode, Scope } from '../kernel/mode.ts';
import type { Page, PageRequest } from '../kernel/page.ts';
import type { AnsweredBy, CarrierCallStatus } from './carrier-adapter.ts';
import type { CarrierConnection } from './carrier-connection.ts';
import type { NewDelivery } from './delivery.ts';
import type { VelocityAlarm } from './velocity-alarm.ts';

/**
 * Who or what is heard on a call. `greeting`: a mailbox speaks, and its end is waited for; `voicemail`: a message is being
 * left there. `someone`: a word or two, as people say them when they pick up, and nothing since that settles it.
 */
export type HeardAnswer =
  | 'someone'
  | 'person'
  | 'greeting'
  | 'voicemail'
  | 'screening'
  | 'menu'
  | 'mailbox-full'
  | 'fax';

export interface CallRecord {
  readonly id: string;
  readonly organizationId: string;
  readonly mode: Mode;
  readonly origin: 'workflow' | 'prompt';
  readonly workflowId: string;
  readonly workflowVersion: number;
  readonly workflowName: string;
  /** `null` for a web call, which no carrier carries. */
  readonly connectionId: string | null;
  /** E.164, or `browser` for a web call */
  readonly from: string;
  /** E.164, `browser` for a web call, or `erased` */
  readonly to: string;
  readonly recipientName: string | null;
  readonly recipientEmail: string | null;
  readonly recipientContext: string | null;
  /** The task sentence of a prompt call. */
  readonly prompt: string | null;
  readonly callbackUrl: string | null;
  readonly sealedCallbackSecret: string | null;
  readonly state: CallState;
  /** `null` until completed. */
  readonly outcome: CallOutcome | null;
  readonly reason: CallReason | null;
  /** What was heard, and until then what the carrier detected. */
  readonly answeredBy: AnsweredBy | null;
  /** Noted by the conversation; `null` while it is open who answered. */
  readonly heard: HeardAnswer | null;
  /** The message written for this call, where its workflow asks for one. */
  readonly voicemailMessage: string | null;
  readonly cancelRequested: boolean;
  /** The agent is done; what is left is to hang up. */
  readonly conversationOver: boolean;
  /** Written by `finishCall`, shortly after the end; empty once erased. */
  readonly summary: string | null;
  readonly createdAt: Date;
  readonly answeredAt: Date | null;
  readonly endedAt: Date | null;
  readonly durationSeconds: number | null;
  /** When its content was erased. */
  readonly erasedAt: Date | null;
}

export interface TranscriptEntry {
  readonly role: 'assistant' | 'user';
  /** For the assistant: what the callee heard. */
  readonly content: string;
  /** The callee spoke over it, and it was cut where playback stopped. */
  readonly interrupted: boolean;
  readonly at: Date;
}

export type AttemptState = 'intent' | 'placed' | 'unknown' | 'not_placed' | 'ended';

/** One try at the carrier for one call. A call has at most one live attempt (`intent`, `placed`, `unknown`). */
export interface AttemptRecord {
  readonly id: string;
  readonly callId: string;
  readonly organizationId: string;
  readonly connectionId: string;
  readonly from: string;
  readonly to: string;
  readonly state: AttemptState;
  readonly providerCallId: string | null;
  readonly intentAt: Date;
  /** Milliseconds since the intent, by the store's clock. */
  readonly ageMs: number;
  /** How often a poll found no record, or a record that should have ended. */
  readonly fruitlessLooks: number;
}

/** An idempotency key as one request used it. */
export interface UsedKey {
  readonly organizationId: string;
  /** Keys of different endpoints have nothing to do with each other. */
  readonly endpoint: string;
  readonly key: string;
  /** Keyed hash of it, which is all that is left of the key once the call is erased. */
  readonly keyHash: string;
  /** Equal for equal bodies. */
  readonly fingerprint: string;
}

/** A stored answer that a repeated request gets again, byte for byte. */
export interface StoredAnswer {
  readonly status: number;
  readonly body: string;
  /** `null` for an answer from before the store kept it. */
  readonly callId: string | null;
  readonly fingerprintMatches: boolean;
}

export interface AcceptCall {
  readonly callId: string;
  readonly organizationId: string;
  readonly mode: Mode;
  /** E.164 */
  readonly to: string;
  /** Keyed hash of that number, for opt-outs whose number was erased. Kept until the call is erased. */
  readonly toKey: string;
  readonly recipientName: string | null;
  readonly recipientEmail: string | null;
  readonly recipientContext: string | null;
  readonly callbackUrl: string | null;
  readonly sealedCallbackSecret: string | null;
  /** Nothing is done for the call before so long; 0: at once. */
  readonly dialInMs: number;
  /** Undialed calls end as `carrier_unavailable` after this. */
  readonly deadlineMs: number;
  /** The limit of an organization that has none of its own, in minutes a UTC day; `null`: unlimited. */
  readonly defaultDailyMinutes: number | null;
  readonly idempotency:
    | (Omit<UsedKey, 'organizationId'> & {
        readonly lifetimeMs: number;
        readonly answer: { readonly status: number; readonly body: string };
      })
    | null;
  readonly work: /** Stores a `write_voicemail` job where the workflow asks for a message; then as below, before `setVoicemailMessage`. */
    | { readonly origin: 'workflow'; readonly workflowId: string }
    /** Stores the workflow too, and a `generate_workflow` job; the call is not dialed before `setGeneratedWorkflow`. */
    | {
        readonly origin: 'prompt';
        readonly prompt: string;
        readonly workflowId: string;
        readonly workflowName: string;
        readonly fallbackDefinition: WorkflowDefinition;
      };
}

/** Checked in this order; the first that holds is returned. Only `accepted` changes anything. */
export type AcceptResult =
  | { readonly result: 'replayed'; readonly answer: StoredAnswer }
  | { readonly result: 'workflow-not-found' }
  | { readonly result: 'workflow-forbidden' }
  | { readonly result: 'number-opted-out' }
  /** A live call that is to be dialed today, whose minutes are used up; the seconds last until the next UTC day. */
  | { readonly result: 'spending-limit'; readonly retryAfterSeconds: number }
  | { readonly result: 'no-usable-number' }
  | { readonly result: 'carrier-down'; readonly retryAfterSeconds: number }
  | { readonly result: 'accepted'; readonly connectionId: string };

export interface DialClaim {
  readonly attempt: AttemptRecord;
  readonly call: CallRecord;
  readonly definition: WorkflowDefinition;
  readonly connection: CarrierConnection;
  readonly velocityAlarm: VelocityAlarm | null;
}

/**
 * What claiming found:
 * - `claimed`: an attempt in state `intent` is on disk; the caller owes the carrier at most one request, at once.
 * - `wait`: there is a due call, but the line is busy or the next start is not yet allowed.
 * - `spent`: the minutes of the organization's day are used up, and due calls of the line ended as `spending_limit`.
 *   There may be more: claim again.
 * - `idle`: nothing to dial.
 */
export type ClaimResult =
  | { readonly result: 'claimed'; readonly claim: DialClaim }
  | { readonly result: 'wait'; readonly waitMs: number }
  | { readonly result: 'spent'; readonly organizationId: string }
  | { readonly result: 'idle' };

/** What the carrier said about an attempt, from a webhook or a poll alike. */
export interface AttemptReport {
  readonly providerCallId: string;
  readonly status: CarrierCallStatus;
  readonly answeredBy: AnsweredBy | null;
  readonly durationSeconds: number | null;
}

export type ReportResult =
  /** `changed` is false for repeats and for events that came too late. */
  | { readonly result: 'applied'; readonly changed: boolean; readonly call: CallRecord }
  /** The attempt was given up or is bound to another carrier call: end this carrier call at once. */
  | { readonly result: 'ghost'; readonly call: CallRecord }
  | { readonly result: 'unknown-attempt' };

export interface CallStore {
  /** The answer that a key got, while the key belongs to the request that got it. */
  findAnswer(used: UsedKey): Promise<StoredAnswer | null>;
  /**
   * Takes a call in: idempotency claim, call row (and workflow), in one round trip where possible.
   * Concurrent requests with one key wait for the first; when it takes over 5 s, `request_in_progress`.
   */
  accept(input: AcceptCall): Promise<AcceptResult>;
  get(scope: Scope, callId: string): Promise<CallRecord | null>;
  list(
    scope: Scope,
    filter: {
      readonly state?: CallState;
      readonly callStatus?: CallOutcome['callStatus'];
      readonly workflowId?: string;
      readonly to?: string;
      readonly createdAfter?: Date;
      readonly createdBefore?: Date;
    },
    page: PageRequest,
  ): Promise<Page<CallRecord>>;

  /** The call with the workflow version it runs, whoever owns it: for work on behalf of the call itself. */
  load(
    callId: string,
  ): Promise<{ readonly call: CallRecord; readonly definition: WorkflowDefinition } | null>;
  /**
   * Stores the generated definition as the next version of the prompt call's workflow, points the call at it and
   * makes the call dialable. `null`: dial with the fallback. No effect when the call is already dialable or over.
   */
  setGeneratedWorkflow(
    callId: string,
    generated: { readonly name: string; readonly definition: WorkflowDefinition } | null,
  ): Promise<void>;

  /**
   * Stores the message written for a mailbox and makes the call dialable. `null`: dial without. No effect when the call
   * is already dialable or over.
   */
  setVoicemailMessage(callId: string, message: string | null): Promise<void>;

  /**
   * Cancels: `cancelRequested` is set. Queued: completed at once as canceled. Dialing or live: the attempt is
   * returned, for the caller to end at the carrier. Already completed: nothing.
   */
  cancel(
    scope: Scope,
    callId: string,
  ): Promise<{ readonly call: CallRecord; readonly attempt: AttemptRecord | null } | null>;

  /** Connections with at least one due call, that are active and not down; for the dispatcher's round. */
  connectionsWithDueCalls(limit: number): Promise<readonly string[]>;
  /**
   * Under the connection's row lock: ends calls that are canceled, opted out or past their deadline; checks that
   * open attempts (`intent`, `placed`, `unknown`) stay within the concurrency limit and starts within the calls
   * per second, by counting rows, never by counters; takes the next due call whose (from, to) pair has no open
   * attempt; stores the attempt as `intent` with its `watch_attempt` job, and the call as `dialing`.
   * No live call begins once the organization's day has reached its limit (see `DailyUsage`), whatever lines its calls
   * and transfers go out on: who claims looks while nobody else of the organization does. Calls that have begun go on.
   * @param defaultDailyMinutes the limit of an organization that has none of its own; `null`: unlimited
   */
  claimNext(
    connectionId: string,
    attemptId: string,
    defaultDailyMinutes: number | null,
  ): Promise<ClaimResult>;
  /**
   * Binds the carrier's id, compare-and-set from `intent` or `unknown`. `true` also when a report has bound this very
   * id before; `false` when the attempt was resolved otherwise: the carrier's call is a ghost then.
   */
  attemptPlaced(attemptId: string, providerCallId: string): Promise<boolean>;
  /** From `intent` to `unknown`, with the watch job due after `lookInMs`. `false` when already resolved. */
  attemptUnknown(attemptId: string, lookInMs: number): Promise<boolean>;
  /**
   * Closes an attempt that surely rang nobody, from `intent` or `unknown`, and in the same step gives the call its
   * next owner: back to the queue after `retryInMs`, or completed as `not_picked_up`/`failed` (`canceled` when
   * that was requested) with the reason. `false` when the attempt was resolved otherwise.
   */
  attemptNotPlaced(
    attemptId: string,
    next: { readonly retryInMs: number } | { readonly reason: CallReason },
  ): Promise<boolean>;
  getAttempt(attemptId: string): Promise<AttemptRecord | null>;
  /** Whether a carrier call is already bound to any attempt. */
  isBound(providerCallId: string): Promise<boolean>;
  countFruitlessLook(attemptId: string): Promise<number>;
  /**
   * Applies what the carrier reports: binds the id of an `intent` or `unknown` attempt, moves the call's state
   * forward only, keeps the first terminal status. A terminal status ends the attempt, completes the call with its
   * outcome (see `callOutcome` in calls/call-status.ts) and enqueues `finish_call`, in the same step.
   */
  report(attemptId: string, report: AttemptReport): Promise<ReportResult>;
  /** Ends an attempt the carrier cannot tell the end of, completing the call as `not_picked_up`/`failed`. */
  abandonAttempt(attemptId: string, reason: CallReason): Promise<boolean>;
  /** Notes why the conversation is ending, while the call is live; kept by the terminal step. First note wins. */
  noteReason(callId: string, reason: CallReason): Promise<void>;
  /**
   * As `noteReason` with `agent_unavailable`, and the call does not end as a success: the agent broke off before what the
   * call was for was reached. No effect where a reason was noted before.
   */
  noteAgentFailed(callId: string): Promise<void>;

  /** Notes that the conversation came to its end: a channel that closes from now on is not lost. */
  noteConversationOver(callId: string): Promise<void>;

  /**
   * Notes who or what is heard, while the call is live; the last note counts. From then on it, not what the carrier
   * detected, says who answered and whether the call reached a machine (see `answeredByHeard`).
   */
  noteHeard(callId: string, heard: HeardAnswer): Promise<void>;

  /** Counts a lost speech channel of a live call. @returns how many were lost, this one included */
  countLostChannel(callId: string): Promise<number>;

  /**
   * Takes the conversation of a call for `holder`, in place of whoever had it, for so long. `false` when the call is over.
   */
  holdConversation(callId: string, holder: string, leaseMs: number): Promise<boolean>;
  /** Prolongs what these hold. @returns those of them that still hold the conversation of a call that is not over */
  prolongConversations(holders: readonly string[], leaseMs: number): Promise<readonly string[]>;
  /** Notes that everything of the conversation is on record. No effect when somebody else has it. */
  releaseConversation(callId: string, holder: string): Promise<void>;
  /**
   * Closes the record of a completed call: from then on nothing is added to its transcript and forms, whoever comes.
   * Waits for the end of its last conversation to be on record: until its holder let go, or has not prolonged for
   * `lease` and the call is over for as long (after an outage of the store a holder gets that time to come back), at
   * most for `longest`; where nobody held one, for `settle`. A call whose conversation was lost or never began ends as
   * `sealedEnd` in calls/call-status.ts says. Sealing again changes nothing. `null` when the call is not completed, or erased.
   */
  seal(
    callId: string,
    waitMs: { readonly settle: number; readonly lease: number; readonly longest: number },
  ): Promise<{ readonly sealed: true } | { readonly sealed: false; readonly againInMs: number } | null>;

  /** Adds to the transcript. `not_found` also once the call is sealed or erased. @returns the number of the entry, from 1 */
  appendTranscript(callId: string, entry: Omit<TranscriptEntry, 'at'>): Promise<number>;
  transcript(callId: string): Promise<readonly TranscriptEntry[]>;

  /**
   * Stores the summary and the deliveries with their jobs; once. `false` when it was done before, or the call is erased.
   * Where the callee refused to be recorded, the transcript, the quotes of form answers and the messages of deliveries are
   * dropped then, for good: none is stored from then on, by whatever was under way.
   */
  finishCall(callId: string, summary: string, deliveries: readonly NewDelivery[]): Promise<boolean>;

  /**
   * Erases what was said on a call and who it was with, for good: from then on nothing of the kind is stored for it, by
   * whatever was under way. Ids, times, statuses and seconds stay. So does the opt-out of a number, as a keyed hash that
   * no longer tells the call it comes from. Deliveries lose their bodies, and pending ones end as `canceled`, or as `unknown` where a
   * callback is being sent. Its idempotency key is replaced by the hash of it, and found by that. A recording is left to a `follow_recording` job, due now, with its consent `withdrawn`. The
   * workflow of a prompt call is deleted and blanked, unless a call that is not erased runs it.
   * Erasing again changes nothing. `null` when there is no such call; `conflict` when it is not over.
   * @param blank what is left of such a workflow
   */
  erase(
    scope: Scope,
    callId: string,
    blank: { readonly name: string; readonly definition: WorkflowDefinition },
  ): Promise<CallRecord | null>;

  /** Marks an active connection as paused until it is verified again. */
  pauseConnection(connectionId: string): Promise<void>;
  /** Nothing is dialed on the connection for this long. 0 clears it. */
  setConnectionDown(connectionId: string, forMs: number): Promise<void>;
  /** Lowers the concurrency that is used below the account's limit after the carrier refused; recovers by one a minute. */
  reduceConcurrency(connectionId: string): Promise<void>;
  /** The sealed account secret an attempt was placed with; `null` for an unknown attempt. */
  connectionOfAttempt(attemptId: string): Promise<CarrierConnection | null>;
  /**
   * Finds calls without an owner (no open job, no live attempt, not queued) and gives them a `watch_attempt`,
   * `watch_web_call` or `finish_call` job. Anything found is a defect: the caller logs it as an error.
   */
  adoptOrphans(): Promise<number>;
  /** Deletes idempotency records that expired over an hour ago. */
  purgeIdempotency(): Promise<void>;
}
