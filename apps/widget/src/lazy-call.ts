import type { Call, CallListener, CallStart, SavedCall } from './call.ts';
import { type CallState, noCall } from './call-state.ts';
import type { View } from './views/view.ts';

export interface LazyCallStart extends Omit<CallStart, 'context' | 'request'> {
  /** May need words that are still being loaded. */
  readonly request: Promise<CallStart['request']>;
  readonly media: 'audio' | 'text';
}

export interface LazyCallListener extends CallListener {
  /** What calls need was loaded, with these styles. */
  loaded(styles: string): void;
}

/** The calls of a widget. Their code is loaded with the first one. */
export class LazyCall {
  readonly #listener: LazyCallListener;
  #view: View['conversationView'] = null;
  #state = noCall;
  #loaded: Promise<Call> | null = null;

  constructor(listener: LazyCallListener) {
    this.#listener = listener;
  }

  get state(): CallState {
    return this.#state;
  }

  /** What shows a call, once it is loaded. */
  get view(): View['conversationView'] {
    return this.#view;
  }

  get isOpen(): boolean {
    return this.#state.status !== 'ready' && this.#state.status !== 'ended';
  }

  /**
   * Begins a call, unless one is open. To have sound in every browser, it must be called right in the handler of a
   * click: later on, an audio context is not allowed to run.
   */
  async start({ media, ...start }: LazyCallStart): Promise<string | null> {
    if (this.isOpen) return null;
    const context = media === 'audio' ? openContext() : null;
    this.#changed({ ...noCall, status: 'connecting' });
    try {
      const [call, request] = await Promise.all([this.#load(), start.request]);
      return await call.start({ ...start, request, context });
    } catch (error) {
      void context?.close();
      this.#changed({ ...noCall, failure: 'network' });
      this.#listener.failed('network', String(error));
      return null;
    }
  }

  /** Goes on with a call of an earlier page. */
  resume(saved: SavedCall): void {
    this.#changed({ ...saved.state, status: 'reconnecting', hasVoice: false });
    this.#load().then(
      (call) => call.resume(saved),
      () => this.#changed(noCall),
    );
  }

  openSound(): void {
    const context = openContext();
    this.do((call) => call.openSound(context));
  }

  /** Does something with the call, if there ever was one. */
  do(act: (call: Call) => void): void {
    // That the code did not arrive is told where the call was started.
    this.#loaded?.then(act, () => undefined);
  }

  #load(): Promise<Call> {
    this.#loaded ??= import('./during-call.ts').then(({ Call, conversationView, styles }) => {
      this.#view = conversationView;
      this.#listener.loaded(styles);
      return new Call({ ...this.#listener, changed: (state) => this.#changed(state) });
    });
    this.#loaded.catch(() => {
      this.#loaded = null;
    });
    return this.#loaded;
  }

  #changed(state: CallState): void {
    const before = this.#state;
    this.#state = state;
    this.#listener.changed(state, before);
  }
}

function openContext(): AudioContext {
  const context = new AudioContext({ latencyHint: 'interactive' });
  void context.resume();
  return context;
}
