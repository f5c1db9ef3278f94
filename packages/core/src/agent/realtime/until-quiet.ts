/** The words that end a stretch of speech are known a moment after its sound has ended. */
const wordsFollowMs = 600;

/** Keeps back what would be said while the callee is speaking: what they say then may change it. */
export interface UntilQuiet {
  /** Does this now, or once the callee has been quiet for a moment and said nothing new. In order. */
  run(action: () => void): void;
  calleeSpeaking(speaking: boolean): void;
  /** Nothing that waits is done any more. */
  drop(): void;
}

export function untilQuiet(): UntilQuiet {
  let isSpeaking = false;
  let timer: NodeJS.Timeout | undefined;
  let waiting: (() => void)[] = [];

  function go(): void {
    timer = undefined;
    const ready = waiting;
    waiting = [];
    for (const action of ready) action();
  }

  return {
    run(action) {
      if (isSpeaking || timer) waiting.push(action);
      else action();
    },
    calleeSpeaking(speaking) {
      // Words that were known before the sound ended have been answered already.
      if (!speaking && !isSpeaking) return;
      clearTimeout(timer);
      timer = speaking ? undefined : setTimeout(go, wordsFollowMs);
      isSpeaking = speaking;
    },
    drop() {
      clearTimeout(timer);
      timer = undefined;
      waiting = [];
      isSpeaking = false;
    },
  };
}
