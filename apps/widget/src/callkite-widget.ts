import { nothing, unsafeCSS } from 'lit';
import { addStyles } from './add-styles.ts';
import { CallKeeper, placeKey } from './call-keeper.ts';
import type { CallState, CallStatus } from './call-state.ts';
import type { CallkiteEvents } from './events.ts';
import { FocusKeeper } from './focus-keeper.ts';
import { KeyOffer } from './key-offer.ts';
import { LazyCall, type LazyCallListener } from './lazy-call.ts';
import { LazyCallback } from './lazy-callback.ts';
import type { CallbackOptions, StartOptions } from './options.ts';
import { reportTo } from './owner-report.ts';
import { placeOf } from './place.ts';
import { type ServerApi, serverApi, WidgetError } from './server-api.ts';
import { Settings, serverOf } from './settings.ts';
import { directionOf, greetingOf, languageFor, offlineText } from './strings/languages.ts';
import type { Strings } from './strings/strings.ts';
import { Texts } from './texts.ts';
import { closedView } from './views/closed-view.ts';
import type { Actions, CallbackFields, ClosedView, Tab } from './views/view.ts';
import { consentOf, sessionRequestOf, visitOf } from './visit.ts';
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
 */
export class CallkiteWidget extends Settings {
  static override styles = unsafeCSS(styles);

  readonly #label = ++widgetsOnPage;
  readonly #call: LazyCall;
  readonly #callback = new LazyCallback({
    api: () => this.#api(),
    place: () => (this.persist === 'session' ? placeKey(this) : null),
    changed: () => this.requestUpdate(),
    loaded: (styles) => this.#addStyles(styles),
    requested: (id) => this.#tell('callback-requested', { id }),
    failed: (error) => this.#report(error),
  });
  readonly #texts = new Texts(
    () => this.#loadPanel(),
    () => this.requestUpdate(),
  );
  readonly #offer = new KeyOffer(() => this.requestUpdate());
  #panel: typeof import('./panel.ts') | null = null;
  /** The panel could not be opened for want of a connection. */
  #isCutOff = false;
  #tab: Tab = 'talk';
  #agreedAt: string | null = null;
  #isConsentMissing = false;
  #isCallbackConsentMissing = false;
  #clock: ReturnType<typeof setInterval> | undefined;
  readonly #focus = new FocusKeeper(this);

  constructor() {
    super();
    this.#call = new LazyCall(this.#listener);
    new CallKeeper(this, this.#call);
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
    this.#isCutOff = false;
    this.#focus.takeFocus();
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
      await this.#askOffer();
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
      request: sessionRequestOf(this, {
        variables,
        agreedAt: this.#agreedAt,
        loadStrings: () => this.#loadStrings(),
      }),
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
    const visit = { ...visitOf(this, { ...this.variables, ...variables }), ...(name && { name }) };
    return this.#callback.request(this.#api(), { ...visit, phone, when, consent: consentOf(this, consent) });
  }

  override connectedCallback(): void {
    super.connectedCallback();
    if (this.#callback.isKept) this.#tab = 'callback';
    this.#tell('ready', {});
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    // An element that is moved within the page is only away for a moment.
    queueMicrotask(() => {
      if (this.isConnected) return;
      clearInterval(this.#clock);
      this.#callback.do((callback) => callback.stop());
      this.endCall();
    });
  }

  protected override willUpdate(): void {
    super.willUpdate();
    const isOpen = this.open || this.inline;
    if (isOpen) this.#askOffer();
    else this.#offer.forget();
    const [only, other] = this.#tabs;
    if (only && !other) this.#tab = only;
    if (isOpen && this.#tab === 'callback' && !this.#callback.view) void this.#callback.load();
    placeOf(this);
    const hasStrings = this.#texts.get(this.#tag, this.strings) !== null;
    if ((isOpen || this.#call.isOpen) && !hasStrings) this.#loadStrings().catch(this.#onNoStrings);
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
      trouble: this.#isCutOff ? offlineText(languageFor(tag)) : null,
      actions: this.#actions,
    };
    const strings = this.#texts.get(tag, this.strings);
    // Nobody is to read another language for a moment, or see tabs come and go.
    if (!strings || !this.#panel || ((this.open || this.inline) && !this.#offer.isKnown))
      return this.inline ? nothing : closedView(closed);
    return this.#panel.widgetView({
      ...closed,
      strings,
      inline: this.inline,
      open: this.open,
      heading,
      avatar: this.avatar,
      tabs: this.#tabs,
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
      failure: this.#call.state.failure ?? this.#offer.failure,
      callback: this.#callback.state,
      callbackCountries: this.#offer.countries,
      conversationView: this.#call.view,
      callbackConsentMissing: this.#isCallbackConsentMissing,
      callbackView: this.#callback.view,
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
    hold: () => this.pause(true),
    resume: () => this.pause(false),
    soundOn: () => this.#call.openSound(),
    send: (text) => {
      void this.sendText(text);
      return this.#call.isOpen;
    },
    dismiss: () => this.#call.do((call) => call.dismissNotice()),
    requestCallback: (fields) => this.#submitCallback(fields),
    repeatCallback: () => this.#callback.repeat(),
    cancelCallback: () => this.#callback.cancel(),
    pickDay: (day) => this.#callback.do((callback) => callback.pickDay(day)),
    resetCallback: () => this.#callback.do((callback) => callback.reset()),
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
      failed: (code, message, until) => this.#report(new WidgetError(code, message, until)),
      loaded: (styles) => this.#addStyles(styles),
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
    if (!phone || agreedTo === null) {
      const failure = phone === null ? 'phone_invalid' : phone === '' ? 'phone_missing' : null;
      this.#callback.do((callback) => callback.reset(failure));
      const field = failure ? '#phone' : '#agreed';
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

  /** Only what the key allows is offered, as far as it is known. */
  get #tabs(): readonly Tab[] {
    if (this.mode !== 'both') return [this.mode];
    return this.#offer.countries?.length === 0 ? ['talk'] : ['talk', 'callback'];
  }

  #api(): ServerApi {
    return serverApi(this.server.replace(/\/$/, '') || serverOf(import.meta.url), this.publicKey);
  }

  #askOffer(): Promise<void> {
    this.#offer.ask(this.publicKey, this.#api(), (error) => this.#report(error));
    return this.#offer.known;
  }

  #addStyles(styles: string): void {
    addStyles(this.shadowRoot, styles);
    this.requestUpdate();
  }

  async #loadPanel(): Promise<void> {
    const panel = await import('./panel.ts');
    if (!this.#panel) this.#addStyles(panel.styles);
    this.#panel = panel;
  }

  #loadStrings(): Promise<Strings> {
    return this.#texts.load(this.#tag, this.strings);
  }

  /** Tells the page, and its owner in the console, what did not work. */
  #report(error: unknown): void {
    const { code, message, until } =
      error instanceof WidgetError ? error : new WidgetError('server', String(error));
    reportTo(console, code, message);
    this.#tell('error', { code, message, ...(until && { until }) });
  }

  /** A panel without words is none: the button stays, to be pressed again, and says why. */
  readonly #onNoStrings = (error: unknown) => {
    if (!this.open) return;
    this.hide();
    this.#isCutOff = true;
    this.#report(new WidgetError('network', String(error)));
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
