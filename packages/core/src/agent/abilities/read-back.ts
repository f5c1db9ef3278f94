import type { FormField } from '@callkite/contract';
import { parsePhoneNumberFromString } from 'libphonenumber-js/max';
import type { FormValue } from '../../features/forms/form-store.ts';

/** Words for what is not a letter in addresses, in every language we have phrases in. */
const marks: readonly (readonly [RegExp, string])[] = [
  [/\b(?:at|at sign|arroba|arobase|arobas|chiocciola|klammeraffe|apenstaartje)\b/g, '@'],
  [/\b(?:plus|mas|piu|mais)\b/g, '+'],
  [
    /\b(?:dot|period|punto|punkt|point|ponto|punt|dash|hyphen|guion|bindestrich|tiret|trattino|hifen|streepje|minus|underscore|guion bajo|unterstrich|tiret bas|sottolineato|sublinhado|laag streepje)\b/g,
    '',
  ],
];

const digitWords: readonly string[] = [
  'zero oh null cero nul',
  'one uno una eins ein un um een',
  'two dos zwei zwo deux due dois duas twee',
  'three tres drei trois tre drie',
  'four cuatro vier quatre quattro quatro',
  'five cinco funf cinq cinque vijf',
  'six seis sechs sei zes meia',
  'seven siete sieben sept sette sete zeven',
  'eight ocho acht huit otto oito',
  'nine nueve neun neuf nove negen',
];
const moreWords: readonly string[] = [
  'ten diez zehn dix dieci dez tien',
  'eleven once elf onze undici',
  'twelve doce zwolf douze dodici doze twaalf',
  'thirteen trece dreizehn treize tredici treze dertien',
  'fourteen catorce vierzehn quatorze quattordici veertien',
  'fifteen quince funfzehn quinze quindici vijftien',
  'sixteen dieciseis sechzehn seize sedici dezesseis zestien',
  'seventeen diecisiete siebzehn dix-sept diciassette dezessete zeventien',
  'eighteen dieciocho achtzehn dix-huit diciotto dezoito achttien',
  'nineteen diecinueve neunzehn dix-neuf diciannove dezenove negentien',
  'twenty veinte zwanzig vingt venti vinte twintig',
];
const tens: readonly string[] = [
  'twenty',
  'thirty',
  'forty',
  'fifty',
  'sixty',
  'seventy',
  'eighty',
  'ninety',
];

const valueOfWord = new Map<string, number>(
  [...digitWords, ...moreWords].flatMap((words, value) =>
    words.split(' ').map((word) => [word, value] as const),
  ),
);

const plain = (text: string) => text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase();

/** Letters, digits and `@` only: how it was spelled, and with what marks, makes no difference. */
function compact(text: string): string {
  let words = plain(text);
  for (const [pattern, mark] of marks) words = words.replace(pattern, mark);
  return words.replace(/[^\p{L}\p{N}@+]/gu, '');
}

/** Every number in the text, said in digits or words, in order. */
function digitsIn(text: string): string {
  let digits = '';
  let times = 1;
  for (const word of plain(text).match(/\p{L}+|\p{N}+/gu) ?? []) {
    const value = /^\p{N}+$/u.test(word) ? word : valueOfWord.get(word);
    if (word === 'double' || word === 'triple') times = word === 'double' ? 2 : 3;
    if (value === undefined) continue;
    digits += String(value).repeat(times);
    times = 1;
  }
  return digits;
}

function numbersIn(text: string): number[] {
  const written = [...plain(text).matchAll(/-?\d+(?:[.,]\d{3})*(?:[.,]\d+)?/g)].flatMap(([number]) => [
    Number(number.replace(/,/g, '')),
    Number(number.replace(/\./g, '').replace(',', '.')),
  ]);
  const words = plain(text).match(/\p{L}+(?:-\p{L}+)*/gu) ?? [];
  const said = words.flatMap((word, index) => {
    const ten = tens.indexOf(word.split('-')[0] ?? '');
    if (ten < 0) return valueOfWord.get(word) ?? [];
    const unit = valueOfWord.get(word.split('-')[1] ?? words[index + 1] ?? '');
    return [(ten + 2) * 10, ...(unit !== undefined && unit > 0 && unit < 10 ? [(ten + 2) * 10 + unit] : [])];
  });
  return [...written, ...said];
}

/**
 * Whether these words hold the value of a field that is read back, as it is written or as people say it: an address
 * spelled or with "at" and "dot", a phone number digit by digit, with or without its country.
 */
export function saysValue(words: string, { type }: Pick<FormField, 'type'>, value: FormValue): boolean {
  switch (type) {
    case 'email':
      return compact(words).includes(compact(String(value)));
    case 'phone': {
      const number = parsePhoneNumberFromString(String(value));
      const national = number?.nationalNumber ?? String(value).replace(/\D/g, '');
      return digitsIn(words).includes(national);
    }
    case 'number':
      return numbersIn(words).includes(Number(value));
    default:
      return true;
  }
}
