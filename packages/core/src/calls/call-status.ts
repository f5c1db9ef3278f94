import type { CallOutcome, CallReason, CallState } from '@callkite/contract';
import type { HeardAnswer } from './call-store.ts';
import type { AnsweredBy, CarrierCallStatus } from './carrier-adapter.ts';

const rank: Record<CallState, number> = {
  queued: 0,
  dialing: 1,
  unknown: 1,
  ringing: 2,
  in_progress: 3,
  completed: 4,
};

/** The state a carrier status stands for. */
export function stateOf(status: CarrierCallStatus): CallState {
  switch (status) {
    case 'queued':
    case 'initiated':
      return 'dialing';
    case 'ringing':
      return 'ringing';
    case 'in-progress':
      return 'in_progress';
    case 'completed':
    case 'busy':
    case 'no-answer':
    case 'failed':
    case 'canceled':
      return 'completed';
  }
}

/** Whether a call may move from one state to the other: only forward, and never out of `completed`. */
export function movesForward(from: CallState, to: CallState): boolean {
  return rank[to] > rank[from] || (from === 'unknown' && to === 'dialing');
}

export function isTerminal(status: CarrierCallStatus): boolean {
  return stateOf(status) === 'completed';
}

/**
 * What hearing this says about who answered. A menu is neither a person nor a mailbox.
 * @param detected what the carrier says, which counts until more was heard than a word or two
 */
export function answeredByHeard(heard: HeardAnswer | null, detected: AnsweredBy | null): AnsweredBy | null {
  switch (heard) {
    case null:
    case 'someone':
      return detected;
    case 'person':
      return 'human';
    case 'greeting':
    case 'voicemail':
    case 'mailbox-full':
    case 'screening':
      return 'machine';
    case 'fax':
      return 'fax';
    case 'menu':
      return 'unknown';
  }
}

/**
 * The pair a call ends with, from the carrier's terminal status.
 * @param agentFailed the agent broke off before what the call was for was reached
 * @throws TypeError for a status that is not terminal
 */
export function callOutcome(
  status: CarrierCallStatus,
  answeredBy: AnsweredBy | null,
  agentFailed: boolean,
): CallOutcome {
  switch (status) {
    case 'completed':
      if (answeredBy === 'machine' || answeredBy === 'fax') {
        return { callStatus: 'voicemail', providerStatus: 'completed' };
      }
      return agentFailed
        ? { callStatus: 'not_picked_up', providerStatus: 'failed' }
        : { callStatus: 'success', providerStatus: 'completed' };
    case 'busy':
    case 'no-answer':
    case 'failed':
    case 'canceled':
      return { callStatus: 'not_picked_up', providerStatus: status };
    default:
      throw new TypeError(`a call does not end as ${status}`);
  }
}

/** What is known of a completed call once nothing is added to its record any more. */
export interface SealedCall {
  readonly outcome: CallOutcome;
  readonly reason: CallReason | null;
  /** Of the last conversation: `lost` when the process that held it never stored its end. */
  readonly conversation: 'none' | 'ended' | 'lost';
  /** The agent was done, and all that was left was to hang up. */
  readonly conversationOver: boolean;
  /** Somebody else took the call over. */
  readonly wasTransferred: boolean;
  readonly agentWasHeard: boolean;
  readonly durationSeconds: number | null;
}

/** Whoever hangs up earlier may have been faster than the agent's line. */
const longestUnattendedSeconds = 5;

/** How a completed call ends for good: a conversation that was lost, or never began, is no success. */
export function sealedEnd(call: SealedCall): { outcome: CallOutcome; reason: CallReason | null } {
  const { outcome, conversation } = call;
  if (call.reason !== null || outcome.callStatus === 'not_picked_up' || call.wasTransferred) return call;
  const failed = { callStatus: 'not_picked_up', providerStatus: 'failed' } as const;
  const isSuccess = outcome.callStatus === 'success';
  if (conversation === 'lost') {
    return {
      outcome: isSuccess && !call.conversationOver ? failed : outcome,
      reason: 'connection_lost',
    };
  }
  const wasUnattended =
    conversation === 'none' &&
    isSuccess &&
    !call.agentWasHeard &&
    (call.durationSeconds ?? 0) >= longestUnattendedSeconds;
  return wasUnattended ? { outcome: failed, reason: 'agent_unavailable' } : call;
}
