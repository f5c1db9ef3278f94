import type { HttpRequest, HttpResponse } from '../kernel/http.ts';
import type { CallChannel, TextSocket } from './speech.ts';

/** Decrypted credentials of an organization's account at the carrier. Never logged. */
export interface CarrierAccount {
  readonly accountId: string;
  readonly secret: string;
}

/** Statuses as carriers spell them. */
export type CarrierCallStatus =
  | 'queued'
  | 'initiated'
  | 'ringing'
  | 'in-progress'
  | 'completed'
  | 'busy'
  | 'no-answer'
  | 'failed'
  | 'canceled';

export type AnsweredBy = 'human' | 'machine' | 'fax' | 'unknown';

export interface PlaceCallRequest {
  /** E.164 */
  readonly to: string;
  /** E.164, connected by the organization */
  readonly from: string;
  /** Opaque signed text; comes back in every webhook and socket of this call. URL-safe, at most 100 characters. */
  readonly attemptToken: string;
  readonly ringSeconds: number;
  /** The carrier ends the call at this age even if we are gone. */
  readonly maximumDurationSeconds: number;
  readonly detectMachine: boolean;
}

/** A recording as the carrier has it. `processing`: over, and not to be had yet. `absent`: nothing was recorded. */
export interface CarrierRecording {
  readonly providerRecordingId: string;
  readonly status: 'recording' | 'processing' | 'completed' | 'absent';
  readonly durationSeconds: number | null;
}

/** What the carrier knows of a call when asked. */
export interface CarrierCall {
  readonly providerCallId: string;
  readonly status: CarrierCallStatus;
  readonly from: string;
  readonly to: string;
  /** Milliseconds since the epoch; null while the carrier has not dated it. */
  readonly createdAtMs: number | null;
  readonly answeredBy: AnsweredBy | null;
  readonly durationSeconds: number | null;
  /** Present when the carrier tells how long the call waited in its own queue. */
  readonly queueMs: number | null;
}

/**
 * Result of one attempt to place a call. The classification is the adapter's duty:
 * - `placed`: the carrier answered with its id.
 * - `not-placed`: certain that no call exists. `retry` tells whether trying again later makes sense;
 *   `scope` whether only this call or the whole account is refused.
 * - `unknown`: the request may have reached the carrier (5xx, timeout, reset, unreadable answer).
 *   Such a call must never be placed again.
 */
export type DialResult =
  | { readonly outcome: 'placed'; readonly providerCallId: string }
  | {
      readonly outcome: 'not-placed';
      readonly retry: boolean;
      readonly scope: 'call' | 'account';
      readonly reason: 'invalid_number' | 'blocked_destination' | 'carrier_rejected' | 'carrier_unavailable';
      /** `true` when the carrier refused because too many calls are open. */
      readonly tooManyCalls: boolean;
      /** The carrier's own code, for logs. */
      readonly providerCode: string | null;
    }
  | { readonly outcome: 'unknown'; readonly providerCode: string | null };

/** One webhook or socket request of the carrier, verified and parsed. */
export type CarrierEvent =
  | {
      readonly type: 'status';
      readonly status: CarrierCallStatus;
      /** Carrier's order of events of one call; null when it gives none. */
      readonly sequence: number | null;
      readonly durationSeconds: number | null;
      readonly answeredBy: AnsweredBy | null;
    }
  /** `beeped`: the greeting ended with the tone after which a mailbox records. */
  | {
      readonly type: 'answered-by';
      readonly answeredBy: AnsweredBy;
      readonly greetingEnded: boolean;
      readonly beeped: boolean;
    }
  /** The callee answered; the carrier waits for instructions in the response. */
  | { readonly type: 'instructions-wanted'; readonly answeredBy: AnsweredBy | null }
  /**
   * The channel ended, and the carrier waits for instructions. `lost`: the callee is still there and the channel broke;
   * `unknown`: the callee is still there, and the carrier does not tell a channel that broke from one that we ended.
   */
  | { readonly type: 'channel-ended'; readonly how: 'callee-left' | 'we-ended' | 'lost' | 'unknown' }
  /** What a `dial` instruction led to is over. The carrier waits for instructions, unless the callee has left. */
  | {
      readonly type: 'dial-ended';
      readonly legId: string;
      /** How the leg ended. */
      readonly status: CarrierCallStatus;
      /** Whether the two could talk; null when the carrier does not say. */
      readonly connected: boolean | null;
      readonly durationSeconds: number | null;
      readonly providerLegId: string | null;
      readonly calleeLeft: boolean;
    }
  /** Told of a leg that a `dial` instruction started; `providerCallId` of the webhook is that of the leg. */
  | { readonly type: 'leg'; readonly legId: string; readonly event: LegEvent }
  /** A recording of the call began, is complete, or came to nothing. May come long after the end of the call. */
  | { readonly type: 'recording'; readonly recording: CarrierRecording };

