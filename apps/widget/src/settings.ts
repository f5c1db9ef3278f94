import { LitElement } from 'lit';
import type { StringOverrides } from './strings/strings.ts';

/**
 * What a page sets on the element, by attribute or property, and how it may change its looks.
 *
 * @csspart launcher - The button that opens the panel
 * @csspart panel - The panel
 * @csspart header - Its header
 * @csspart status - What the call is doing
 * @csspart transcript - The list of what was said
 * @csspart message - A line of it
 * @csspart message-user - A line of the visitor
 * @csspart message-agent - A line of the agent
 * @csspart composer - The field for typing
 * @csspart button - Every button of the panel
 * @csspart button-primary - The main one
 * @csspart button-end - The one that ends the call
 * @csspart consent - What is agreed to
 * @csspart error - A sentence on what went wrong
 * @cssprop --ck-accent - Color of what matters
 * @cssprop --ck-on-accent - Color of text on it
 * @cssprop --ck-surface - Background
 * @cssprop --ck-text - Text
 * @cssprop --ck-muted - Text of less weight
 * @cssprop --ck-border - Lines
 * @cssprop --ck-radius - Corner of the panel
 * @cssprop --ck-font - Font family
 * @cssprop --ck-height - Height of an inline panel
 * @cssprop --ck-z-index - Layer of a floating widget
 * @cssprop --ck-offset-x - Distance to the side of the window
 * @cssprop --ck-offset-y - Distance to its bottom
 */
export class Settings extends LitElement {
  static override properties = {
    publicKey: { attribute: 'public-key' },
    workflow: {},
    server: {},
    mode: {},
    voice: {},
    placement: { reflect: true, useDefault: true },
    inline: { type: Boolean, reflect: true },
    open: { type: Boolean, reflect: true },
    lang: { reflect: true, useDefault: true },
    theme: { reflect: true, useDefault: true },
    heading: {},
    avatar: {},
    variables: { type: Object },
    userId: { attribute: 'user-id' },
    userHash: { attribute: 'user-hash' },
    consent: {},
    consentVersion: { attribute: 'consent-version' },
    termsUrl: { attribute: 'terms-url' },
    privacyUrl: { attribute: 'privacy-url' },
    transcript: {},
    persist: {},
    strings: { attribute: false },
  };

  /** Publishable key, `ck_pub_…`. */
  declare publicKey: string;
  /** Id of the workflow the agent follows. */
  declare workflow: string;
  /** Where the API of the server begins. Empty: where the script came from. */
  declare server: string;
  /** What is offered. */
  declare mode: 'both' | 'talk' | 'callback';
  /** `off` never asks for the microphone. */
  declare voice: 'auto' | 'on' | 'off';
  declare placement: 'bottom-right' | 'bottom-left';
  /** In the flow of the page, always open. */
  declare inline: boolean;
  /** Whether the panel is open. */
  declare open: boolean;
  /** Tag of the language of the texts, such as `de`. Empty: the page's, else the browser's. */
  declare lang: string;
  declare theme: 'auto' | 'light' | 'dark';
  /** Title of the panel. Empty: a greeting. */
  declare heading: string;
  /** URL of a picture. */
  declare avatar: string;
  /** What the agent should know; only names that the workflow lists are taken. */
  declare variables: Record<string, string> | null;
  /** Your id of the visitor. */
  declare userId: string;
  /** Proves the id: its HMAC-SHA256 with the key's identity secret. */
  declare userHash: string;
  /** Whether a box must be ticked, a notice is shown, or neither, before a call starts. */
  declare consent: 'required' | 'notice' | 'off';
  /** Kept with what was agreed to. */
  declare consentVersion: string;
  declare termsUrl: string;
  declare privacyUrl: string;
  /** `off` shows none; screen readers have it all the same. */
  declare transcript: 'on' | 'off';
  /** `session` goes on with a call on the next page of the same tab. */
  declare persist: 'session' | 'off';
  /** Texts of your own. */
  declare strings: StringOverrides;

  readonly #defaults: readonly (readonly [name: string, value: unknown])[];

  constructor() {
    super();
    this.publicKey = '';
    this.workflow = '';
    this.server = '';
    this.mode = 'both';
    this.voice = 'auto';
    this.placement = 'bottom-right';
    this.inline = false;
    this.open = false;
    this.lang = '';
    this.theme = 'auto';
    this.heading = '';
    this.avatar = '';
    this.variables = null;
    this.userId = '';
    this.userHash = '';
    this.consent = 'required';
    this.consentVersion = '1';
    this.termsUrl = '';
    this.privacyUrl = '';
    this.transcript = 'on';
    this.persist = 'session';
    this.strings = {};
    this.#defaults = Object.keys(Settings.properties).map((name) => [name, Reflect.get(this, name)]);
  }

  /** What is not given any more is as it was at first: React sets it to `undefined`. */
  protected override willUpdate(): void {
    for (const [name, value] of this.#defaults) {
      if (Reflect.get(this, name) === undefined) Reflect.set(this, name, value);
    }
  }
}

/**
 * Where the API of the server begins that serves a script: `https://host/base` for `https://host/base/widget/v1/widget.js`,
 * and the origin for a script that lies elsewhere.
 */
export function serverOf(scriptUrl: string): string {
  const { origin, pathname } = new URL(scriptUrl);
  return origin + (/^(.*)\/widget\/[^/]+\/[^/]+$/.exec(pathname)?.[1] ?? '');
}
