import type { EndReason, ErrorCode } from '../call-state.ts';

/** Where a call-back stands, as visitors read it. */
type CallbackStep =
  | 'scheduled'
  | 'queued'
  | 'dialing'
  | 'ringing'
  | 'in_progress'
  | 'completed'
  | 'unknown'
  | 'missed'
  | 'canceled'
  | 'failed';

/** Every text of the widget. */
export interface Strings {
  /** On the button that opens the widget. */
  launcher: string;
  /** Title of the panel, when the element has no `heading`. */
  heading: string;
  close: string;
  /** The tabs. */
  talk: string;
  callback: string;
  /** Above the button that starts a call. */
  intro: string;
  introText: string;
  /** First line of every conversation: visitors are told that they talk to a machine. Other words may do so, none may not. */
  disclosure: string;
  start: string;
  startText: string;
  microphoneHint: string;
  /** The field for typing. */
  message: string;
  send: string;
  notSent: string;
  /** What is agreed to with a checkbox, or by starting. */
  consent: string;
  consentNotice: string;
  consentMissing: string;
  terms: string;
  privacy: string;
  /** What the widget or the agent does. */
  ready: string;
  connecting: string;
  allowMicrophone: string;
  listening: string;
  thinking: string;
  speaking: string;
  live: string;
  muted: string;
  paused: string;
  reconnecting: string;
  ended: string;
  /** For screen readers: the transcript, and who says a line. */
  transcript: string;
  you: string;
  assistant: string;
  mute: string;
  hold: string;
  resume: string;
  end: string;
  soundOn: string;
  endReasons: Record<EndReason, string>;
  startAgain: string;
  tryAgain: string;
  dismiss: string;
  callbackIntro: string;
  country: string;
  phone: string;
  name: string;
  optional: string;
  callbackConsent: string;
  /** Above the list of days, its first entry, and above the list of times. */
  callbackTime: string;
  callbackNow: string;
  callbackClock: string;
  callMe: string;
  /** `{phone}` is the number, `{time}` when it will be called. */
  callbackSteps: Record<CallbackStep, string>;
  callbackAgain: string;
  /** After a call that was missed. */
  callbackRepeat: string;
  callbackCancel: string;
  /** In that of `budget_used_up`, `{time}` is when calls begin again. */
  errors: Record<ErrorCode, string>;
}

/** What a language brings; its greeting is known before. */
export type LanguagePack = Omit<Strings, 'launcher' | 'heading'>;

/** Texts of a page's own; what is absent stays as it is. */
export type StringOverrides = {
  [Key in keyof Strings]?: Strings[Key] extends string ? string : Partial<Strings[Key]>;
};