/** What happens on the line of somebody a call is to be transferred to. */
export type LegEvent =
  | {
      readonly type: 'status';
      readonly status: CarrierCallStatus;
      readonly durationSeconds: number | null;
    }
  /** They picked up; the carrier waits for instructions before it connects them. */
  | { readonly type: 'picked-up' }
  /** They pressed a key or said something when asked whether they take the call. The carrier waits for instructions. */
  | {
      readonly type: 'replied';
      readonly digit: string | null;
      readonly words: string | null;
      /** Of the question that was asked, as given with it. */
      readonly round: number;
    };

export interface VerifiedCarrierEvent {
  readonly attemptToken: string;
  readonly providerCallId: string;
  readonly event: CarrierEvent;
}

/** How words travel on a call: see `voice.mode` of a workflow. */
export type VoiceMode = 'relay' | 'realtime';

/** What the carrier shall do next with an answered call. */
export type CallInstruction =
  | {
      readonly type: 'converse';
      readonly attemptToken: string;
      /** Whose ears and mouth: the carrier's (`relay`) or ours (`realtime`). */
      readonly mode: VoiceMode;
      /** Said by the carrier before the channel opens, to its end. */
      readonly preamble: string | null;
      /** Records both sides from here on, before anything is said. */
      readonly record: boolean;
      readonly language: string;
      /** Others that the call may change to, for `relay`. */
      readonly languages: readonly string[];
      readonly voice: string | null;
      /** Words of this call that a recognizer would not expect, none with a comma; for `relay`. */
      readonly hints: readonly string[];
    }
  /** Speak, then hang up. */
  | { readonly type: 'say'; readonly text: string; readonly language: string; readonly voice: string | null }
  /**
   * Ring somebody else, once, and connect the two. Ends with `dial-ended`; what happens on the new line is told by
   * `leg` events.
   */
  | {
      readonly type: 'dial';
      readonly attemptToken: string;
      /** Names the new line in every webhook about it. Letters, digits and `_`. */
      readonly legId: string;
      /** E.164 */
      readonly to: string;
      /** E.164, the number of the organization that is shown */
      readonly callerId: string;
      readonly ringSeconds: number;
      /** The carrier ends the talk of the two after this. */
      readonly maximumTalkSeconds: number;
      /** Ask what to do when they pick up (`picked-up`), instead of connecting them at once. */
      readonly screened: boolean;
    }
  /** Ask somebody who picked up whether they take the call; without a reply hang up on them. */
  | {
      readonly type: 'ask';
      readonly attemptToken: string;
      readonly legId: string;
      /** Said once, before the question. */
      readonly text: string;
      readonly question: string;
      /** Words the reply is likely to have. */
      readonly expected: readonly string[];
      readonly language: string;
      readonly voice: string | null;
      /** Comes back with the reply. */
      readonly round: number;
    }
  /** Connect somebody who picked up with the callee. */
  | { readonly type: 'connect' }
  | { readonly type: 'hang-up' };

/** A recording as a file. */
export interface RecordingFile {
  /** Such as `audio/x-wav`. */
  readonly contentType: string;
  readonly bytes: Uint8Array;
}

export interface CarrierNumber {
  readonly providerNumberId: string;
  /** E.164 */
  readonly phoneNumber: string;
  readonly canCall: boolean;
  readonly canText: boolean;
}

export type BusinessProfileStatus =
  | 'Profile Approved'
  | 'Profile In Review'
  | 'Profile Pending'
  | 'Profile Draft'
  | 'Profile Rejected'
  | 'Profile Error'
  | 'No Profile';

export interface CarrierAccountFacts {
  readonly accountId: string;
  readonly name: string;
  readonly type: 'trial' | 'full';
  readonly active: boolean;
  readonly businessProfile: BusinessProfileStatus;
}

