const tags: Readonly<Record<string, string>> = {
  en: 'en-US',
  es: 'es-ES',
  de: 'de-DE',
  fr: 'fr-FR',
  it: 'it-IT',
  pt: 'pt-BR',
  nl: 'nl-NL',
};

/** Two-letter codes of the languages in which there are fixed lines, and forms of speech. */
export const knownLanguages: readonly string[] = Object.keys(tags);

/** Names of languages in which a task may ask for one: "… in Spanish", "… auf Deutsch". */
const named: readonly (readonly [string, RegExp])[] = [
  ['en', /\b(?:in|speak(?:ing)?|auf|en|in het) (?:english|englisch|inglés|anglais|inglese|engels)\b/iu],
  ['es', /\b(?:in|speak(?:ing)?|auf|en) (?:spanish|spanisch|español|castellano|espagnol)\b/iu],
  ['de', /\b(?:in|speak(?:ing)?|auf|en|in het) (?:german|deutsch|alemán|allemand|duits)\b/iu],
  ['fr', /\b(?:in|speak(?:ing)?|auf|en|in het) (?:french|französisch|francés|français|frans)(?!\p{L})/iu],
  ['it', /\b(?:in|speak(?:ing)?|auf|en) (?:italian|italienisch|italiano|italien)\b/iu],
  ['pt', /\b(?:in|speak(?:ing)?|auf|en|em) (?:portuguese|portugiesisch|portugués|português|portugais)\b/iu],
  ['nl', /\b(?:in|speak(?:ing)?|auf|en|in het) (?:dutch|niederländisch|holandés|néerlandais|nederlands)\b/iu],
];

/** Small words that are frequent in one of the languages and rare in the others. */
const smallWords: Readonly<Record<string, readonly string[]>> = {
  en: 'the and to for with ask that whether is are at their them please his her call'.split(' '),
  es: 'el los las y para con que una por favor pregunta llama llame si su del al está'.split(' '),
  de: 'der die das und für mit ob ein eine einen bitte ruf rufe frag frage nach ist den dem zu'.split(' '),
  fr: 'le les et pour avec que une demande demandez appelle appelez si est du des au votre chez'.split(' '),
  it: 'il lo gli e per con che una chiedi chiama chiedere chiamare se è della del alla'.split(' '),
  pt: 'o os e para com que uma pergunte ligue se é da do ao não você à'.split(' '),
  nl: 'de het een en voor met of vraag bel is van naar hun zijn alsjeblieft'.split(' '),
};

/** The language a task shall be done in, as a BCP-47 tag: the one it names, else the one it is written in. */
export function languageOf(prompt: string): string {
  const byName = named.find(([, pattern]) => pattern.test(prompt))?.[0];
  if (byName) return tags[byName] ?? 'en-US';
  const words = prompt.toLowerCase().match(/\p{L}+/gu) ?? [];
  let best = 'en';
  let most = 0;
  for (const [language, list] of Object.entries(smallWords)) {
    const count = words.filter((word) => list.includes(word)).length;
    if (count > most) [best, most] = [language, count];
  }
  return tags[best] ?? 'en-US';
}
