/** A part of a text: as it is written, and as it is said. */
export interface SpokenForm {
  readonly written: string;
  readonly spoken: string;
}

/** How one language says what is not a word. */
interface Wording {
  readonly digits: readonly string[];
  readonly at: string;
  readonly dot: string;
  readonly dash: string;
  readonly underscore: string;
  readonly plus: string;
  /** @param minute two digits */
  time(hour: number, minute: string): string;
}

const english: Wording = {
  digits: 'zero one two three four five six seven eight nine'.split(' '),
  at: 'at',
  dot: 'dot',
  dash: 'dash',
  underscore: 'underscore',
  plus: 'plus',
  time: (hour, minute) =>
    `${hour % 12 || 12}${minute === '00' ? '' : `:${minute}`} ${hour < 12 ? 'AM' : 'PM'}`,
};

const wordings: Readonly<Record<string, Wording>> = {
  en: english,
  es: {
    digits: 'cero uno dos tres cuatro cinco seis siete ocho nueve'.split(' '),
    at: 'arroba',
    dot: 'punto',
    dash: 'guion',
    underscore: 'guion bajo',
    plus: 'más',
    time: (hour, minute) => (minute === '00' ? `${hour} horas` : `${hour} horas ${minute}`),
  },
  de: {
    digits: 'null eins zwei drei vier fünf sechs sieben acht neun'.split(' '),
    at: 'at',
    dot: 'Punkt',
    dash: 'Bindestrich',
    underscore: 'Unterstrich',
    plus: 'plus',
    time: (hour, minute) => (minute === '00' ? `${hour} Uhr` : `${hour} Uhr ${minute}`),
  },
  fr: {
    digits: 'zéro un deux trois quatre cinq six sept huit neuf'.split(' '),
    at: 'arobase',
    dot: 'point',
    dash: 'tiret',
    underscore: 'tiret bas',
    plus: 'plus',
    time: (hour, minute) => (minute === '00' ? `${hour} heures` : `${hour} heures ${minute}`),
  },
  it: {
    digits: 'zero uno due tre quattro cinque sei sette otto nove'.split(' '),
    at: 'chiocciola',
    dot: 'punto',
    dash: 'trattino',
    underscore: 'trattino basso',
    plus: 'più',
    time: (hour, minute) => (minute === '00' ? `${hour}` : `${hour} e ${minute}`),
  },
  pt: {
    digits: 'zero um dois três quatro cinco seis sete oito nove'.split(' '),
    at: 'arroba',
    dot: 'ponto',
    dash: 'hífen',
    underscore: 'sublinhado',
    plus: 'mais',
    time: (hour, minute) => (minute === '00' ? `${hour} horas` : `${hour} horas e ${minute}`),
  },
  nl: {
    digits: 'nul een twee drie vier vijf zes zeven acht negen'.split(' '),
    at: 'apenstaartje',
    dot: 'punt',
    dash: 'streepje',
    underscore: 'laag streepje',
    plus: 'plus',
    time: (hour, minute) => (minute === '00' ? `${hour} uur` : `${hour} uur ${minute}`),
  },
};

const currencies: Readonly<Record<string, string>> = { $: 'USD', '€': 'EUR', '£': 'GBP' };

const forms =
  /(?<email>[\p{L}\p{N}][\p{L}\p{N}._+-]*@[\p{L}\p{N}-]+(?:\.[\p{L}\p{N}-]+)*\.\p{L}{2,})|(?<iso>(?<![\p{N}-])\d{4}-\d{2}-\d{2}(?![\p{N}-]))|(?<date>(?<![\p{N}./])\d{1,2}(?<mark>[./])\d{1,2}\k<mark>\d{4}(?![\p{N}/]))|(?<phone>(?<![\p{L}\p{N}])(?:\+\d{1,3}(?:[ .()-]{0,2}\d){6,12}|\(?\d{3}\)?[ .-]\d{3}[ .-]\d{4})(?![\p{N}]))|(?<time>(?<![\p{N}:.])(?:[01]?\d|2[0-3]):[0-5]\d(?![\p{N}:]|\s*[ap]\.?m\b))|(?<before>[$€£]\s?\d[\d.,]*(?<=\d))(?![\p{L}\p{N}])|(?<after>(?<![\p{N}.,])\d[\d.,]*(?<=\d)\s?[€£$])/giu;

/** Number as people write it, with either mark for decimals. @returns `null` where that is not certain */
function amountOf(text: string): number | null {
  const match = /^(\d{1,3}(?:([.,])\d{3})*|\d+)(?:[.,](\d{1,2}))?$/.exec(text);
  if (!match) return null;
  return Number(`${match[1]?.replace(/[.,]/g, '')}.${match[3] ?? '0'}`);
}

