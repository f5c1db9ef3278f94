import type { CallStatus, ErrorCode } from './call-state.ts';

/** What the `detail` of each event holds. The event's type is the name with `callkite:` before it. */
export interface CallkiteEvents {
  /** The element is in the page. */
  ready: Record<string, never>;
  open: Record<string, never>;
  close: Record<string, never>;
  /** The box was ticked, or the tick taken back. */
  consent: { agreed: boolean; version: string };
  /** A call is about to begin. `preventDefault()` keeps it from it; `variables` may be changed. */
  'before-call': { variables: Record<string, string> };
  'call-start': { id: string | null };
  status: { status: CallStatus };
  /** A line of the conversation; told again while it grows, until it is final. */
  transcript: { id: string; role: 'assistant' | 'user'; text: string; final: boolean };
  /** The agent uses a tool of your server, with the arguments the model gave. */
  tool: { name: string; args: Readonly<Record<string, unknown>> };
  mute: { on: boolean };
  /** `until`: when it may work again, where that is known. */
  error: { code: ErrorCode; message: string; until?: Date };
  /** `reason` is an `EndReason`, or what the page gave to `endCall`; `duration` in seconds. */
  'call-end': { id: string | null; reason: string | null; duration: number };
  'callback-requested': { id: string };
}
