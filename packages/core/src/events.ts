import type { CallOutcome, CallReason, CallState } from './contract/call-status.ts';

/** What happens to calls in this process, for logs, metrics and live views. Not durable; webhooks are. */
export type CallkiteEvent =
  | { readonly type: 'call.accepted'; readonly callId: string; readonly organizationId: string }
  | { readonly type: 'call.state'; readonly callId: string; readonly state: CallState }
  | {
      readonly type: 'call.spoken';
      readonly callId: string;
      readonly role: 'assistant' | 'user';
      readonly content: string;
    }
  /** The agent begins to use one of the server's own tools. */
  | { readonly type: 'call.tool'; readonly callId: string; readonly name: string }
  | {
      readonly type: 'call.completed';
      readonly callId: string;
      readonly outcome: CallOutcome;
      readonly reason: CallReason | null;
    }
  /** Once for every call that ended, in the process that wrote its result, whatever ended it. */
  | {
      readonly type: 'call.finished';
      readonly callId: string;
      readonly outcome: CallOutcome;
      readonly reason: CallReason | null;
      readonly summary: string;
    }
  | {
      readonly type: 'delivery.attempted';
      readonly deliveryId: string;
      readonly kind: 'callback' | 'webhook';
      readonly delivered: boolean;
    }
  /** Milliseconds from the end of the callee's words to the first word sent back, and the model's share of it. */
  | {
      readonly type: 'turn.started';
      readonly callId: string;
      readonly totalMs: number;
      readonly modelMs: number;
    };

export type EmitEvent = (event: CallkiteEvent) => void;
