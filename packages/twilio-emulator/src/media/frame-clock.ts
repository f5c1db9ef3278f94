import { FRAME_MS } from '../line/callee-ear.ts';
import type { Pace } from '../line/pace.ts';

// Several frames of an accelerated call share a timer: one for each would cost more than the frames.
const LEAST_WAIT_MS = 4;
// Between frames that are late, messages are read: sound that has arrived must not be missing where it belongs.
const FRAMES_IN_A_TURN = 2;

/** Beats once for every 20 ms of a call, in step with its start: what a delay holds back is made up for. */
export class FrameClock {
  readonly #frameMs: number;
  readonly #onFrame: (index: number) => void;
  #startedAt = 0;
  #frames = 0;
  #timer: NodeJS.Timeout | undefined;
  #isStopped = false;

  constructor(pace: Pace, onFrame: (index: number) => void) {
    this.#frameMs = pace.real(FRAME_MS);
    this.#onFrame = onFrame;
  }

  start(): void {
    this.#startedAt = performance.now();
    this.#wait();
  }

  stop(): void {
    this.#isStopped = true;
    clearTimeout(this.#timer);
  }

  #wait(): void {
    const nextAt = this.#startedAt + (this.#frames + 1) * this.#frameMs;
    this.#timer = setTimeout(() => this.#beat(), Math.max(LEAST_WAIT_MS, nextAt - performance.now()));
  }

  #beat(): void {
    const due = Math.floor((performance.now() - this.#startedAt) / this.#frameMs);
    const last = Math.min(due, this.#frames + FRAMES_IN_A_TURN);
    while (this.#frames < last && !this.#isStopped) {
      this.#onFrame(this.#frames);
      this.#frames += 1;
    }
    if (this.#isStopped) return;
    if (this.#frames < due) setImmediate(() => this.#beat());
    else this.#wait();
  }
}
