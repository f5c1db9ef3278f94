import type { CallState as PhoneCallState, WidgetCallbackRequest } from '@callkite/contract';
import type { ErrorCode } from './call-state.ts';
import { type ServerApi, WidgetError } from './server-api.ts';

/** Where a call-back stands. `form`: none was asked for yet, or the last one failed to be taken. */
export interface CallbackState {
  readonly step: 'form' | 'sending' | 'requested';
  readonly callId: string | null;
  readonly phone: string;
  /** When the visitor wants to be called; `null`: now. */
  readonly when: Date | null;
  /** Of the phone call, as far as it is known. */
  readonly phoneCall: PhoneCallState | null;
  readonly failure: ErrorCode | null;
}

export const noCallback: CallbackState = {
  step: 'form',
  callId: null,
  phone: '',
  when: null,
  phoneCall: null,
  failure: null,
};

const pollMs = 2000;
/** How far ahead a call can be asked for. */
export const longestWaitMs = 7 * 24 * 60 * 60_000;
/** Longer than any call; by then the visitor is not looking any more. */
const watchMs = 60 * 60_000;

export interface CallbackRequest extends Omit<WidgetCallbackRequest, 'when'> {
  readonly when?: string | Date | undefined;
}

/** Has the visitor called, and watches the call until it is over. */
export class Callback {
  readonly #changed: (state: CallbackState) => void;
  #state = noCallback;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(changed: (state: CallbackState) => void) {
    this.#changed = changed;
  }

  /** @returns the id of the call. Rejects with a `WidgetError`. */
  async request(api: ServerApi, { when: wanted, ...request }: CallbackRequest): Promise<string> {
    this.stop();
    const when = wanted === undefined ? null : new Date(wanted);
    this.#set({ ...noCallback, step: 'sending', phone: request.phone, when });
    try {
      const waitMs = when === null ? 0 : when.getTime() - Date.now();
      // Also what is no time at all.
      if (!(waitMs >= 0 && waitMs <= longestWaitMs)) {
        throw new WidgetError('time_invalid', 'The time is not within the next seven days');
      }
      const callback = await api.createCallback({ ...request, ...(when && { when: when.toISOString() }) });
      this.#set({ ...this.#state, step: 'requested', callId: callback.call_id });
      this.#watch(() => api.callbackState(callback), Date.now() + waitMs + watchMs, waitMs);
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

  #watch(ask: () => Promise<{ state: PhoneCallState }>, untilMs: number, waitMs = 0): void {
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
    }, waitMs + pollMs);
  }

  #set(state: CallbackState): void {
    this.#state = state;
    this.#changed(state);
  }
}
