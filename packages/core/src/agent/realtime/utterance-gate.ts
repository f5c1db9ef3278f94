/** Which utterances of a speech model may be heard: it speaks when it likes, and is not always meant to. */
export interface UtteranceGate {
  /** Only lines of ours are to be heard. */
  readonly isHushed: boolean;
  /** From now on, only so many utterances: lines of ours that were asked for. */
  hush(lines: number): void;
  restore(): void;
  /** This utterance is a line of ours. */
  allow(utteranceId: string): void;
  /** What is left of an utterance is not heard. @returns whether that is new */
  drop(utteranceId: string): boolean;
  isDropped(utteranceId: string): boolean;
  /**
   * To be asked of everything that is not dropped. It is dropped if the model was told to keep quiet before it began this
   * utterance.
   */
  mayBeHeard(utteranceId: string): boolean;
  /** It was begun when only lines of ours were to be heard. */
  isLine(utteranceId: string): boolean;
}

export function utteranceGate(): UtteranceGate {
  const allowed = new Set<string>();
  const lines = new Set<string>();
  const dropped = new Set<string>();
  let isHushed = false;
  let linesOwed = 0;

  return {
    get isHushed() {
      return isHushed;
    },
    hush(lines) {
      isHushed = true;
      linesOwed = lines;
    },
    restore() {
      isHushed = false;
    },
    allow: (utteranceId) => allowed.add(utteranceId),
    drop(utteranceId) {
      const isNew = !dropped.has(utteranceId);
      dropped.add(utteranceId);
      return isNew;
    },
    isDropped: (utteranceId) => dropped.has(utteranceId),
    mayBeHeard(utteranceId) {
      if (allowed.has(utteranceId)) return true;
      if (isHushed && linesOwed === 0) {
        dropped.add(utteranceId);
        return false;
      }
      if (isHushed) {
        linesOwed -= 1;
        lines.add(utteranceId);
      }
      allowed.add(utteranceId);
      return true;
    },
    isLine: (utteranceId) => lines.has(utteranceId),
  };
}
