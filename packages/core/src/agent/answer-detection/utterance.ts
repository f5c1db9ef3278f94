import { normalizeText } from '../languages/normalize-text.ts';
import { type AnswerKind, askingToWait, fillers, namesKeys, wordingsByKind } from './wordings.ts';

/** What one utterance tells about who is heard. */
export interface HeardUtterance {
  readonly kind: AnswerKind | 'unclear';
  /** Somebody there waits for an answer: a question, or what only a person says. */
  readonly expectsAnswer: boolean;
  /** Says which key leads where. */
  readonly namesKeys: boolean;
  /** Asks for patience: a transfer, or a look whether somebody is there. */
  readonly asksToWait: boolean;
  /** Long, and without a question: few who have just picked up speak like this. */
  readonly isMonologue: boolean;
}

const strongScore = 3;
const weakScore = 1;
/** A full mailbox is spoken of in a mailbox's words. */
const fullMailboxScore = 9;
/** Machines seldom ask, and say more than a name or a hello. */
const questionScore = 3;
const shortScore = 2;
/** What is left unclear below this. */
const leastScore = 2;
const shortWords = 5;
const monologueWords = 20;
/** Of kinds that score alike the first wins. */
const kinds: readonly AnswerKind[] = ['mailbox-full', 'fax', 'screening', 'menu', 'person', 'voicemail'];

const count = (patterns: readonly RegExp[], plain: string) =>
  patterns.filter((pattern) => pattern.test(plain)).length;

function scoresOf(text: string, plain: string): Map<AnswerKind, number> {
  const words = plain.split(' ').filter((word) => word !== '|' && word !== '');
  const scores = new Map<AnswerKind, number>();
  for (const kind of kinds) {
    const each = kind === 'mailbox-full' ? fullMailboxScore : strongScore;
    const { strong, weak } = wordingsByKind[kind];
    scores.set(kind, each * count(strong, plain) + weakScore * count(weak, plain));
  }
  const person = scores.get('person') ?? 0;
  const saysSomething = words.some((word) => count(fillers, word) === 0);
  const isShort = saysSomething && words.length <= (person > 0 ? shortWords : 2);
  // Assistants are the machines that ask.
  const asks = text.includes('?') && count(wordingsByKind.screening.strong, plain) === 0;
  scores.set('person', person + (isShort ? shortScore : 0) + (asks ? questionScore : 0));
  return scores;
}

/**
 * Judges one utterance by its wording and length, in all languages we have phrases in at once: carriers and colleagues
 * answer in others than the workflow's. `unclear` where nothing, or too little, speaks for anything.
 */
export function classifyUtterance(text: string): HeardUtterance {
  const plain = normalizeText(text);
  let kind: HeardUtterance['kind'] = 'unclear';
  let best = leastScore - 1;
  for (const [candidate, score] of scoresOf(text, plain)) {
    if (score > best) [kind, best] = [candidate, score];
  }
  return {
    kind,
    expectsAnswer:
      kind === 'person' && (text.includes('?') || count(wordingsByKind.person.strong, plain) > 0),
    namesKeys: count(namesKeys, plain) > 0,
    asksToWait: count(askingToWait, plain) > 0,
    isMonologue: !text.includes('?') && plain.split(' ').length >= monologueWords,
  };
}
