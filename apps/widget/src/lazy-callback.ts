import type { Callback, CallbackRequest, CallbackState } from './callback.ts';
import { keepCallback, keptCallback } from './kept-call.ts';
import type { ServerApi } from './server-api.ts';
import type { View } from './views/view.ts';

export interface LazyCallbackListener {
  api(): ServerApi;
  /** Names the widget among those of the page; `null` where nothing is kept for other pages. */
  place(): string | null;
  /** Something to be shown changed. */
  changed(): void;
  /** What call-backs need was loaded, with these styles. */
  loaded(styles: string): void;
  /** The server took a call-back. */
  requested(callId: string): void;
  failed(error: unknown): void;
}

/** The call-backs of a widget. Their code is loaded with the first look at them. */
export class LazyCallback {
  readonly #listener: LazyCallbackListener;
  #loading: Promise<Callback> | null = null;
  #state: CallbackState | null = null;
  #view: View['callbackView'] = null;

  constructor(listener: LazyCallbackListener) {
    this.#listener = listener;
  }

  /** An earlier page of this tab asked for one that is to come. */
  get isKept(): boolean {
    const place = this.#listener.place();
    return place !== null && keptCallback(place) !== null;
  }

  get state(): CallbackState | null {
    return this.#state;
  }

  /** What shows call-backs, once it is loaded. */
  get view(): View['callbackView'] {
    return this.#view;
  }

  load(): Promise<Callback> {
    this.#loading ??= import('./being-called.ts').then(({ Callback, callbackView, styles }) => {
      this.#view = callbackView;
      this.#listener.loaded(styles);
      const place = this.#listener.place();
      const callback = new Callback(
        (state) => {
          this.#state = state;
          this.#listener.changed();
        },
        (saved) => place !== null && keepCallback(place, saved),
      );
      const kept = place === null ? null : keptCallback(place);
      if (kept) callback.resume(this.#listener.api(), kept);
      return callback;
    });
    this.#loading.catch(() => {
      this.#loading = null;
    });
    return this.#loading;
  }

  /** @returns the id of the call. Rejects with what the listener is told. */
  async request(api: ServerApi, request: CallbackRequest): Promise<string> {
    try {
      const callId = await (await this.load()).request(api, request);
      this.#listener.requested(callId);
      return callId;
    } catch (error) {
      this.#listener.failed(error);
      throw error;
    }
  }

  /** Asks for the last one once more, now. */
  repeat(): void {
    this.do((callback) => {
      callback
        .repeat()
        .then((callId) => callId !== null && this.#listener.requested(callId), this.#listener.failed);
    });
  }

  /** Cancels the last one. */
  cancel(): void {
    this.do((callback) => {
      callback.cancel().catch(this.#listener.failed);
    });
  }

  /** Does something with the call-backs, if they were ever looked at. */
  do(act: (callback: Callback) => void): void {
    this.#loading?.then(act, () => undefined);
  }
}
