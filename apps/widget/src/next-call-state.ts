import type { WidgetServerEvent } from '@callkite/contract';
import { type CallState, type EndReason, type ErrorCode, type Line, noCall } from './call-state.ts';

/** What changes a call: what the visitor does, what the browser allows, what the server tells. */
export type CallEvent =
  | { readonly type: 'dial' }
  | { readonly type: 'resume'; readonly state: CallState }
  | { readonly type: 'session'; readonly callId: string; readonly agentName: string | null }
  | { readonly type: 'asking'; readonly asking: boolean }
  | { readonly type: 'voice'; readonly open: boolean }
  | { readonly type: 'notice'; readonly code: ErrorCode | null }
  | { readonly type: 'failed'; readonly code: ErrorCode | null; readonly until?: Date | null }
  | { readonly type: 'typed'; readonly messageId: number; readonly text: string }
  | { readonly type: 'muted'; readonly on: boolean }
  | { readonly type: 'paused'; readonly on: boolean }
  | { readonly type: 'lost' }
  | { readonly type: 'server'; readonly event: WidgetServerEvent; readonly atMs: number }
  | {
      readonly type: 'over';
      readonly reason: EndReason;
      readonly pageReason?: string | undefined;
      readonly atMs: number;
      readonly durationMs?: number | undefined;
    };

/** The next state. A call that is over stays as it was until another begins. */
export function nextCallState(state: CallState, event: CallEvent): CallState {
  switch (event.type) {
    case 'dial':
      return { ...noCall, status: 'connecting' };
    case 'resume':
      return { ...event.state, status: 'reconnecting', hasVoice: false, asking: false };
    case 'failed':
      return { ...noCall, failure: event.code, failureUntil: event.until ?? null };
  }
  if (state.status === 'ready' || state.status === 'ended') return state;
  switch (event.type) {
    case 'session':
      return { ...state, callId: event.callId, agentName: event.agentName };
    case 'asking':
      return { ...state, asking: event.asking };
    case 'voice':
      return { ...state, hasVoice: event.open, notice: event.open ? null : state.notice };
    case 'notice':
      return { ...state, notice: event.code };
    case 'typed':
      return { ...state, lines: [...state.lines, typedLine(event.messageId, event.text)] };
    case 'muted':
      return { ...state, muted: event.on };
    case 'paused':
      return { ...state, paused: event.on };
    case 'lost':
      return state.startedAtMs === null ? state : { ...state, status: 'reconnecting' };
    case 'server':
      return afterServerEvent(state, event.event, event.atMs);
    case 'over':
      return {
        ...state,
        status: 'ended',
        endReason: event.reason,
        pageReason: event.pageReason ?? null,
        durationMs:
          event.durationMs ?? (state.startedAtMs === null ? 0 : Math.max(0, event.atMs - state.startedAtMs)),
        hasVoice: false,
        asking: false,
      };
  }
}

function afterServerEvent(state: CallState, event: WidgetServerEvent, atMs: number): CallState {
  switch (event.type) {
    case 'ready':
      return {
        ...state,
        status: 'live',
        callId: event.call_id,
        media: event.media,
        startedAtMs: state.startedAtMs ?? atMs,
      };
    case 'status':
      return { ...state, activity: event.status };
    case 'transcript':
      return { ...state, lines: withLine(state.lines, lineOf(event)) };
    case 'error':
      return {
        ...state,
        lines: state.lines.map((line) =>
          line.messageId !== null && line.messageId === event.message_id
            ? { ...line, delivery: 'refused' as const }
            : line,
        ),
      };
    default:
      return state;
  }
}

type TranscriptEvent = Extract<WidgetServerEvent, { type: 'transcript' }>;

const lineOf = (event: TranscriptEvent): Line => ({
  id: event.id,
  role: event.role,
  text: event.text,
  final: event.final,
  messageId: event.message_id,
  delivery: 'told',
});

const typedLine = (messageId: number, text: string): Line => ({
  id: `typed-${messageId}`,
  role: 'user',
  text,
  final: true,
  messageId,
  delivery: 'sent',
});

/**
 * A typed line is shown at once, below everything, until the server tells of it: it may have spoken in between, and the
 * order of lines is the server's.
 */
function withLine(lines: readonly Line[], line: Line): readonly Line[] {
  const at = lines.findIndex(({ id }) => id === line.id);
  if (at !== -1) return lines.with(at, line);
  const others = lines.filter(({ messageId }) => messageId === null || messageId !== line.messageId);
  const end = others.findIndex(({ delivery }) => delivery === 'sent');
  return end === -1 ? [...others, line] : others.toSpliced(end, 0, line);
}
