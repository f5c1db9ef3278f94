import { normalizeForAlignment } from './spoken-text.ts';

/** A line a model was asked to say word by word, let through only as far as the model really says it. */
export interface VerbatimCheck {
  /** No verdict yet. */
  readonly isOpen: boolean;
  sound(audio: string): void;
  text(text: string): void;
  /** The model is done. */
  ended(): void;
  /** Takes whatever may still come for wrong. */
  refuse(): void;
}

/**
 * Sound is held back until the words that go with it are known to be the line's. Case, punctuation and spaces are the
 * model's affair, and so are words after the line.
 */
export function verbatimCheck(
  line: string,
  options: {
    /** Sound that may be heard. */
    release(audio: string): void;
    /** Once: the model said something else, or not all of it. */
    onRefused(): void;
  },
): VerbatimCheck {
  const expected = normalizeForAlignment(line).letters;
  const held: string[] = [];
  let spoken = '';
  let isOpen = true;

  const isSaid = () => normalizeForAlignment(spoken).letters.startsWith(expected);

  function releaseHeld(): void {
    for (const audio of held.splice(0)) options.release(audio);
  }

  function refuse(): void {
    if (!isOpen) return;
    isOpen = false;
    held.length = 0;
    options.onRefused();
  }

  return {
    get isOpen() {
      return isOpen;
    },
    sound(audio) {
      if (!isOpen) return;
      if (isSaid()) options.release(audio);
      else held.push(audio);
    },
    text(text) {
      if (!isOpen) return;
      spoken += text;
      if (isSaid() || expected.startsWith(normalizeForAlignment(spoken).letters)) releaseHeld();
      else refuse();
    },
    ended() {
      if (!isOpen) return;
      if (!isSaid()) {
        refuse();
        return;
      }
      isOpen = false;
      releaseHeld();
    },
    refuse,
  };
}