function spokenAmount(text: string, language: string): string | null {
  const sign = /[$€£]/.exec(text)?.[0] ?? '';
  const amount = amountOf(text.replace(/[$€£\s]/g, ''));
  const currency = currencies[sign];
  if (amount === null || currency === undefined) return null;
  return new Intl.NumberFormat(language, {
    style: 'currency',
    currency,
    currencyDisplay: 'name',
    minimumFractionDigits: Number.isInteger(amount) ? 0 : 2,
  })
    .format(amount)
    .replace(/\s/gu, ' ');
}

function spokenDate(year: number, month: number, day: number, language: string): string | null {
  const date = new Date(Date.UTC(year, month - 1, day));
  if (date.getUTCMonth() !== month - 1 || date.getUTCDate() !== day) return null;
  return new Intl.DateTimeFormat(language, { dateStyle: 'long', timeZone: 'UTC' }).format(date);
}

function spokenAddress(address: string, { at, dot, dash, underscore, plus }: Wording): string {
  const marks: Readonly<Record<string, string>> = { '@': at, '.': dot, '-': dash, _: underscore, '+': plus };
  return address.replace(/[@._+-]/g, (mark) => ` ${marks[mark] ?? mark} `).replace(/\s+/g, ' ');
}

function spokenNumber(number: string, { digits, plus }: Wording): string {
  const groups = number.match(/\+|\d+/g) ?? [];
  return groups
    .map((group) => (group === '+' ? plus : [...group].map((digit) => digits[Number(digit)]).join(' ')))
    .join(', ')
    .replace(`${plus}, `, `${plus} `);
}

function said(
  groups: Readonly<Record<string, string | undefined>>,
  language: string,
  wording: Wording,
): string | null {
  const { email, iso, date, phone, time, before, after } = groups;
  if (email !== undefined) return spokenAddress(email, wording);
  if (phone !== undefined) return spokenNumber(phone, wording);
  if (time !== undefined) {
    const [hour = '', minute = ''] = time.split(':');
    return wording.time(Number(hour), minute);
  }
  if (iso !== undefined) {
    const [year = 0, month = 0, day = 0] = iso.split('-').map(Number);
    return spokenDate(year, month, day, language);
  }
  if (date !== undefined) {
    const [one = 0, two = 0, year = 0] = date.split(/[./]/).map(Number);
    // Only Americans write the month first, and with slashes.
    const isMonthFirst = /^en(?:-US)?$/i.test(language) && date.includes('/');
    return isMonthFirst ? spokenDate(year, one, two, language) : spokenDate(year, two, one, language);
  }
  return spokenAmount(before ?? after ?? '', language);
}

function known(language: string): { tag: string; wording: Wording } | null {
  const primary = language.split('-', 1)[0]?.toLowerCase() ?? '';
  const wording = Object.hasOwn(wordings, primary) ? wordings[primary] : undefined;
  return wording ? { tag: language, wording } : null;
}

/**
 * A text in parts, with e-mail addresses, phone numbers, amounts, dates and times as a person says them. The parts as they
 * are written are the text; what is said as it is written makes parts of its own. Text of a language without forms is one
 * such part. An address or number must not be divided between two texts.
 * @param language BCP-47
 */
export function spokenForms(text: string, language: string): readonly SpokenForm[] {
  const spoken = known(language);
  if (!spoken) return [{ written: text, spoken: text }];
  const parts: SpokenForm[] = [];
  let at = 0;
  const asWritten = (end: number) => {
    const words = text.slice(at, end);
    if (words !== '') parts.push({ written: words, spoken: words });
  };
  for (const match of text.matchAll(forms)) {
    const form = said(match.groups ?? {}, spoken.tag, spoken.wording);
    if (form === null) continue;
    asWritten(match.index);
    parts.push({ written: match[0], spoken: form });
    at = match.index + match[0].length;
  }
  asWritten(text.length);
  return parts;
}

/** The text as it is said. */
export function asSpoken(text: string, language: string): string {
  return spokenForms(text, language)
    .map(({ spoken }) => spoken)
    .join('');
}

/** What is written of the first `length` characters of what is said; a form that is not said to its end is left out. */
export function writtenUpTo(parts: readonly SpokenForm[], length: number): string {
  let written = '';
  let left = length;
  for (const part of parts) {
    if (left >= part.spoken.length) written += part.written;
    else if (part.spoken === part.written) written += part.written.slice(0, Math.max(0, left));
    left -= part.spoken.length;
    if (left < 0) break;
  }
  return written;
}

/** Where in a text a piece may end at or before `length` without dividing an address, a number, an amount or a date. */
export function undivided(text: string, length: number): number {
  if (length >= text.length || !/^[\d(.-]/.test(text.slice(length).trimStart())) {
    if (length < text.length || !/[\d+)(]\s*$/.test(text.slice(0, length))) return length;
  }
  const number = /(?:^|\s)[+(]?\d[\d\s().+-]*$/.exec(text.slice(0, length));
  return number ? number.index + (/^\s/.test(number[0]) ? 1 : 0) : length;
}
