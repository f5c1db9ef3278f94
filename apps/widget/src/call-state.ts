/** Why something did not work. Told by the `error` event, and in a sentence to the visitor. */
export type ErrorCode =
  | 'microphone_denied'
  | 'microphone_missing'
  | 'microphone_blocked_by_site'
  | 'insecure_context'
  | 'microphone_lost'
  | 'microphone_noisy'
  | 'voice_unavailable'
  | 'key_invalid'
  | 'origin_not_allowed'
  | 'rate_limited'
  | 'budget_used_up'
  | 'workflow_disabled'
  | 'phone_missing'
  | 'phone_invalid'
  | 'phone_not_allowed'
  | 'time_invalid'
  | 'call_in_progress'
  | 'network'
  | 'server';

/** Where the widget's call stands. */
export type CallStatus = 'ready' | 'connecting' | 'live' | 'reconnecting' | 'ended';

/** Why a call ended; `connection`: it was lost for too long; `replaced`: it goes on in another tab. */
export type EndReason =
  | 'agent'
  | 'visitor'
  | 'silence'
  | 'time_limit'
  | 'opted_out'
  | 'canceled'
  | 'unavailable'
  | 'connection'
  | 'replaced';

/** One line of the transcript. */
export interface Line {
  readonly id: string;
  readonly role: 'assistant' | 'user';
  readonly text: string;
  readonly final: boolean;
  /** For what was typed here: the number of its message. */
  readonly messageId: number | null;
  /** `told` by the server; or typed here and `sent`, but not told yet; or `refused`. */
  readonly delivery: 'told' | 'sent' | 'refused';
}

/** Everything the widget shows of a call. */
export interface CallState {
  readonly status: CallStatus;
  readonly callId: string | null;
  readonly agentName: string | null;
  readonly lines: readonly Line[];
  /** What the agent does. */
  readonly activity: 'listening' | 'thinking' | 'speaking' | 'ending';
  /** Whether the call carries sound, by what was agreed with the server. */
  readonly media: 'audio' | 'text';
  /** Microphone and loudspeaker are open here. */
  readonly hasVoice: boolean;
  /** The browser is asking for the microphone. */
  readonly asking: boolean;
  readonly muted: boolean;
  readonly paused: boolean;
  /** By the clock of this page. */
  readonly startedAtMs: number | null;
  readonly durationMs: number;
  /** What limits the call as it is. */
  readonly notice: ErrorCode | null;
  /** Why the last attempt to start a call failed. */
  readonly failure: ErrorCode | null;
  /** When it may work again, as far as the server said so. */
  readonly failureUntil: Date | null;
  readonly endReason: EndReason | null;
  /** Why the page ended it, in its own words. */
  readonly pageReason: string | null;
}

/** Before the first call. */
export const noCall: CallState = {
  status: 'ready',
  callId: null,
  agentName: null,
  lines: [],
  activity: 'listening',
  media: 'text',
  hasVoice: false,
  asking: false,
  muted: false,
  paused: false,
  startedAtMs: null,
  durationMs: 0,
  notice: null,
  failure: null,
  failureUntil: null,
  endReason: null,
  pageReason: null,
};
