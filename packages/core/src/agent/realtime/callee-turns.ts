import type { TranscriptSequencer, TranscriptSlot } from './transcript-sequencer.ts';

/** The callee's turns: that they spoke is known at once, what they said later. */
export interface CalleeTurns {
  /** How many times the callee has spoken on this call. */
  readonly count: number;
  /** A turn was begun whose words are not known yet. */
  readonly isSpeaking: boolean;
  /** Those turns. */
  readonly open: Iterable<string>;
  begin(turnId: string): void;
  /** Begins the turn too, if need be. Counts once. */
  said(turnId: string, words: string): void;
  /** A turn whose words are known at once. */
  add(words: string): void;
  /** Nothing will be learnt of the turns that are open. */
  giveUp(): void;
  /** Resolves when the words of every turn are known or given up, or after so long. */
  known(withinMs: number): Promise<void>;
}

export function calleeTurns(order: TranscriptSequencer, spokenBefore: number): CalleeTurns {
  const open = new Map<string, TranscriptSlot>();
  const over = new Set<string>();
  const waiting = new Set<() => void>();
  let count = spokenBefore;

  function begin(turnId: string): TranscriptSlot {
    const known = open.get(turnId);
    if (known) return known;
    count += 1;
    const place = order.next();
    open.set(turnId, place);
    return place;
  }

  function fill(place: TranscriptSlot, words: string): void {
    place.fill(words === '' ? null : { role: 'user', content: words, interrupted: false });
  }

  function tellIfKnown(): void {
    if (open.size > 0) return;
    for (const resolve of waiting) resolve();
    waiting.clear();
  }

  return {
    get count() {
      return count;
    },
    get isSpeaking() {
      return open.size > 0;
    },
    get open() {
      return open.keys();
    },
    begin: (turnId) => {
      if (!over.has(turnId)) begin(turnId);
    },
    said(turnId, words) {
      if (over.has(turnId)) return;
      const place = begin(turnId);
      over.add(turnId);
      open.delete(turnId);
      fill(place, words);
      tellIfKnown();
    },
    add(words) {
      count += 1;
      fill(order.next(), words);
    },
    giveUp() {
      for (const [turnId, place] of open) {
        over.add(turnId);
        place.fill(null);
      }
      open.clear();
      tellIfKnown();
    },
    async known(withinMs) {
      if (open.size === 0) return;
      let timer: NodeJS.Timeout | undefined;
      await new Promise<void>((resolve) => {
        waiting.add(resolve);
        timer = setTimeout(resolve, withinMs);
      });
      clearTimeout(timer);
    },
  };
}
