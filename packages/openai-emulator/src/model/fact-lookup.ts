import type { Brief } from './brief.ts';
import { type EntityKind, findEntities } from './entities.ts';
import type { Phrases } from './phrases.ts';
import {
  overlap,
  sameStem,
  sentences,
  significantWords,
  upperFirst,
  withoutFinalStop,
  words,
} from './wording.ts';

const MAX_ANSWER_WORDS = 24;

const ASKED_KINDS: [RegExp, EntityKind[]][] = [
  [/\bwhat time\b|a qué hora|um wie viel|wie spät|à quelle heure/iu, ['time']],
  [
    /\bwhen\b|\b(?:what|which) (?:day|date)\b|cuándo|qué día|\bwann\b|welche[rn]? tag|\bquand\b|quel jour/iu,
    ['date', 'time'],
  ],
  [/\bwhere\b|\baddress\b|\blocation\b|dónde|\bwo\b|\boù\b/iu, ['address']],
  [/\bhow much\b|\b(?:cost|price|fee|amount)\b|cuánto|wie ?viel|combien/iu, ['amount']],
  [/\b(?:phone|number)\b.*\b(?:call|reach|your)\b|\bnúmero\b|telefonnummer|numéro/iu, ['phone']],
  [/\be-?mail\b/iu, ['email']],
];

function valueOfKinds(kinds: EntityKind[], sources: string[], phrases: Phrases): string | undefined {
  const entities = sources.flatMap(findEntities);
  const values = kinds.map((kind) => entities.find((entity) => entity.kind === kind)?.text);
  const [first, second] = values.filter((value) => value !== undefined);
  if (first === undefined) return undefined;
  return second === undefined ? first : phrases.at(first, second);
}

function sharedWords(question: string, fact: string): number {
  const inFact = words(fact);
  return significantWords(question).filter((word) => inFact.some((other) => sameStem(word, other))).length;
}

/** Answers a callee's question from the brief, or returns undefined when it does not hold the answer. */
export function answerFromFacts(question: string, brief: Brief, phrases: Phrases): string | undefined {
  const sources = [...brief.facts, ...sentences(brief.objective)];
  const related = sources.filter((source) => sharedWords(question, source) > 0);
  const kinds = ASKED_KINDS.find(([pattern]) => pattern.test(question))?.[1];
  if (kinds) {
    const value = valueOfKinds(kinds, related, phrases) ?? valueOfKinds(kinds, sources, phrases);
    if (value) return phrases.answer(withoutFinalStop(value));
  }
  const best = brief.facts.toSorted(
    (left, right) =>
      sharedWords(question, right) - sharedWords(question, left) ||
      overlap(question, right) - overlap(question, left),
  )[0];
  if (best === undefined || sharedWords(question, best) === 0) return undefined;
  const labelled = /^([\p{L} ]{2,40}):\s+(.+)$/u.exec(best);
  const spoken = labelled
    ? phrases.labelled((labelled[1] ?? '').toLowerCase(), withoutFinalStop(labelled[2] ?? ''))
    : `${withoutFinalStop(best)}.`;
  const short = sentences(spoken)[0] ?? spoken;
  return words(short).length <= MAX_ANSWER_WORDS ? upperFirst(short) : undefined;
}
