import { CallkiteError } from '../../kernel/errors.ts';

const fillerAfterMs = 2000;

/** How long nothing may come before another way to the model is tried, and before it is given up, in milliseconds. */
export interface Patience {
  readonly stalledAfterMs: number;
  readonly longestWaitMs: number;
}

const usualPatience: Patience = { stalledAfterMs: 5000, longestWaitMs: 12_000 };
/** Where the callee has waited for this model before, in vain. */
export const littlePatience: Patience = { stalledAfterMs: 2000, longestWaitMs: 6000 };

export interface ResponseTimer {
  readonly signal: AbortSignal;
  progressed(): void;
  /** A tool is at work: it has a deadline of its own, but the callee waits all the same. */
  toolBegan(): void;
  toolEnded(): void;
  stop(): void;
}

/**
 * Watches how long the callee waits: for a filler, once in a wait, and for giving up.
 * @param onStalled nothing has come for so long that another way to the model may be worth a try
 * @param patience how long that is
 */
export function responseTimer(
  onSlow: () => void,
  onStalled: () => void = () => undefined,
  patience: Patience = usualPatience,
): ResponseTimer {
  const tooSlow = new AbortController();
  let isFilled = false;
  let filler: NodeJS.Timeout | undefined;
  let stall: NodeJS.Timeout | undefined;
  let end: NodeJS.Timeout | undefined;

  function fill(): void {
    isFilled = true;
    onSlow();
  }
  function wait(mayGiveUp: boolean): void {
    stop();
    if (!isFilled) filler = setTimeout(fill, fillerAfterMs);
    if (!mayGiveUp) return;
    stall = setTimeout(onStalled, patience.stalledAfterMs);
    end = setTimeout(giveUp, patience.longestWaitMs);
  }
  function stop(): void {
    for (const timer of [filler, stall, end]) clearTimeout(timer);
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
      stall?.refresh();
      end?.refresh();
    },
    toolBegan: () => wait(false),
    toolEnded: () => wait(true),
    stop,
  };
}
