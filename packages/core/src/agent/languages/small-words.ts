import { normalizeText } from './normalize-text.ts';

/** Small words by which people listen, agree and take their leave, in every language we have phrases in. */
const listening =
  'm+|m+-?hm+|mh+m|hm+|uh-? ?huh|uh|um|aha|ah|oh|i see|got it|right|really|wow|ya veo|entiendo|aja|aha so|ach so|so so|verstehe|je vois|capisco|ah si|entendo|pois|ik snap het|juist';
const assent =
  "ok|okay|okey|yes|yeah|yep|yup|sure|all right|alright|fine|good|great|cool|nice|perfect|exactly|true|si|claro|vale|bueno|ja|jo|genau|gut|klar|stimmt|oui|ouais|d'accord|bien|bien sur|voila|certo|va bene|bene|esatto|sim|ta|ta bom|tudo bem|certo|isso|goed|prima|oke|precies";
const farewell =
  "bye|bye[- ]bye|goodbye|good bye|good night|thanks|thank you|thank you so much|thank you very much|thanks a lot|many thanks|cheers|you too|same to you|(?:you )?have a (?:good|nice|great|lovely) (?:day|one|evening|weekend|night)|take care|see you(?: then| soon| later| there| tomorrow)?|talk (?:to you )?(?:soon|later)|will do|sounds good|no|no thanks|no thank you|that's (?:all|it)|adios|hasta (?:luego|pronto|manana)|(?:muchas )?gracias|igualmente|que tenga (?:un )?buen dia|chao|auf wiederhoren|auf wiedersehen|tschuss|(?:vielen )?dank|(?:vielen |besten )?dank(?:e)?(?: schon| sehr)?|danke|ebenfalls|gleichfalls|schonen tag(?: noch)?|bis dann|bis bald|nein|nein danke|au revoir|merci(?: beaucoup| bien)?|bonne (?:journee|soiree)|a bientot|vous aussi|de meme|non|non merci|arrivederci|ciao|(?:molte )?grazie(?: mille)?|anche a lei|altrettanto|buona (?:giornata|serata)|tchau|ate logo|(?:muito )?obrigad[oa]|igualmente|bom dia|boa tarde|nao|nao obrigad[oa]|tot ziens|doei|dag|dank u(?: wel)?|bedankt|fijne dag(?: nog)?|insgelijks|nee|nee bedankt";

const made = (words: string) => new RegExp(`^(?:${words})(?: (?:${words}))*$`);
const onlyListens = made(listening);
const onlyAgrees = made(`${listening}|${assent}`);
const onlyLeaves = made(`${listening}|${assent}|${farewell}`);

function isMadeOf(words: string, pattern: RegExp): boolean {
  if (words.includes('?')) return false;
  const clauses = normalizeText(words)
    .split('|')
    .map((clause) => clause.trim())
    .filter((clause) => clause !== '');
  return clauses.length > 0 && clauses.every((clause) => pattern.test(clause));
}

/** What was being said when somebody spoke into it. */
export interface InterruptedSpeech {
  /** What of it was heard. */
  readonly heard: string;
  /** What was left to be heard. */
  readonly rest: string;
}

/** Less than this is no more than the end of what was asked. */
const leastRest = 15;

/**
 * Whether these words, said while somebody else speaks, only show that one listens, and do not take the turn. A "yes" to
 * something that was asked already, or is asked with the very last words, is an answer.
 */
export function isBackchannel(words: string, { heard, rest }: InterruptedSpeech): boolean {
  if (rest.trim() === '') return false;
  if (isMadeOf(words, onlyListens)) return true;
  return isMadeOf(words, onlyAgrees) && !/[?？]/u.test(heard) && rest.trim().length >= leastRest;
}

/** Whether there is nothing in these words that calls for an answer once the goodbye was said. */
export function isFarewell(words: string): boolean {
  return isMadeOf(words, onlyLeaves);
}
