/** What somebody who is asked to take a call answers. */
export type Reply = 'yes' | 'no' | 'unclear';

const accepting: Readonly<Record<string, string>> = {
  en: "yes|yeah|yep|yup|sure|ok|okay|accept|connect|go ahead|put (?:them|him|her|it|me) through|i(?: wi|')ll take",
  es: 'si|claro|vale|de acuerdo|acepto|adelante|pasemela?|paseme la',
  de: 'ja|jawohl|gerne?|klar|okay|ok|in ordnung|stellen sie durch|durchstellen|annehmen',
  fr: "oui|d'accord|ok|bien sur|j'accepte|allez-y|passez",
  it: "si|certo|va bene|d'accordo|accetto|passi|me (?:lo|la) passi",
  pt: 'sim|claro|pode|tudo bem|aceito|de acordo|passe',
  nl: 'ja|prima|oke|ok|goed|graag|verbind|doorverbinden',
};

const refusing: Readonly<Record<string, string>> = {
  en: "no|nope|not|never|busy|decline|refuse|can't|cannot|don't|later|wrong number",
  es: 'no|nunca|ocupad[oa]|ahora no|rechazo',
  de: 'nein|nicht|nee|keine zeit|spater|ablehnen|beschaftigt',
  fr: 'non|pas|jamais|occupee?|refuse|plus tard',
  it: 'no|non|mai|occupat[oa]|rifiuto|dopo',
  pt: 'nao|nunca|ocupad[oa]|recuso|depois',
  nl: 'nee|niet|nooit|later|weiger|bezet',
};

/** "No problem" is a yes. */
const pleasantries = /\b(?:no|not a|kein|geen|pas de|nessun|sem|ningun) (?:problem\w*|worries)\b/g;

const asWords = (words: string) => new RegExp(`(?<![\\p{L}'])(?:${words})(?!\\p{L})`, 'u');

const primary = (language: string) => language.split('-', 1)[0]?.toLowerCase() ?? '';

const wordsOf = (table: Readonly<Record<string, string>>, language: string) =>
  (Object.hasOwn(table, primary(language)) ? table[primary(language)] : table.en) ?? '';

/**
 * Reads a key, 1 or 2, or else what was said, in the language the question was asked in. A no outweighs a yes: nobody
 * gets a call they may not have wanted.
 */
export function replyOf(
  { digit, words }: { readonly digit: string | null; readonly words: string | null },
  language: string,
): Reply {
  if (digit !== null) return digit === '1' ? 'yes' : digit === '2' ? 'no' : 'unclear';
  const plain = (words ?? '')
    .normalize('NFD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[’‘`´]/gu, "'")
    .replace(pleasantries, 'ok');
  if (asWords(wordsOf(refusing, language)).test(plain)) return 'no';
  return asWords(`ok|${wordsOf(accepting, language)}`).test(plain) ? 'yes' : 'unclear';
}

const shortWords: Readonly<Record<string, readonly string[]>> = {
  en: ['yes', 'no'],
  es: ['sí', 'no'],
  de: ['ja', 'nein'],
  fr: ['oui', 'non'],
  it: ['sì', 'no'],
  pt: ['sim', 'não'],
  nl: ['ja', 'nee'],
};

/** What a recognizer may expect to hear. */
export function expectedReplies(language: string): readonly string[] {
  return (Object.hasOwn(shortWords, primary(language)) ? shortWords[primary(language)] : shortWords.en) ?? [];
}
