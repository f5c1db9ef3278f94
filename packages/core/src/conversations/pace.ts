import { CallkiteError } from '../errors.ts';

const fillerAfterMs = 2000;
const longestWaitMs = 12_000;

export interface Pace {
  readonly signal: AbortSignal;
  progressed(): void;
  /** A tool is at work: it has a deadline of its own, but the callee waits all the same. */
  toolBegan(): void;
  toolEnded(): void;
  stop(): void;
}

/** Watches how long the callee waits: for a filler, once in a wait, and for giving up. */
export function keepPace(onSlow: () => void): Pace {
  const tooSlow = new AbortController();
  let isFilled = false;
  let filler: NodeJS.Timeout | undefined;
  let end: NodeJS.Timeout | undefined;

  function fill(): void {
    isFilled = true;
    onSlow();
  }
  function wait(mayGiveUp: boolean): void {
    clearTimeout(filler);
    clearTimeout(end);
    if (!isFilled) filler = setTimeout(fill, fillerAfterMs);
    if (mayGiveUp) end = setTimeout(giveUp, longestWaitMs);
  }
  function giveUp(): void {
    tooSlow.abort(new CallkiteError('provider_unavailable', 'the model fell silent'));
  }

  wait(true);
  return {
    signal: tooSlow.signal,
    progressed() {
      isFilled = false;
      clearTimeout(filler);
      end?.refresh();
    },
    toolBegan: () => wait(false),
    toolEnded: () => wait(true),
    stop() {
      clearTimeout(filler);
      clearTimeout(end);
    },
  };
}
