export type EntityKind = 'date' | 'time' | 'amount' | 'email' | 'phone' | 'address' | 'name' | 'quantity';

/** Something concrete that was said, in the words it was said in. */
export interface Entity {
  kind: EntityKind;
  text: string;
  index: number;
}

const HOUR_WORD = 'one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve';
const DAY_PART = 'morning|afternoon|evening|night';
const HALF_OF_DAY = '[ap]\\.?m\\b\\.?';
const WEEKDAY = [
  'monday|tuesday|wednesday|thursday|friday|saturday|sunday',
  'lunes|martes|miércoles|jueves|viernes|sábado|domingo',
  'montag|dienstag|mittwoch|donnerstag|freitag|samstag|sonntag',
  'lundi|mardi|mercredi|jeudi|vendredi|samedi|dimanche',
].join('|');
const MONTH = [
  'january|february|march|april|may|june|july|august|september|october|november|december',
  'jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec',
  'enero|febrero|marzo|abril|mayo|junio|julio|agosto|septiembre|octubre|noviembre|diciembre',
  'januar|februar|märz|mai|juni|juli|oktober|dezember',
  'janvier|février|mars|avril|juin|juillet|août|septembre|octobre|novembre|décembre',
].join('|');

const TIME = [
  `(?:[01]?\\d|2[0-3])(?:[:.][0-5]\\d)?\\s?(?:${HALF_OF_DAY}|o'clock)`,
  `(?:[01]?\\d|2[0-3]):[0-5]\\d(?: uhr)?`,
  `(?:[01]?\\d|2[0-3])(?: uhr| ?h(?:eures?)?)\\b(?: ?[0-5]\\d)?`,
  `(?:half past |quarter (?:past|to) )?(?:${HOUR_WORD}|\\d{1,2})(?: (?:fifteen|thirty|forty-five))?(?: o'clock)?(?: in the (?:${DAY_PART})| at night|,? ${HALF_OF_DAY}| o'clock)`,
  `(?:half past|quarter past|quarter to) (?:${HOUR_WORD}|\\d{1,2})`,
  `(?<=\\bat )(?:${HOUR_WORD}|\\d{1,2})(?: (?:fifteen|thirty|forty-five))?\\b(?! ?(?:st|nd|rd|th|%|people|years?|dollars|euros))`,
  `a las? (?:\\d{1,2}|una|dos|tres|cuatro|cinco|seis|siete|ocho|nueve|diez|once|doce)(?: y (?:media|cuarto))?(?: de la (?:mañana|tarde|noche))?`,
  'noon|midnight|mittags|mediodía|midi',
].join('|');

const DATE = [
  '\\d{4}-\\d{2}-\\d{2}',
  `(?:(?:this|next|on) )?(?:${WEEKDAY})(?:,? (?:the )?(?:${MONTH})\\.? \\d{1,2}(?:st|nd|rd|th)?| the \\d{1,2}(?:st|nd|rd|th))?(?: (?:${DAY_PART})(?!s))?`,
  `(?:${MONTH})\\.? \\d{1,2}(?:st|nd|rd|th)?\\b(?:,? \\d{4})?`,
  `\\d{1,2}(?:st|nd|rd|th|\\.)? (?:of |de )?(?:${MONTH})\\b(?: \\d{4})?`,
  '\\d{1,2}/\\d{1,2}(?:/\\d{2,4})?',
  `the day after tomorrow|tomorrow(?: (?:${DAY_PART}))?|tonight|today|next (?:week|month)|pasado mañana|übermorgen|morgen|demain`,
].join('|');

const PATTERNS: { kind: EntityKind; pattern: RegExp }[] = [
  { kind: 'email', pattern: /[\w.+-]+@[\w-]+\.[\w.-]*\w/gu },
  { kind: 'date', pattern: new RegExp(`(?<![\\p{L}\\d])(?:${DATE})(?![\\p{L}\\d])`, 'giu') },
  { kind: 'phone', pattern: /(?<![\w$€£])\+?\d[\d\s().-]{7,}\d(?!\w)/gu },
  {
    kind: 'amount',
    pattern: /[$€£]\s?\d[\d.,]*\d|[$€£]\s?\d|\d[\d.,]*\s?(?:dollars|euros?|pounds|usd|eur|gbp|€)(?!\p{L})/giu,
  },
  { kind: 'time', pattern: new RegExp(`(?<![\\p{L}\\d:])(?:${TIME})(?![\\p{L}\\d])`, 'giu') },
  {
    kind: 'address',
    pattern:
      /\d+ (?:\p{Lu}[\p{L}'-]+ )+(?:Street|St|Avenue|Ave|Road|Rd|Boulevard|Blvd|Lane|Ln|Drive|Dr|Square|Way|Court|Plaza)\b\.?/gu,
  },
  {
    kind: 'quantity',
    pattern:
      /(?<![\w$€£])(?:\d+|two|three|four|five|six|seven|eight|nine|ten|twelve) (?:people|persons|guests|adults|children|seats|nights|days|weeks|tickets|years|minutes|hours)\b|(?<=\b(?:table|party|group) (?:for|of) )(?:\d+|two|three|four|five|six|seven|eight|nine|ten|twelve)\b/giu,
  },
];

const NOT_A_NAME = new RegExp(
  `^(?:${WEEKDAY}|${MONTH}|i|i'm|i'll|i've|ai|ok|okay|yes|no|hello|hi|please|thanks?|english|spanish|german|french|italian|portuguese|call|ask|tell|confirm|if|the|this|that|you|your|we|they|he|she|it|and|but|sorry|good|great|sure|pm|am|remind|check|let|leave|say|make|order|book|invite|also|then|offer|find|llam[ae]|pregunt[ae]|rufen?|frage|appele[rz]?|demande[rz]?)$`,
  'iu',
);

const NAME = /(?:\b(?:Mr|Mrs|Ms|Dr|Prof)\.? )?\p{Lu}[\p{L}'’-]*(?: (?:of |& |and the )?\p{Lu}[\p{L}'’-]*)*/gu;

function findNames(text: string): Entity[] {
  const found: Entity[] = [];
  for (const match of text.matchAll(NAME)) {
    const words = match[0].split(' ');
    let index = match.index;
    while (words[0] !== undefined && NOT_A_NAME.test(words[0])) index += (words.shift()?.length ?? 0) + 1;
    while (words.length > 0 && NOT_A_NAME.test(words.at(-1) ?? '')) words.pop();
    const name = words.join(' ').replace(/['’]s$/u, '');
    if (name.length > 1) found.push({ kind: 'name', text: name, index });
  }
  return found;
}

function overlaps(left: Entity, right: Entity): boolean {
  return left.index < right.index + right.text.length && right.index < left.index + left.text.length;
}

/** Finds dates, times, amounts, addresses, contact details, quantities and names, in the order of the text. */
export function findEntities(text: string): Entity[] {
  const found: Entity[] = [];
  const addAll = (candidates: Entity[]) => {
    for (const candidate of candidates) {
      if (!found.some((entity) => overlaps(entity, candidate))) found.push(candidate);
    }
  };
  for (const { kind, pattern } of PATTERNS) {
    const matches = [...text.matchAll(pattern)];
    addAll(
      matches.map((match) => ({ kind, text: match[0].trim().replace(/^on /iu, ''), index: match.index })),
    );
  }
  addAll(findNames(text));
  return found.toSorted((left, right) => left.index - right.index);
}

/** The first entity of one of these kinds, in the words of the text. */
export function firstOf(text: string, ...kinds: EntityKind[]): string | undefined {
  return findEntities(text).find((entity) => kinds.includes(entity.kind))?.text;
}
