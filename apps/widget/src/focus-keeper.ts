import type { LitElement, ReactiveController } from 'lit';

/** So close to its end, a transcript follows what is added to it. */
const nearEndPx = 40;

/** Keeps the focus in a widget whose parts come and go, and its transcript at the end. */
export class FocusKeeper implements ReactiveController {
  readonly #host: LitElement;
  #hadFocus = false;
  #takesFocus = false;
  #wasAtEnd = true;

  constructor(host: LitElement) {
    this.#host = host;
    host.addController(this);
  }

  /** The panel takes the focus when it is there. */
  takeFocus(): void {
    this.#takesFocus = true;
  }

  hostUpdate(): void {
    const root = this.#host.shadowRoot;
    this.#hadFocus = Boolean(root?.activeElement);
    const log = root?.querySelector('.log');
    this.#wasAtEnd = !log || log.scrollTop + log.clientHeight > log.scrollHeight - nearEndPx;
  }

  hostUpdated(): void {
    const root = this.#host.shadowRoot;
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
}
