/** Words that say nothing about what a sentence is about. */
const EMPTY_WORDS = new Set(
  `a about after again all also am an and any are as ask at be because been but by call called calling can could did do does
  for from get give had has have hello her him his how i if in into is it its just know let like long many may me might more much
  my need no not now of off on or our out over please say she should so some tell than thank thanks that the their them then there
  they this to up us want wanted was we were what when where whether which who why will with would yes you your able confirm right
  okay ok speak think still`.split(/\s+/),
);

export function words(text: string): string[] {
  return text.toLowerCase().match(/[\p{L}\d]+(?:[':.][\p{L}\d]+)*/gu) ?? [];
}

/** The words that carry the meaning, or all words when there are no others. */
export function significantWords(text: string): string[] {
  const all = words(text);
  const significant = all.filter((word) => !EMPTY_WORDS.has(word));
  return significant.length > 0 ? significant : all;
}

/** Whether two words share their stem, roughly: `appointments` and `appointment`. */
export function sameStem(left: string, right: string): boolean {
  if (left === right) return true;
  const length = Math.min(left.length, right.length);
  return length >= 4 && left.slice(0, Math.max(4, length - 2)) === right.slice(0, Math.max(4, length - 2));
}

/** The share of `part`'s significant words that also occur in `whole`, from 0 to 1. */
export function overlap(part: string, whole: string): number {
  const wanted = significantWords(part);
  const present = words(whole);
  if (wanted.length === 0) return 0;
  return wanted.filter((word) => present.some((other) => sameStem(word, other))).length / wanted.length;
}

/** Splits text into sentences; a full stop after an abbreviation or inside a number does not end one. */
export function sentences(text: string): string[] {
  const marked = text
    .replaceAll(/\b(Mr|Mrs|Ms|Dr|Prof|St|Ave|No|vs|etc|a\.m|p\.m)\.(?=\s)/giu, '$1\u0000')
    .replaceAll(/\s+/g, ' ');
  return (marked.match(/[^.!?]+(?:[.!?](?=\S)[^.!?]+)*[.!?]*/gu) ?? [])
    .map((sentence) => sentence.replaceAll('\u0000', '.').trim())
    .filter((sentence) => sentence !== '');
}

export function lowerFirst(text: string): string {
  return /^\p{Lu}\p{Ll}/u.test(text) ? text.charAt(0).toLowerCase() + text.slice(1) : text;
}

export function upperFirst(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

export function withoutFinalStop(text: string): string {
  return text.trim().replace(/[\s.!?;,:]+$/u, '');
}

/** Cuts text to a number of characters at a word, without a mark at the end. */
export function shorten(text: string, maximum: number): string {
  if (text.length <= maximum) return text;
  return withoutFinalStop(text.slice(0, maximum + 1).replace(/\s\S*$/u, '')).slice(0, maximum);
}

export function escapeForPattern(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');
}

/** Turns what is said about a callee into what is said to them. */
export function toSecondPerson(text: string, calleeName: string | undefined): string {
  const named = calleeName ? `|${escapeForPattern(calleeName)}` : '';
  const person = `the (?:callee|customer|recipient|person|patient|client|guest|contact|tenant|candidate)${named}`;
  return text
    .replaceAll(new RegExp(`\\b(?:${person})['’]s\\b|\\b(?:his|their)\\b|\\bher(?= [\\p{L}])`, 'giu'), 'your')
    .replaceAll(new RegExp(`\\b(?:${person}|they|them|he|she|him|her)(?![\\p{L}])`, 'giu'), 'you')
    .replaceAll(/\byou (?:is|am)\b/gi, 'you are')
    .replaceAll(/\byou was\b/gi, 'you were')
    .replaceAll(/\byou has\b/gi, 'you have')
    .replaceAll(/\byou does\b/gi, 'you do')
    .replaceAll(
      /\byou (still )?(want|need|prefer|like|know|agree|plan|accept|live|work|expect|require|intend)s\b/gi,
      'you $1$2',
    );
}
