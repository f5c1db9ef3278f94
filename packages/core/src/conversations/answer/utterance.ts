import { plainWords } from '../plain-words.ts';
import { type AnswerKind, askingToWait, fillers, wordingsByKind } from './wordings.ts';

/** What one utterance tells about who is heard. */
export interface HeardUtterance {
  readonly kind: AnswerKind | 'unclear';
  /** Asks for patience: a transfer, or a look whether somebody is there. */
  readonly asksToWait: boolean;
  /** Long, and without a question: nobody who has just picked up waits for an answer like this. */
  readonly isMonologue: boolean;
}

const strongScore = 3;
const weakScore = 1;
/** A full mailbox is spoken of in a mailbox's words. */
const fullMailboxScore = 9;
/** What is left unclear below this. */
const leastScore = 2;
const shortWords = 5;
const monologueWords = 20;
/** Who wins when two score alike: the one that others are mistaken for. */
const kinds: readonly AnswerKind[] = ['mailbox-full', 'fax', 'screening', 'menu', 'voicemail', 'person'];

const count = (patterns: readonly RegExp[], plain: string) =>
  patterns.filter((pattern) => pattern.test(plain)).length;

/**
 * Judges one utterance by its wording and length, in all languages we have phrases in at once: carriers and colleagues
 * answer in others than the workflow's. `unclear` where nothing, or too little, speaks for anything.
 */
export function classifyUtterance(text: string): HeardUtterance {
  const plain = plainWords(text);
  const words = plain.split(' ').filter((word) => word !== '|' && word !== '');
  const telling = words.filter((word) => count(fillers, word) === 0).length;
  const isMonologue = words.length >= monologueWords && !text.includes('?');

  const scores = new Map<AnswerKind, number>();
  for (const kind of kinds) {
    const { strong, weak } = wordingsByKind[kind];
    const each = kind === 'mailbox-full' ? fullMailboxScore : strongScore;
    scores.set(kind, each * count(strong, plain) + weakScore * count(weak, plain));
  }
  const add = (kind: AnswerKind, score: number) => scores.set(kind, (scores.get(kind) ?? 0) + score);
  const isGreeting = (scores.get('person') ?? 0) > 0;
  // A name, a hello: machines say more than that.
  if (telling > 0 && words.length <= shortWords && (isGreeting || words.length <= 2)) add('person', weakScore * 2);
  if (isMonologue) {
    for (const kind of ['menu', 'voicemail'] as const) if ((scores.get(kind) ?? 0) > 0) add(kind, weakScore);
  }

  let kind: HeardUtterance['kind'] = 'unclear';
  let best = leastScore - 1;
  for (const candidate of kinds) {
    const score = scores.get(candidate) ?? 0;
    if (score > best) [kind, best] = [candidate, score];
  }
  return { kind, asksToWait: count(askingToWait, plain) > 0, isMonologue };
}