/** A network that lives inside a process: its calls and recordings end with it. */
export const emulatedNetwork = 'emulated';

/**
 * A phone carrier. Everything here is called with the credentials of the account concerned; one adapter
 * serves all organizations. Except for `placeCall`, which classifies, failures are `CallkiteError`s
 * `provider_rejected` or `provider_unavailable`.
 */
export interface CarrierAdapter {
  /** Path segment under `/carriers/`, such as `twilio`. */
  readonly name: string;
  /**
   * The phone network this adapter reaches, such as `twilio`, or `emulatedNetwork`. A connection remembers the network its
   * credentials were verified on and is only used there. Keep the name when only the way to the network changes, such as
   * a proxy.
   */
  readonly network: string;

  /** Sends at most one create request, never retried. Settles within 10 s; never rejects. */
  placeCall(account: CarrierAccount, request: PlaceCallRequest): Promise<DialResult>;
  /** Ends a call in whatever live state it is; resolves when the call is already over. */
  endCall(account: CarrierAccount, providerCallId: string): Promise<void>;
  /** Replaces what a live call is doing; resolves without effect when the call is already over. */
  redirectCall(account: CarrierAccount, providerCallId: string, instruction: CallInstruction): Promise<void>;
  /** `null` when the carrier does not know the id. */
  fetchCall(account: CarrierAccount, providerCallId: string): Promise<CarrierCall | null>;
  /** Every call between the two numbers created at or after `sinceMs`, calls still queued at the carrier included. */
  findCalls(
    account: CarrierAccount,
    query: { readonly from: string; readonly to: string; readonly sinceMs: number },
  ): Promise<readonly CarrierCall[]>;

  /** Records both sides of a live call from now on; resolves without effect when the call is already over. */
  startRecording(account: CarrierAccount, providerCallId: string, attemptToken: string): Promise<void>;
  /** Every recording of a call that the carrier still has, also those that are being made. */
  findRecordings(account: CarrierAccount, providerCallId: string): Promise<readonly CarrierRecording[]>;
  /** Ends a recording that is being made, and keeps it; resolves when it is over or gone already. */
  stopRecording(account: CarrierAccount, providerCallId: string, providerRecordingId: string): Promise<void>;
  /**
   * Deletes a recording, after ending one that is being made; resolves when it is gone already. Rejects while the
   * carrier cannot delete it yet.
   */
  deleteRecording(
    account: CarrierAccount,
    providerCallId: string,
    providerRecordingId: string,
  ): Promise<void>;
  /** The sound of a complete recording; `null` when the carrier does not have it. */
  fetchRecording(account: CarrierAccount, providerRecordingId: string): Promise<RecordingFile | null>;

  /** Fetches the account, which proves the credentials, and its business profile. */
  describeAccount(account: CarrierAccount): Promise<CarrierAccountFacts>;
  listNumbers(account: CarrierAccount): Promise<readonly CarrierNumber[]>;

  /**
   * Verifies a webhook against the public URL and parses it, in one step.
   * @param path path below `/carriers/{name}/`
   * @param secretOf finds the account secret for an attempt token; `null` for an unknown or forged token
   * @returns `null` when the signature or the token is not genuine: answer 403 and change nothing
   */
  receiveWebhook(
    path: string,
    request: HttpRequest,
    secretOf: (attemptToken: string) => Promise<string | null>,
  ): Promise<VerifiedCarrierEvent | null>;
  /**
   * Whether this webhook is the carrier's last try to get instructions for an answered call. It is never left
   * without an answer: if nothing can be looked up, the callee hears an apology.
   */
  isLastResort(path: string): boolean;
  /** The response body for a webhook that waits for instructions. */
  renderInstruction(instruction: CallInstruction): HttpResponse;
  /** The response for a webhook that waits for nothing. */
  acknowledge(): HttpResponse;
  /**
   * Verifies a WebSocket upgrade. `null`: refuse with 403. Otherwise `open` turns the accepted socket
   * into the call's channel, which belongs to the attempt.
   */
  receiveUpgrade(
    path: string,
    request: HttpRequest,
    secretOf: (attemptToken: string) => Promise<string | null>,
  ): Promise<{ readonly attemptToken: string; open(socket: TextSocket): CallChannel } | null>;
}
