import { confirmsOptOut, judgeOptOut } from '../languages/opt-out.ts';

/** What to do about a wish not to be called again: follow it, or ask whether that is what they want. */
export type OptOutStep = 'act' | 'ask' | null;

/**
 * Whether the callee of one call wants no more calls. A block is for good, so it takes words that mean nothing else, or a
 * clear yes to our question. A no, anything unclear, and silence leave everything as it is.
 */
export interface OptOutWish {
  /** What the callee said. `mayAsk`: a person listens, to whom a question can be put. `knowsAll`: they had heard it. */
  said(words: string, options: { readonly mayAsk: boolean; readonly knowsAll: boolean }): OptOutStep;
  /** The model understood such a wish. */
  noted(): OptOutStep;
  /** They were asked about it, did not say yes, and have said nothing like it since. */
  readonly isSettled: boolean;
  /** The question was asked, and nobody has answered it yet. */
  readonly isOpen: boolean;
}

/** Nobody is asked more often on one call. */
const maximumQuestions = 2;

/** @param asks `false` for visitors of a web page, who have no number to be blocked */
export function optOutWish({ asks }: { readonly asks: boolean }): OptOutWish {
  let isOpen = false;
  let questions = 0;
  /** There were words since the last question that may be meant so. */
  let isNew = true;

  function ask(): OptOutStep {
    if (questions >= maximumQuestions) return null;
    questions += 1;
    isOpen = true;
    isNew = false;
    return 'ask';
  }

  return {
    get isOpen() {
      return isOpen;
    },
    get isSettled() {
      return asks && (!isNew || questions >= maximumQuestions);
    },
    said(words, { mayAsk, knowsAll }) {
      const wasOpen = isOpen;
      isOpen = false;
      const judged = judgeOptOut(words);
      if (judged === 'clear' || (wasOpen && knowsAll && confirmsOptOut(words))) return 'act';
      // What they answer to the question is about the same wish.
      if (wasOpen) return null;
      isNew = true;
      return judged === 'likely' && asks && mayAsk ? ask() : null;
    },
    noted() {
      if (!asks) return 'act';
      return isNew ? ask() : null;
    },
  };
}
