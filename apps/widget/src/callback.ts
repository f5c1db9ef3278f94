import type { CallState as PhoneCallState, WidgetCallbackRequest } from '@callkite/core/contract';
import type { ErrorCode } from './call-state.ts';
import { type ServerApi, WidgetError } from './server-api.ts';

/** Where a call-back stands. `form`: none was asked for yet, or the last one failed to be taken. */
export interface CallbackState {
  readonly step: 'form' | 'sending' | 'requested';
  readonly callId: string | null;
  readonly phone: string;
  /** Of the phone call, as far as it is known. */
  readonly phoneCall: PhoneCallState | null;
  readonly failure: ErrorCode | null;
}

export const noCallback: CallbackState = {
  step: 'form',
  callId: null,
  phone: '',
  phoneCall: null,
  failure: null,
};

const pollMs = 2000;
/** Longer than any call; by then the visitor is not looking any more. */
const watchMs = 60 * 60_000;

/** Has the visitor called, and watches the call until it is over. */
export class Callback {
  readonly #changed: (state: CallbackState) => void;
  #state = noCallback;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(changed: (state: CallbackState) => void) {
    this.#changed = changed;
  }

  /** @returns the id of the call. Rejects with a `WidgetError`. */
  async request(api: ServerApi, request: WidgetCallbackRequest): Promise<string> {
    this.stop();
    this.#set({ ...noCallback, step: 'sending', phone: request.phone });
    try {
      const callback = await api.createCallback(request);
      this.#set({ ...this.#state, step: 'requested', callId: callback.call_id });
      this.#watch(() => api.callbackState(callback), Date.now() + watchMs);
      return callback.call_id;
    } catch (error) {
      this.#set({ ...noCallback, failure: error instanceof WidgetError ? error.code : 'server' });
      throw error;
    }
  }

  /** Back to the form, with or without something to correct in it. */
  reset(failure: ErrorCode | null = null): void {
    this.stop();
    this.#set({ ...noCallback, failure });
  }

  /** Stops watching. */
  stop(): void {
    clearTimeout(this.#timer);
  }

  #watch(ask: () => Promise<{ state: PhoneCallState }>, untilMs: number): void {
    this.#timer = setTimeout(async () => {
      const { callId } = this.#state;
      // An answer that does not come is asked for again.
      const phoneCall = await ask().then(
        ({ state }) => state,
        () => this.#state.phoneCall,
      );
      if (this.#state.callId !== callId) return;
      if (phoneCall !== this.#state.phoneCall) this.#set({ ...this.#state, phoneCall });
      if (phoneCall !== 'completed' && Date.now() < untilMs) this.#watch(ask, untilMs);
    }, pollMs);
  }

  #set(state: CallbackState): void {
    this.#state = state;
    this.#changed(state);
  }
}
