/** Cancels a request that makes no progress. */
export interface Watchdog {
  /** Aborts when the caller's signal does, and when time is up. */
  readonly signal: AbortSignal;
  /** Whether it was time that aborted. */
  readonly timedOut: boolean;
  /** Begins the time anew. */
  start(): void;
  stop(): void;
}

/** The time runs from now on. */
export function watchdog(caller: AbortSignal, timeoutMs: number): Watchdog {
  const time = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  const stop = () => clearTimeout(timer);
  const start = () => {
    stop();
    timer = setTimeout(() => time.abort(), timeoutMs);
  };
  start();
  return {
    signal: AbortSignal.any([caller, time.signal]),
    get timedOut() {
      return time.signal.aborted;
    },
    start,
    stop,
  };
}
