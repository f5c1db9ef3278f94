import type { ReactiveController } from 'lit';
import { keepCall, takeKeptCall } from './kept-call.ts';
import type { LazyCall } from './lazy-call.ts';
import type { Settings } from './settings.ts';

/** Several widgets of a page may have the same key: each goes on with its own call. */
export function placeKey(host: Settings): string {
  const { publicKey, workflow, localName } = host;
  const place = [...document.querySelectorAll(localName)].indexOf(host);
  return `callkite:${publicKey}:${workflow}:${place}`;
}

/** Has the call of a widget go on when the tab goes to another page, or comes back to this one. */
export class CallKeeper implements ReactiveController {
  readonly #host: Settings;
  readonly #call: LazyCall;

  constructor(host: Settings, call: LazyCall) {
    this.#host = host;
    this.#call = call;
    host.addController(this);
  }

  hostConnected(): void {
    addEventListener('pagehide', this.#onPageHide);
    addEventListener('pageshow', this.#onPageShow);
    this.#resume();
  }

  hostDisconnected(): void {
    removeEventListener('pagehide', this.#onPageHide);
    removeEventListener('pageshow', this.#onPageShow);
  }

  #resume(): boolean {
    const kept = this.#host.persist === 'session' ? takeKeptCall(placeKey(this.#host)) : null;
    if (kept) this.#call.resume(kept);
    return kept !== null;
  }

  readonly #onPageHide = () => {
    this.#call.do((call) => {
      const kept = this.#host.persist === 'session' ? call.save() : null;
      if (kept) keepCall(placeKey(this.#host), kept);
      else call.end();
      call.abandon();
    });
  };

  /** A page that was only put aside comes back as it was, without its line. */
  readonly #onPageShow = ({ persisted }: PageTransitionEvent) => {
    if (persisted && !this.#resume()) this.#call.do((call) => call.reset());
  };
}
