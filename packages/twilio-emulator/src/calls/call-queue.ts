// How far a late timer may be caught up, so that a high rate is kept without bursts.
const CATCH_UP_MS = 20;

/** Lets calls of one account through one by one, at its calls per second. */
export class CallQueue<Waiting> {
  readonly #intervalMs: number;
  readonly #start: (waiting: Waiting) => void;
  readonly #isGone: (waiting: Waiting) => boolean;
  #waiting: Waiting[] = [];
  #head = 0;
  #nextAt = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: {
    callsPerSecond: number;
    start: (waiting: Waiting) => void;
    /** Whether the call was canceled meanwhile: it then takes no turn. */
    isGone: (waiting: Waiting) => boolean;
  }) {
    this.#intervalMs = 1000 / options.callsPerSecond;
    this.#start = options.start;
    this.#isGone = options.isGone;
  }

  add(waiting: Waiting): void {
    this.#waiting.push(waiting);
    if (this.#timer === undefined) this.#arm();
  }

  close(): void {
    clearTimeout(this.#timer);
    this.#waiting = [];
    this.#head = 0;
  }

  #arm(): void {
    this.#timer = setTimeout(() => this.#drain(), Math.max(0, this.#nextAt - performance.now()));
  }

  #drain(): void {
    this.#timer = undefined;
    while (this.#head < this.#waiting.length) {
      const now = performance.now();
      if (this.#nextAt > now) break;
      const next = this.#waiting[this.#head] as Waiting;
      this.#head += 1;
      if (this.#isGone(next)) continue;
      this.#nextAt = Math.max(this.#nextAt, now - CATCH_UP_MS) + this.#intervalMs;
      this.#start(next);
    }
    if (this.#head === this.#waiting.length) {
      this.#waiting = [];
      this.#head = 0;
      return;
    }
    if (this.#head > 1000) {
      this.#waiting = this.#waiting.slice(this.#head);
      this.#head = 0;
    }
    this.#arm();
  }
}
