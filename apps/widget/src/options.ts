/** What a visitor agreed to, as it is kept with the call. */
export interface GivenConsent {
  /** Word for word as it was shown. */
  text: string;
  /** @default the attribute `consent-version` */
  version?: string | undefined;
  /** ISO 8601. @default now */
  time?: string | undefined;
}

export interface StartOptions {
  /** The visitor's first words, as if typed. */
  text?: string | undefined;
  /** `text` never asks for the microphone. @default by the attribute `voice` */
  media?: 'audio' | 'text' | undefined;
  /** On top of the attribute `variables`. */
  variables?: Record<string, string> | undefined;
}

export interface CallbackOptions {
  /** E.164, such as `+12025550102`. */
  phone: string;
  name?: string | undefined;
  /** An ISO 8601 date and time, or a `Date`, within the next seven days. @default now */
  when?: string | Date | undefined;
  consent: GivenConsent;
  /** On top of the attribute `variables`. */
  variables?: Record<string, string> | undefined;
}
