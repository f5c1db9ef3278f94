const digitWords = [
  'zero one two three four five six seven eight nine',
  'cero uno dos tres cuatro cinco seis siete ocho nueve',
  'null eins zwei drei vier funf sechs sieben acht neun',
  'zero un deux trois quatre cinq six sept huit neuf',
  'zero uno due tre quattro cinque sei sette otto nove',
  'zero um dois tres quatro cinco seis sete oito nove',
  'nul een twee drie vier vijf zes zeven acht negen',
];
const digits = new Map(
  digitWords.flatMap((words) => words.split(' ').map((word, digit): [string, string] => [word, `${digit}`])),
);
/** The payment networks' numbers, by how they begin. */
const card = /^(?:4\d{15}|5[1-5]\d{14}|2[2-7]\d{14}|6(?:011|5\d\d)\d{12}|3[47]\d{13}|3[068]\d{12})$/;
const knownKey = /^(?:sk|pk|rk|xox[a-z]|gh[a-z]|whsec|akia|aiza|eyj)[-_]?[a-z0-9_.-]{12,}$/i;
const longestWord = 24;

function isCardNumber(number: string): boolean {
  if (!card.test(number)) return false;
  let sum = 0;
  for (let index = 0; index < number.length; index += 1) {
    const digit = Number(number[number.length - 1 - index]);
    const weighted = index % 2 === 1 ? digit * 2 : digit;
    sum += weighted > 9 ? weighted - 9 : weighted;
  }
  return sum % 10 === 0;
}

function looksLikeKey(word: string): boolean {
  if (knownKey.test(word)) return true;
  return word.length >= longestWord && /^[\w-]+$/.test(word) && /\d/.test(word) && /[a-z]/i.test(word);
}

/** Watches words as they come for what is never to be said aloud. */
export interface SecretWatch {
  /** Whether these whole words, after those before, tell a payment card's number or a key. */
  tells(text: string): boolean;
}

/** @param sayable texts whose numbers and words may be said as they stand there */
export function secretWatch(sayable: readonly string[]): SecretWatch {
  let number = '';

  function isSayable(word: string): boolean {
    const letters = (text: string) => text.replace(/[^\p{L}\p{N}]+/gu, '').toLowerCase();
    return sayable.some((text) => letters(text).includes(letters(word)));
  }

  function tellsCard(word: string): boolean {
    const plain = word.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase();
    const spoken = digits.get(plain.replace(/[^a-z]/g, '')) ?? (/^[\d\W_]+$/.test(plain) ? plain : null);
    const added = spoken?.replace(/\D/g, '');
    if (added === undefined || plain.startsWith('+')) {
      number = '';
      return false;
    }
    for (const digit of added) {
      number += digit;
      if (isCardNumber(number) && !isSayable(number)) return true;
    }
    return false;
  }

  return {
    tells(text) {
      const words = text.split(/\s+/).filter((word) => word !== '');
      return words.some((word) => {
        const bare = word.replace(/^[^\p{L}\p{N}]+|[^\p{L}\p{N}]+$/gu, '');
        return tellsCard(word) || (looksLikeKey(bare) && !isSayable(bare));
      });
    },
  };
}
