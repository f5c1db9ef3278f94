/** Cancels a request that makes no progress. */
export interface Watchdog {
  /** Aborts when the caller's signal does, and when time is up. */
  readonly signal: AbortSignal;
  /** Whether it was time that aborted. */
  readonly timedOut: boolean;
  /** Begins the time anew. */
  start(): void;
  /** Lets no time pass until `start`. */
  pause(): void;
  /** Must be called in the end. */
  stop(): void;
}

/** The time runs from now on. */
export function watchdog(caller: AbortSignal, timeoutMs: number): Watchdog {
  const time = new AbortController();
  let isRunning = true;
  const timer = setTimeout(() => {
    if (isRunning) time.abort();
  }, timeoutMs);
  return {
    signal: AbortSignal.any([caller, time.signal]),
    get timedOut() {
      return time.signal.aborted;
    },
    start() {
      isRunning = true;
      // Once for each packet: cheaper than a new timer.
      timer.refresh();
    },
    pause() {
      isRunning = false;
    },
    stop: () => clearTimeout(timer),
  };
}
