import { randomInt } from 'node:crypto';
import type { EmitEvent, WithheldFor } from '../../kernel/events.ts';
import type { Logger } from '../../kernel/logger.ts';
import type { Phrases } from '../languages/phrases.ts';
import { beginsWith, claimsToBeHuman, falseAnswerTo } from './claims.ts';
import { secretWatch } from './secrets.ts';

/** Judges what a model wants to say, whatever it was talked into, before the callee hears it. */
export interface OutputGuardrail {
  /**
   * Follows one utterance.
   * @param answered what the callee has said last, if that is known
   */
  follow(answered: string): GuardedUtterance;
}

export interface GuardedUtterance {
  /**
   * Takes what comes next. A word is judged once white space follows it.
   * @returns the line of ours to say instead of this text and all that follows; `null` when the text may be said
   */
  check(text: string): string | null;
}

/** So many words of the instructions in a row are no chance. */
const runLength = 8;
/** How far back a claim may have begun, in characters. */
const longestClaim = 120;

const wordsOf = (text: string) =>
  text
    .normalize('NFD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .match(/[\p{L}\p{N}]+/gu) ?? [];

function runsOf(texts: readonly string[]): Set<string> {
  const runs = new Set<string>();
  for (const text of texts) {
    const words = wordsOf(text);
    for (let end = runLength; end <= words.length; end += 1) {
      runs.add(words.slice(end - runLength, end).join(' '));
    }
  }
  return runs;
}

/** A made-up word for the instructions of one call: whoever says it has read them. */
export function createCanary(): string {
  const letter = (letters: string) => letters[randomInt(letters.length)] ?? '';
  return Array.from({ length: 7 }, () => letter('bdfgklmnprstvz') + letter('aeiou')).join('');
}

export function outputGuardrail(options: {
  callId: string;
  /** Stands in the instructions. */
  marker: string;
  /** Of the instructions: what is not for the callee, and what may be said as it is. */
  unsayable: readonly string[];
  sayable: readonly string[];
  phrases(): Pick<Phrases, 'notHuman' | 'cannotShare'>;
  emit: EmitEvent;
  logger: Logger;
}): OutputGuardrail {
  const { callId, marker, phrases, emit, logger } = options;
  const runs = runsOf(options.unsayable);
  for (const run of runsOf(options.sayable)) runs.delete(run);

  function follow(answered: string): GuardedUtterance {
    const falseAnswer = answered === '' ? null : falseAnswerTo(answered);
    const secrets = secretWatch(options.sayable);
    let pending = '';
    let said = '';
    let letters = '';
    let recent: string[] = [];
    let isBeginning = falseAnswer !== null;

    /** Case, spaces and marks between the letters are nothing to hide behind. */
    function tellsMarker(words: readonly string[]): boolean {
      letters = (letters + words.join('')).slice(-longestClaim);
      return letters.includes(marker);
    }

    function readsInstructions(words: readonly string[]): boolean {
      for (const word of words) {
        recent = [...recent.slice(1 - runLength), word];
        if (recent.length === runLength && runs.has(recent.join(' '))) return true;
      }
      return false;
    }

    function claims(text: string): boolean {
      said = (said + text).slice(-longestClaim - text.length);
      if (claimsToBeHuman(said)) return true;
      if (!isBeginning || falseAnswer === null) return false;
      isBeginning = wordsOf(said).length < 3;
      return beginsWith(said, falseAnswer);
    }

    function judge(text: string): WithheldFor | null {
      const words = wordsOf(text);
      if (tellsMarker(words)) return 'marker';
      if (readsInstructions(words)) return 'instructions';
      if (claims(text)) return 'claim';
      return secrets.tells(text) ? 'secret' : null;
    }

    return {
      check(text) {
        pending += text;
        const end = pending.search(/\s\S*$/) + 1;
        if (end === 0) return null;
        const why = judge(pending.slice(0, end));
        pending = pending.slice(end);
        if (why === null) return null;
        logger.warn({ callId, why }, 'blocked model output');
        emit({ type: 'speech.withheld', callId, why });
        const { notHuman, cannotShare } = phrases();
        return why === 'claim' ? notHuman : cannotShare;
      },
    };
  }

  // The first use compiles patterns, which takes milliseconds: here nobody waits for a word.
  follow('?').check('. ');
  return { follow };
}
