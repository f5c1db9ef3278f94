import type { CallOutcome, CallReason, CallState } from '@callkite/contract';

/**
 * Why words of the model are not said: they hold the marker of the instructions or a run of their words, claim that a
 * human speaks, or tell a card's number or a key.
 */
export type WithheldFor = 'marker' | 'instructions' | 'claim' | 'secret';

/** What happens to calls in this process, for logs, metrics and live views. Not durable; webhooks are. */
export type CallkiteEvent =
  | {
      readonly type: 'call.accepted';
      readonly callId: string;
      readonly organizationId: string;
      /** E.164, or `browser`. Mask it before it is logged. */
      readonly to: string;
    }
  | {
      readonly type: 'call.state';
      readonly callId: string;
      readonly state: CallState;
      /** E.164, or `browser`. Mask it before it is logged. */
      readonly to: string;
    }
  | {
      readonly type: 'call.spoken';
      readonly callId: string;
      readonly role: 'assistant' | 'user';
      readonly content: string;
    }
  /** The agent begins to use one of the server's own tools, with these arguments. */
  | {
      readonly type: 'call.tool';
      readonly callId: string;
      readonly name: string;
      readonly args: Readonly<Record<string, unknown>>;
    }
  | {
      readonly type: 'call.completed';
      readonly callId: string;
      readonly outcome: CallOutcome;
      readonly reason: CallReason | null;
    }
  /** Once for every call that ended, in the process that wrote its result, unless it was erased before. */
  | {
      readonly type: 'call.finished';
      readonly callId: string;
      readonly outcome: CallOutcome;
      readonly reason: CallReason | null;
      readonly summary: string;
    }
  /** What was said on it and who it was with is erased here. What you made of its events is left to you. */
  | { readonly type: 'call.erased'; readonly callId: string }
  | {
      readonly type: 'delivery.attempted';
      readonly deliveryId: string;
      readonly kind: 'callback' | 'webhook';
      readonly delivered: boolean;
    }
  /**
   * An organization's live phone calls have taken so much of their minutes of the UTC day. Each of the two once a day,
   * by one process; a day that passes both at once tells the higher one.
   */
  | {
      readonly type: 'spending.reached';
      readonly organizationId: string;
      readonly percent: 80 | 100;
      readonly usedMinutes: number;
      readonly limitMinutes: number;
    }
  /**
   * So many live calls and transfers of an organization went, within an hour, to numbers that begin like this (E.164
   * without the last four digits), where it had never called before. Once for a prefix, by one process.
   */
  | {
      readonly type: 'velocity.reached';
      readonly organizationId: string;
      readonly prefix: string;
      readonly dials: number;
    }
  /** The model wanted to say what is not to be said, and a line of ours was said instead. */
  | { readonly type: 'speech.withheld'; readonly callId: string; readonly why: WithheldFor }
  /** Milliseconds from the end of the callee's words to the first word sent back, and the model's share of it. */
  | {
      readonly type: 'turn.started';
      readonly callId: string;
      readonly totalMs: number;
      readonly modelMs: number;
    };

export type EmitEvent = (event: CallkiteEvent) => void;
