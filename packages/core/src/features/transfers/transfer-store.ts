import type { TransferLegSource, TransferMode, TransferOutcome } from '@callkite/contract';
import type { VelocityAlarm } from '../../calls/velocity-alarm.ts';
import type { Scope } from '../../kernel/mode.ts';
import type { Page, PageRequest } from '../../kernel/page.ts';

/** People that agents of an organization may transfer calls to. */
export interface TransferIntegration {
  readonly id: string;
  readonly organizationId: string;
  /** What the agent and the callee know them by. */
  readonly name: string;
  readonly mode: TransferMode;
  /** E.164 */
  readonly phoneNumber: string;
  /** Asked for another number at the moment of transfer; `null` when there is none. */
  readonly transferUrl: string | null;
  /** Tried in this order when the first number does not take the call. E.164 */
  readonly fallbackNumbers: readonly string[];
  /** How long each number may ring. */
  readonly ringSeconds: number;
  /** Whether the agent takes a message when nobody takes the call. */
  readonly takeMessages: boolean;
  readonly createdAt: Date;
}

/** One number that a transfer may ring. Not dialed yet while `dialedAt` is `null`; nothing here ever moves back. */
export interface TransferLeg {
  readonly id: string;
  /** E.164 */
  readonly to: string;
  readonly source: TransferLegSource;
  /** `null` while it is open. */
  readonly outcome: TransferOutcome | null;
  /** The carrier's id of the leg, once it told of it. */
  readonly providerCallId: string | null;
  /** When the carrier was given the instruction to dial. */
  readonly dialedAt: Date | null;
  readonly answeredAt: Date | null;
  readonly endedAt: Date | null;
  /** From the answer to the end of the leg. */
  readonly seconds: number | null;
}

/** One wish of an agent to hand a call over, and what came of it. */
export interface TransferRecord {
  readonly id: string;
  readonly callId: string;
  readonly integrationId: string;
  /** The settings of the integration as they were when the agent asked. */
  readonly name: string;
  readonly mode: TransferMode;
  readonly ringSeconds: number;
  readonly takeMessages: boolean;
  /** The agent's words: why it transfers, and what whoever takes the call should know. */
  readonly reason: string;
  readonly summary: string;
  /** In the order in which they are tried. */
  readonly legs: readonly TransferLeg[];
  /** That of the leg which was connected, else of the last one. `null` while it is open. */
  readonly outcome: TransferOutcome | null;
  /** What the callee left for those who were not reached. */
  readonly message: string | null;
  readonly requestedAt: Date;
  /** `null` while it is under way: also while the two are talking. */
  readonly endedAt: Date | null;
}

export interface NewTransfer
  extends Pick<
    TransferRecord,
    | 'id'
    | 'callId'
    | 'integrationId'
    | 'name'
    | 'mode'
    | 'ringSeconds'
    | 'takeMessages'
    | 'reason'
    | 'summary'
  > {
  readonly legs: readonly Pick<TransferLeg, 'id' | 'to' | 'source'>[];
}

/**
 * What is to be done about a call's transfer now:
 * - `dial`: this leg, which was marked as dialed. Told again when asked again, until the carrier has told of the leg.
 * - `under-way`: a leg that the carrier told of is not over yet.
 * - `connected`: somebody took the call.
 * - `return`: nobody took the call, and the callee is not back with the agent yet.
 * - `none`: no transfer is under way.
 */
export type TransferStep =
  | {
      readonly step: 'dial';
      readonly transfer: TransferRecord;
      readonly leg: TransferLeg;
      readonly velocityAlarm: VelocityAlarm | null;
    }
  | { readonly step: 'under-way'; readonly transfer: TransferRecord; readonly leg: TransferLeg }
  | { readonly step: 'connected' }
  | { readonly step: 'return' }
  | { readonly step: 'none' };

/** What became known of a leg that was dialed. Reports come in any order and more than once. */
export interface TransferLegReport {
  /** The carrier's id of the leg, where it is told. */
  readonly providerCallId: string | null;
  /** `ended`: and the carrier waits for what to do with the callee, who is not connected with anybody any more. */
  readonly progress: 'dialed' | 'answered' | 'connected' | 'ended';
  /** Of a leg that ended. The first one stays, except that being connected outweighs the others. */
  readonly outcome: TransferOutcome | null;
  /** From the answer to the end, where it is told. */
  readonly seconds: number | null;
}

/** Whom calls of a mode may be transferred to, and the transfers of calls. A call has at most one transfer under way. */
export interface TransferStore {
  createIntegration(
    scope: Scope,
    integration: Omit<TransferIntegration, 'organizationId' | 'createdAt'>,
  ): Promise<TransferIntegration>;
  getIntegration(scope: Scope, id: string): Promise<TransferIntegration | null>;
  listIntegrations(scope: Scope, page: PageRequest): Promise<Page<TransferIntegration>>;
  /** Transfers already asked for keep what they have. `null` when there is none. */
  updateIntegration(
    scope: Scope,
    id: string,
    change: Partial<Omit<TransferIntegration, 'id' | 'organizationId' | 'createdAt'>>,
  ): Promise<TransferIntegration | null>;
  /** `false` when there is none. */
  deleteIntegration(scope: Scope, id: string): Promise<boolean>;

  /**
   * Stores what an agent asks for; once, however often it is repeated with the same id. `false` when the call is over
   * or about to end, or has another transfer under way.
   */
  request(transfer: NewTransfer): Promise<boolean>;
  /**
   * The next step of the transfer that the call has under way. Without a dialed leg that is open it marks the next one
   * as dialed, in the same step that checks it against the do-not-call list, and ends the transfer when there is
   * none left or the call is to end.
   * @param keyOf the keyed hash of a number, for opt-outs whose number was erased; `null` for a number that may not be
   * rung at all. The leg of one that may not ends as `not_allowed`, and so does
   * every leg that would begin when the organization's day has reached its limit, as for `CallStore.claimNext`
   * @param defaultDailyMinutes the limit of an organization that has none of its own; `null`: unlimited
   */
  proceed(
    callId: string,
    keyOf: (to: string) => string | null,
    defaultDailyMinutes: number | null,
  ): Promise<TransferStep>;
  /**
   * Takes in what is told of a leg that was dialed. The transfer ends with the leg that was connected.
   * @returns the transfer afterwards; `null` for a leg that was never dialed
   */
  report(legId: string, report: TransferLegReport): Promise<TransferRecord | null>;
  /**
   * Notes that the callee is back with the agent, whose conversation is not over then.
   * @returns from which transfer, once; `null` when there is none such
   */
  takeBack(callId: string): Promise<TransferRecord | null>;
  /** Keeps the message in place of an earlier one. `false` when the call has no such transfer. */
  storeMessage(callId: string, transferId: string, message: string): Promise<boolean>;
  /** In the order they were asked for. */
  ofCall(callId: string): Promise<readonly TransferRecord[]>;
}
