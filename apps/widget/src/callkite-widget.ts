import type { Consent, WidgetSessionRequest } from '@callkite/contract';
import { nothing, unsafeCSS } from 'lit';
import { addStyles } from './add-styles.ts';
import type { CallState, CallStatus } from './call-state.ts';
import type { Callback, CallbackState } from './callback.ts';
import type { CallkiteEvents } from './events.ts';
import { keepCall, takeKeptCall } from './kept-call.ts';
import { LazyCall, type LazyCallListener } from './lazy-call.ts';
import type { CallbackOptions, GivenConsent, StartOptions } from './options.ts';
import { type ServerApi, serverApi, WidgetError } from './server-api.ts';
import { Settings, serverOf } from './settings.ts';
import { directionOf, greetingOf, languageFor, loadPack, stringsOf } from './strings/languages.ts';
import type { LanguagePack, Strings } from './strings/strings.ts';
import type { Actions, CallbackFields, ClosedView, Tab, View } from './views/view.ts';
import { closedView, widgetView } from './views/widget-view.ts';
import styles from './widget.css?inline';

let widgetsOnPage = 0;

/**
 * Talk to an AI voice agent, type to it, or be called by it, on any website. Its events bubble and cross shadow
 * roots.
 *
 * @tagname callkite-widget
 * @fires {CustomEvent<CallkiteEvents['ready']>} callkite:ready - The element is in the page
 * @fires {CustomEvent<CallkiteEvents['open']>} callkite:open - The panel was opened
 * @fires {CustomEvent<CallkiteEvents['close']>} callkite:close - The panel was closed
 * @fires {CustomEvent<CallkiteEvents['consent']>} callkite:consent - The box was ticked, or the tick taken back
 * @fires {CustomEvent<CallkiteEvents['before-call']>} callkite:before-call - A call is about to begin; cancelable
 * @fires {CustomEvent<CallkiteEvents['call-start']>} callkite:call-start - A call began
 * @fires {CustomEvent<CallkiteEvents['status']>} callkite:status - The call's status changed
 * @fires {CustomEvent<CallkiteEvents['transcript']>} callkite:transcript - A line was said, or grew
 * @fires {CustomEvent<CallkiteEvents['tool']>} callkite:tool - The agent uses a tool
 * @fires {CustomEvent<CallkiteEvents['mute']>} callkite:mute - The microphone was turned off or on
 * @fires {CustomEvent<CallkiteEvents['error']>} callkite:error - Something did not work
 * @fires {CustomEvent<CallkiteEvents['call-end']>} callkite:call-end - The call is over
 * @fires {CustomEvent<CallkiteEvents['callback-requested']>} callkite:callback-requested - The visitor will be called
 * @slot launcher - Content of the button that opens the panel
 * @slot header - In place of the picture in the header of the panel
 * @slot footer - Below everything in the panel
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
 * @cssprop --ck-accent - Colour of what matters
 * @cssprop --ck-on-accent - Colour of text on it
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
export class CallkiteWidget extends Settings {
  static override styles = unsafeCSS(styles);

  readonly #label = ++widgetsOnPage;
  readonly #call: LazyCall;
  #callbackView: View['callbackView'] = null;
  #callback: Promise<Callback> | null = null;
  #callbackState: CallbackState | null = null;
  #pack: {
    readonly tag: string;
    readonly loading: Promise<LanguagePack>;
    texts: LanguagePack | null;
  } | null = null;
  #tab: Tab = 'talk';
  #agreedAt: string | null = null;
  #isConsentMissing = false;
  #isCallbackConsentMissing = false;
  #clock: ReturnType<typeof setInterval> | undefined;
  #hadFocus = false;
  #takesFocus = false;
  #wasAtEnd = true;

  constructor() {
    super();
    this.#call = new LazyCall(this.#listener);
  }

  /** Where the call stands. */
  get status(): CallStatus {
    return this.#call.state.status;
  }

  /** Id of the call that is open or was the last, else `null`. */
  get callId(): string | null {
    return this.#call.state.callId;
  }

  /** Opens the panel. */
  show(): void {
    if (this.inline || this.open) return;
    this.open = true;
    this.#takesFocus = true;
    this.#tell('open', {});
  }

  /** Closes the panel. A call goes on. */
  hide(): void {
    if (this.inline || !this.open) return;
    this.open = false;
    this.#tell('close', {});
  }

  /**
   * Begins a call, unless one is open on this page. Browsers give sound only to what is done in the handler of a click,
   * so call it there. With `consent="required"`, the box has to be ticked first.
   * @returns the id of the call; `null` when none began
   */
  async startCall(options: StartOptions = {}): Promise<string | null> {
    if (this.#call.isOpen) return null;
    if (this.consent === 'required' && this.#agreedAt === null) {
      this.#tab = 'talk';
      this.#isConsentMissing = true;
      this.show();
      this.requestUpdate();
      await this.#loadStrings().catch(this.#onNoStrings);
      await this.updateComplete;
      this.shadowRoot?.querySelector<HTMLElement>('#consent')?.focus();
      return null;
    }
    const variables = { ...this.variables, ...options.variables };
    if (!this.#tell('before-call', { variables }, true)) return null;
    this.#tab = 'talk';
    this.show();
    return this.#call.start({
      api: this.#api(),
      request: this.#sessionRequest(variables),
      media: this.voice === 'off' ? 'text' : (options.media ?? 'audio'),
      language: this.#tag,
      text: options.text,
    });
  }

  /** Ends the call. @param reason in your own words, at most 200 characters; told by `call-end`, and kept with the call */
  endCall(reason?: string): void {
    this.#call.do((call) => call.end(reason));
  }

  /** Turns the microphone off or on. @param on the other way round when absent */
  mute(on = !this.#call.state.muted): void {
    this.#call.do((call) => call.mute(on));
    this.#tell('mute', { on });
  }

  /**
   * Puts the call on hold, or goes on: no sound is sent or played, and for five minutes the agent does not ask whether
   * anybody is there. @param on the other way round when absent
   */
  pause(on = !this.#call.state.paused): void {
    this.#call.do((call) => call.pause(on));
  }

  /** Says something in writing; begins a call by it when none is open. */
  async sendText(text: string): Promise<void> {
    if (this.#call.isOpen) this.#call.do((call) => call.sendText(text));
    else await this.startCall({ text, media: 'text' });
  }

  /** Tells the agent something to know. Nobody answers it. */
  sendContext(text: string): void {
    this.#call.do((call) => call.sendContext(text));
  }

  /** Presses keys: digits, `*` and `#`. */
  sendDtmf(digits: string): void {
    this.#call.do((call) => {
      for (const digit of digits) call.sendDigit(digit);
    });
  }

  /**
   * Has the visitor called, now or `when` it suits.
   * @returns the id of the phone call. Rejects with an error that has a `code`
   */
  async requestCallback({ phone, name, when, consent, variables }: CallbackOptions): Promise<string> {
    try {
      const id = await (await this.#loadCallback()).request(this.#api(), {
        ...this.#visitor({ ...this.variables, ...variables }),
        phone,
        ...(name && { name }),
        when,
        consent: this.#withVersion(consent),
      });
      this.#tell('callback-requested', { id });
      return id;
    } catch (error) {
      const { code, message } =
        error instanceof WidgetError ? error : new WidgetError('server', String(error));
      this.#tell('error', { code, message });
      throw error;
    }
  }

  override connectedCallback(): void {
    super.connectedCallback();
    addEventListener('pagehide', this.#onPageHide);
    addEventListener('pageshow', this.#onPageShow);
    this.#resumeKeptCall();
    this.#tell('ready', {});
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    removeEventListener('pagehide', this.#onPageHide);
    removeEventListener('pageshow', this.#onPageShow);
    // An element that is moved within the page is only away for a moment.
    queueMicrotask(() => {
      if (this.isConnected) return;
      clearInterval(this.#clock);
      this.#callback?.then((callback) => callback.stop());
      this.endCall();
    });
  }

  protected override willUpdate(): void {
    super.willUpdate();
    const root = this.shadowRoot;
    this.#hadFocus = Boolean(root?.activeElement);
    const log = root?.querySelector('.log');
    this.#wasAtEnd = !log || log.scrollTop + log.clientHeight > log.scrollHeight - 40;
    if (this.mode === 'callback') this.#tab = 'callback';
    else if (this.mode === 'talk') this.#tab = 'talk';
    const isOpen = this.open || this.inline;
    if (isOpen && this.#tab === 'callback' && !this.#callbackView) void this.#loadCallback();
    if ((isOpen || this.#call.isOpen) && !this.#strings) this.#loadStrings().catch(this.#onNoStrings);
  }

  protected override updated(): void {
    const root = this.shadowRoot;
    const panel = root?.querySelector<HTMLElement>('.panel');
    // What had the focus may be gone: a pressed button, the panel itself.
    if (panel && this.#takesFocus) {
      this.#takesFocus = false;
      panel.focus();
    } else if (this.#hadFocus && root?.activeElement === null) {
      (panel ?? root.querySelector<HTMLElement>('.launcher'))?.focus();
    }
    const log = root?.querySelector('.log');
    if (log && this.#wasAtEnd) log.scrollTop = log.scrollHeight;
  }

  protected override render(): unknown {
    const tag = this.#tag;
    const greeting = greetingOf(languageFor(tag));
    const heading = this.heading || this.strings.heading || greeting;
    const closed: ClosedView = {
      launcher: this.strings.launcher || greeting,
      language: Object.keys(this.strings).length > 0 ? tag : languageFor(tag),
      direction: directionOf(tag),
      label: this.#label === 1 ? heading : `${heading} (${this.#label})`,
      actions: this.#actions,
    };
    const strings = this.#strings;
    // Nobody is to read another language for a moment.
    if (!strings) return this.inline ? nothing : closedView(closed);
    return widgetView({
      ...closed,
      strings,
      inline: this.inline,
      open: this.open,
      heading,
      avatar: this.avatar,
      tabs: this.mode === 'both' ? ['talk', 'callback'] : [this.#tab],
      tab: this.#tab,
      voice: this.voice !== 'off',
      showTranscript: this.transcript !== 'off',
      consent: {
        mode: this.consent,
        agreed: this.#agreedAt !== null,
        missing: this.#isConsentMissing,
        termsUrl: this.termsUrl,
        privacyUrl: this.privacyUrl,
      },
      call: this.#call.state,
      callback: this.#callbackState,
      conversationView: this.#call.view,
      callbackConsentMissing: this.#isCallbackConsentMissing,
      callbackView: this.#callbackView,
      nowMs: Date.now(),
    });
  }

  readonly #actions: Actions = {
    open: () => this.show(),
    close: () => this.hide(),
    showTab: (tab) => {
      this.#tab = tab;
      this.requestUpdate();
    },
    agree: (agreed) => {
      this.#agreedAt = agreed ? new Date().toISOString() : null;
      this.#isConsentMissing = false;
      this.#tell('consent', { agreed, version: this.consentVersion });
      this.requestUpdate();
    },
    start: () => void this.startCall(),
    end: () => this.endCall(),
    mute: (on) => this.mute(on),
    resume: () => this.pause(false),
    soundOn: () => this.#call.openSound(),
    send: (text) => {
      void this.sendText(text);
      return this.#call.isOpen;
    },
    dismiss: () => this.#call.do((call) => call.dismissNotice()),
    requestCallback: (fields) => this.#submitCallback(fields),
    resetCallback: () => this.#resetCallback(null),
  };

  get #listener(): LazyCallListener {
    return {
      changed: (state, before) => this.#callChanged(state, before),
      received: (event) => {
        if (event.type === 'transcript') {
          const { id, role, text, final } = event;
          this.#tell('transcript', { id, role, text, final });
        } else if (event.type === 'tool') this.#tell('tool', { name: event.name, args: event.args });
      },
      failed: (code, message) => this.#tell('error', { code, message }),
      loaded: (styles) => {
        addStyles(this.shadowRoot, styles);
        this.requestUpdate();
      },
      level: (level) =>
        this.shadowRoot?.querySelector<HTMLElement>('.meter')?.style.setProperty('--level', level.toFixed(2)),
    };
  }

  #callChanged(state: CallState, before: CallState): void {
    this.requestUpdate();
    if (state.status === before.status) return;
    clearInterval(this.#clock);
    if (state.status === 'live') this.#clock = setInterval(() => this.requestUpdate(), 1000);
    this.#tell('status', { status: state.status });
    if (state.status === 'live' && before.status === 'connecting') {
      this.#tell('call-start', { id: state.callId });
    } else if (state.status === 'ended') {
      this.#tell('call-end', {
        id: state.callId,
        reason: state.pageReason ?? state.endReason,
        duration: state.durationMs / 1000,
      });
    }
  }

  #submitCallback({ phone, name, when, agreedTo }: CallbackFields): void {
    this.#isCallbackConsentMissing = agreedTo === null;
    if (phone === null || agreedTo === null) {
      this.#resetCallback(phone === null ? 'phone_invalid' : null);
      const field = phone === null ? '#phone' : '#agreed';
      void this.updateComplete.then(() => this.shadowRoot?.querySelector<HTMLElement>(field)?.focus());
      return;
    }
    this.requestCallback({ phone, name, when, consent: { text: agreedTo } }).catch(
      // The form shows it.
      () => undefined,
    );
  }

  get #tag(): string {
    return this.lang || document.documentElement.lang || navigator.language;
  }

  /** What is shown, once its language is loaded. */
  get #strings(): Strings | null {
    const tag = this.#tag;
    const texts = this.#pack?.tag === tag ? this.#pack.texts : null;
    return texts && stringsOf(languageFor(tag), texts, this.strings);
  }

  get #storageKey(): string {
    return `callkite:${this.publicKey}:${this.workflow}`;
  }

  #api(): ServerApi {
    return serverApi(this.server.replace(/\/$/, '') || serverOf(import.meta.url), this.publicKey);
  }

  #visitor(variables: Record<string, string>) {
    return {
      workflow_id: this.workflow,
      variables,
      // What follows the path may be private to the page.
      page: location.origin + location.pathname,
      ...(this.userId && { user: { id: this.userId, ...(this.userHash && { hash: this.userHash }) } }),
    };
  }

  async #sessionRequest(variables: Record<string, string>): Promise<Omit<WidgetSessionRequest, 'media'>> {
    const visitor = this.#visitor(variables);
    if (this.consent === 'off') return visitor;
    const time = this.#agreedAt ?? undefined;
    const { consent, consentNotice } = await this.#loadStrings();
    const given = this.consent === 'notice' ? { text: consentNotice } : { text: consent, time };
    return { ...visitor, consent: this.#withVersion(given) };
  }

  #withVersion({ text, version, time }: GivenConsent): Consent {
    return { text, version: version ?? this.consentVersion, time: time ?? new Date().toISOString() };
  }

  #loadCallback(): Promise<Callback> {
    this.#callback ??= import('./being-called.ts').then(({ Callback, callbackView, styles }) => {
      addStyles(this.shadowRoot, styles);
      this.#callbackView = callbackView;
      this.requestUpdate();
      return new Callback((state) => {
        this.#callbackState = state;
        this.requestUpdate();
      });
    });
    this.#callback.catch(() => {
      this.#callback = null;
    });
    return this.#callback;
  }

  #resetCallback(failure: 'phone_invalid' | null): void {
    this.#callback?.then((callback) => callback.reset(failure));
  }

  async #loadStrings(): Promise<Strings> {
    const tag = this.#tag;
    if (this.#pack?.tag !== tag) this.#pack = { tag, loading: loadPack(languageFor(tag)), texts: null };
    const pack = this.#pack;
    try {
      pack.texts = await pack.loading;
    } catch (error) {
      if (this.#pack === pack) this.#pack = null;
      throw error;
    }
    this.requestUpdate();
    return stringsOf(languageFor(tag), pack.texts, this.strings);
  }

  /** A panel without words is none: the button stays, to be pressed again. */
  readonly #onNoStrings = (error: unknown) => {
    if (!this.open) return;
    this.hide();
    this.#tell('error', { code: 'network', message: String(error) });
  };

  #resumeKeptCall(): boolean {
    const kept = this.persist === 'session' ? takeKeptCall(this.#storageKey) : null;
    if (kept) this.#call.resume(kept);
    return kept !== null;
  }

  readonly #onPageHide = () => {
    this.#call.do((call) => {
      const kept = this.persist === 'session' ? call.save() : null;
      if (kept) keepCall(this.#storageKey, kept);
      else call.end();
      call.abandon();
    });
  };

  /** A page that was only put aside comes back as it was, without its line. */
  readonly #onPageShow = ({ persisted }: PageTransitionEvent) => {
    if (persisted && !this.#resumeKeptCall()) this.#call.do((call) => call.reset());
  };

  /** @returns whether nobody canceled it */
  #tell<Name extends keyof CallkiteEvents>(
    name: Name,
    detail: CallkiteEvents[Name],
    cancelable = false,
  ): boolean {
    return this.dispatchEvent(
      new CustomEvent(`callkite:${name}`, { detail, bubbles: true, composed: true, cancelable }),
    );
  }
}
