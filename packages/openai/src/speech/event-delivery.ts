import type { SpeechModelEvent } from '@callkite/core';

/** Gives events to the one listener, in order and none after `closed`; keeps them until there is one. */
export class EventDelivery {
  readonly #undelivered: SpeechModelEvent[] = [];
  #listener: ((event: SpeechModelEvent) => void) | undefined;
  #isClosed = false;

  listen(listener: (event: SpeechModelEvent) => void): void {
    // What the listener does may tell more, which comes after what waits.
    for (let event = this.#undelivered.shift(); event !== undefined; event = this.#undelivered.shift()) {
      listener(event);
    }
    this.#listener = listener;
  }

  tell(event: SpeechModelEvent): void {
    if (this.#isClosed) return;
    this.#isClosed = event.type === 'closed';
    if (this.#listener === undefined) this.#undelivered.push(event);
    else this.#listener(event);
  }
}
