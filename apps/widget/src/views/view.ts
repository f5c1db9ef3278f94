import type { TemplateResult } from 'lit';
import type { CallState, ErrorCode } from '../call-state.ts';
import type { CallbackState } from '../callback.ts';
import type { Strings } from '../strings/strings.ts';

/** What the visitor fills in to be called. */
export interface CallbackFields {
  /** E.164; `null` for what is none, and empty for nothing. */
  readonly phone: string | null;
  readonly name: string;
  /** `undefined`: now. */
  readonly when: Date | undefined;
  /** As it was shown; `null`: the box was not ticked. */
  readonly agreedTo: string | null;
}

/** What the visitor does. */
export interface Actions {
  open(): void;
  close(): void;
  showTab(tab: Tab): void;
  agree(agreed: boolean): void;
  start(): void;
  end(): void;
  mute(on: boolean): void;
  hold(): void;
  resume(): void;
  soundOn(): void;
  /** @returns whether it is on its way */
  send(text: string): boolean;
  dismiss(): void;
  requestCallback(fields: CallbackFields): void;
  /** Asks for the last call-back once more, now. */
  repeatCallback(): void;
  cancelCallback(): void;
  /** By the number of days from today; `null`: now. */
  pickDay(day: number | null): void;
  resetCallback(): void;
}

export type Tab = 'talk' | 'callback';

/** What the closed widget shows, before its language is loaded. */
export interface ClosedView {
  /** On the button. */
  readonly launcher: string;
  /** BCP-47 tag of the texts. */
  readonly language: string;
  readonly direction: 'ltr' | 'rtl';
  /** Name of the widget as a landmark; differs between the widgets of a page. */
  readonly label: string;
  /** Why the panel could not be opened. */
  readonly trouble: string | null;
  readonly actions: Actions;
}

/** Everything the views show. */
export interface View extends ClosedView {
  readonly strings: Strings;
  readonly inline: boolean;
  readonly open: boolean;
  readonly heading: string;
  readonly avatar: string;
  readonly tabs: readonly Tab[];
  readonly tab: Tab;
  readonly voice: boolean;
  readonly showTranscript: boolean;
  readonly consent: {
    readonly mode: 'required' | 'notice' | 'off';
    readonly agreed: boolean;
    /** The visitor wanted to start without agreeing. */
    readonly missing: boolean;
    readonly termsUrl: string;
    readonly privacyUrl: string;
  };
  readonly call: CallState;
  /** Why nothing will work on this page, or the last call could not begin. */
  readonly failure: ErrorCode | null;
  /** Countries in which visitors may be called back; `null` when it is not known. */
  readonly callbackCountries: readonly string[] | null;
  readonly callback: CallbackState | null;
  /** The visitor wanted a call-back without agreeing. */
  readonly callbackConsentMissing: boolean;
  /** What shows a call, once it is loaded. */
  readonly conversationView: ((view: View) => TemplateResult) | null;
  /** What shows call-backs, once it is loaded. */
  readonly callbackView: ((view: View) => TemplateResult) | null;
  readonly nowMs: number;
}

/** What went wrong, in a sentence, with the time from which on it may work again. */
export function errorText({ strings, language, nowMs }: View, code: ErrorCode, until: Date | null): string {
  if (code !== 'budget_used_up' || until === null) {
    return strings.errors[code === 'budget_used_up' ? 'rate_limited' : code];
  }
  const isToday = until.toDateString() === new Date(nowMs).toDateString();
  const time = new Intl.DateTimeFormat(language, {
    ...(!isToday && { weekday: 'long' }),
    hour: 'numeric',
    minute: '2-digit',
  }).format(until);
  return strings.errors.budget_used_up.replace('{time}', time);
}

/** Minutes and seconds, such as 1:07. */
function clock(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1000));
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
}

/** How long the call has been going on, or went on. */
export const elapsed = ({ call, nowMs }: View): string =>
  clock(call.status === 'ended' || call.startedAtMs === null ? call.durationMs : nowMs - call.startedAtMs);

export const isOpenCall = ({ call: { status } }: View): boolean => status !== 'ready' && status !== 'ended';
