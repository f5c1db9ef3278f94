import type {
  CallState as PhoneCallState,
  WidgetCallback,
  WidgetCallbackRequest,
  WidgetCallbackState,
} from '@callkite/contract';
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
  /** How it ended. */
  readonly result: WidgetCallbackState['result'];
  readonly failure: ErrorCode | null;
  /** When it may work again, as far as the server said so. */
  readonly failureUntil: Date | null;
  /** The day chosen in the form, by the number of days from today; `null`: now. */
  readonly day: number | null;
}

export const noCallback: CallbackState = {
  step: 'form',
  callId: null,
  phone: '',
  when: null,
  phoneCall: null,
  result: null,
  failure: null,
  failureUntil: null,
  day: null,
};

const pollMs = 2000;
/** How far ahead a call can be asked for. */
export const longestWaitMs = 7 * 24 * 60 * 60_000;
/** Longer than any call; by then the visitor is not looking any more. */
const watchMs = 60 * 60_000;

export interface CallbackRequest extends Omit<WidgetCallbackRequest, 'when'> {
  readonly when?: string | Date | undefined;
}

/** A call-back that was taken, to be watched again by another page. */
export interface SavedCallback {
  readonly request: CallbackRequest;
  readonly callback: WidgetCallback;
  /** When the visitor wants to be called, in ISO 8601; `null`: at once. */
  readonly when: string | null;
}

/** Has the visitor called, and watches the call until it is over. */
export class Callback {
  readonly #changed: (state: CallbackState) => void;
  readonly #keep: (saved: SavedCallback | null) => void;
  #state = noCallback;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #last: {
    readonly api: ServerApi;
    readonly request: CallbackRequest;
    readonly callback: WidgetCallback;
  } | null = null;

  /** @param keep puts away what is to come, or `null` when nothing is any more */
  constructor(changed: (state: CallbackState) => void, keep: (saved: SavedCallback | null) => void) {
    this.#changed = changed;
    this.#keep = keep;
  }

  /** Watches one that an earlier page asked for. */
  resume(api: ServerApi, { request, callback, when }: SavedCallback): void {
    this.#follow(api, request, callback, when === null ? null : new Date(when));
  }

  /** @returns the id of the call. Rejects with a `WidgetError`. */
  async request(api: ServerApi, { when: wanted, ...request }: CallbackRequest): Promise<string> {
    this.stop();
    const when = wanted === undefined ? null : new Date(wanted);
    const { day } = this.#state;
    this.#set({ ...noCallback, step: 'sending', phone: request.phone, when, day });
    try {
      const waitMs = when === null ? 0 : when.getTime() - Date.now();
      // Also what is no time at all.
      if (!(waitMs >= 0 && waitMs <= longestWaitMs)) {
        throw new WidgetError('time_invalid', 'The time is not within the next seven days');
      }
      const callback = await api.createCallback({ ...request, ...(when && { when: when.toISOString() }) });
      this.#follow(api, request, callback, when);
      return callback.call_id;
    } catch (error) {
      const { code, until } = error instanceof WidgetError ? error : new WidgetError('server', String(error));
      this.#set({ ...noCallback, phone: request.phone, failure: code, failureUntil: until, day });
      throw error;
    }
  }

  /** Asks for the last one once more, now. Rejects with a `WidgetError`. @returns the id of the new call, if there was a last one */
  async repeat(): Promise<string | null> {
    return this.#last && this.request(this.#last.api, this.#last.request);
  }

  /** Cancels the last one. Rejects with a `WidgetError`. */
  async cancel(): Promise<void> {
    if (!this.#last) return;
    const { api, callback } = this.#last;
    const { state, result } = await api.cancelCallback(callback);
    if (this.#state.callId !== callback.call_id) return;
    this.stop();
    this.#keep(null);
    this.#set({ ...this.#state, phoneCall: state, result: result ?? 'canceled' });
  }

  /** A day was chosen in the form. */
  pickDay(day: number | null): void {
    this.#set({ ...this.#state, day, failure: null });
  }

  /** Back to the form, with or without something to correct in it. */
  reset(failure: ErrorCode | null = null): void {
    this.stop();
    this.#keep(null);
    this.#set({ ...noCallback, failure, day: this.#state.day });
  }

  /** Stops watching. */
  stop(): void {
    clearTimeout(this.#timer);
  }

  #follow(api: ServerApi, request: CallbackRequest, callback: WidgetCallback, when: Date | null): void {
    const waitMs = when === null ? 0 : Math.max(0, when.getTime() - Date.now());
    this.#last = { api, request, callback };
    this.#keep({ request, callback, when: when?.toISOString() ?? null });
    this.#set({
      ...noCallback,
      step: 'requested',
      callId: callback.call_id,
      phone: request.phone,
      when,
      day: this.#state.day,
    });
    this.#watch(() => api.callbackState(callback), Date.now() + waitMs + watchMs, waitMs);
  }

  #watch(ask: () => Promise<WidgetCallbackState>, untilMs: number, waitMs = 0): void {
    this.#timer = setTimeout(async () => {
      const { callId } = this.#state;
      // A response that does not come is asked for again.
      const { state: phoneCall, result } = await ask().catch(() => ({
        state: this.#state.phoneCall,
        result: this.#state.result,
      }));
      if (this.#state.callId !== callId || this.#state.result !== null) return;
      if (phoneCall !== this.#state.phoneCall) this.#set({ ...this.#state, phoneCall, result });
      if (phoneCall === 'completed') this.#keep(null);
      if (phoneCall !== 'completed' && Date.now() < untilMs) this.#watch(ask, untilMs);
    }, waitMs + pollMs);
  }

  #set(state: CallbackState): void {
    this.#state = state;
    this.#changed(state);
  }
}
