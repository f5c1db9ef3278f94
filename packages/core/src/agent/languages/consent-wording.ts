import { normalizeText } from './normalize-text.ts';

interface Wording {
  /** Said in negative words, and a yes all the same. */
  readonly welcome: string;
  readonly yes: string;
  readonly no: string;
  /** Takes the clearness from a yes. */
  readonly hedge: string;
  /** What recording is called. */
  readonly recording: string;
  /** Together with that: it is not wanted. */
  readonly unwanted: string;
}

const english: Wording = {
  welcome:
    "no problem|not a problem|(?:i )?(?:don't|do not|wouldn't|would not) mind|no objections?|not to worry|(?:don't|do not) (?:stop|worry)",
  yes: "yes|yeah|yep|yup|yea|sure|ok|okay|of course|certainly|absolutely|definitely|go ahead|please do|fine|all right|alright|by all means|i agree|i consent|you (?:may|can)|that's (?:ok|okay|fine|good)",
  no: "no|nope|nah|not|never|don't|can't|cannot|won't|wouldn't|shouldn't|rather not|refuse|decline|object|without|stop",
  hedge: 'but|if|unless|maybe|perhaps|depends|who|what|why|how|wait|hold on',
  recording:
    'recordings?|recorded|recorder|taping|taped|record (?:me|us|this|that|the|my|our|it|anything|any of)|tape (?:me|us|this|the)',
  unwanted:
    "no|not|never|don't|can't|won't|isn't|wouldn't|stop|quit|end|off|cancel|delete|erase|remove|without|refuse|decline|object|rather not|consent to (?:no|any)",
};

const wordings: Readonly<Record<string, Wording>> = {
  en: english,
  es: {
    welcome: 'no (?:hay|tengo) (?:ningun )?(?:problema|inconveniente)|no me (?:importa|molesta)',
    yes: 'si|claro|por supuesto|de acuerdo|vale|bueno|adelante|desde luego|esta bien|puede|ok|okay',
    no: 'no|nunca|jamas|tampoco|prefiero|sin|niego',
    hedge: 'pero|quien|que|por que|depende|quizas?|tal vez|espere|a menos|digame|diga',
    recording: 'grab(?:ar|arme|arnos|e|en|es|ando|acion|aciones|ado|ada|o|a|an)(?:me|nos)?',
    unwanted: 'no|nunca|deje[ns]?|deja|pare[ns]?|detenga[ns]?|apague[ns]?|borre[ns]?|quite[ns]?|sin|cancele',
  },
  de: {
    welcome: 'kein problem|nichts dagegen|macht (?:mir )?nichts|stort mich nicht|keine einwande',
    yes: 'ja|jawohl|jo|gerne?|klar|sicher|naturlich|einverstanden|in ordnung|okay|ok|durfen sie|konnen sie|selbstverstandlich|meinetwegen',
    no: 'nein|nee|no|nicht|nie|niemals|kein|keine|keinen|ohne|ungern|lieber',
    hedge: 'aber|wer|was|warum|wieso|wozu|vielleicht|moment|kommt darauf an|wenn|ausser',
    recording:
      'aufnahmen?|aufnehmen|aufgenommen|aufnimmst|aufnehme|aufzeichn\\p{L}*|aufgezeichnet|aufzuzeichnen|aufzunehmen|mitschn\\p{L}*|mitgeschnitten|nehm(?:en|t)? [^|]*auf|zeichn(?:en|e|et)? [^|]*auf|schneid(?:en|e|et)? [^|]*mit',
    unwanted:
      'nein|nicht|nie|niemals|kein|keine|keinen|keiner|stopp\\p{L}*|stop|beend\\p{L}*|horen|hor|losch\\p{L}*|schalt\\p{L}*|abbrech\\p{L}*|brech\\p{L}*|ohne|lieber|widersprech\\p{L}*',
  },
  fr: {
    welcome:
      "pas de (?:probleme|souci)|aucun (?:probleme|souci)|ca ne me (?:derange|gene) pas|je n'ai rien contre",
    yes: "oui|ouais|d'accord|bien sur|volontiers|allez-y|entendu|ok|okay|certainement|je veux bien|vous pouvez",
    no: "non|ne|n'|pas|jamais|sans|refuse|plutot",
    hedge: 'mais|qui|que|quoi|pourquoi|comment|peut-etre|attendez|si|ca depend',
    recording: "(?:[mnsl]')?enregistr\\p{L}*(?:-(?:moi|nous))?",
    unwanted:
      'non|ne|pas|plus|jamais|arret\\p{L}*|cess\\p{L}*|sans|coup\\p{L}*|supprim\\p{L}*|effac\\p{L}*|refus\\p{L}*|stop|oppos\\p{L}*',
  },
  it: {
    welcome: "(?:non c'e|nessun) problema|non mi (?:dispiace|disturba|da fastidio)",
    yes: "si|certo|certamente|va bene|d'accordo|volentieri|prego|ok|okay|puo|faccia pure|assolutamente si",
    no: 'no|non|mai|nemmeno|preferirei|preferisco|senza|rifiuto',
    hedge: 'ma|pero|chi|che|cosa|perche|forse|dipende|aspetti|se|pronto',
    recording: 'registr\\p{L}*',
    unwanted:
      'no|non|mai|smett\\p{L}*|ferm\\p{L}*|interromp\\p{L}*|spegn\\p{L}*|spenga|cancell\\p{L}*|elimin\\p{L}*|senza|basta|stop|rifiut\\p{L}*',
  },
  pt: {
    welcome: '(?:nao tem|sem|nenhum) problemas?|nao me (?:importo|incomoda)',
    yes: 'sim|claro|com certeza|pode|tudo bem|esta bem|ta bom|de acordo|concordo|ok|okay|a vontade',
    no: 'nao|nunca|jamais|nem|prefiro|sem|recuso',
    hedge: 'mas|quem|que|porque|por que|talvez|depende|espere|se|como',
    recording:
      'grav(?:ar|ando|acao|acoes|ado|ada|em|a|am)(?:-(?:me|nos))?|grave (?:me|isto|isso|esta|a|nada)',
    unwanted:
      'nao|nunca|par[ae]m?|deslig\\p{L}*|apag\\p{L}*|sem|interromp\\p{L}*|cancel\\p{L}*|remov\\p{L}*|recus\\p{L}*',
  },
  nl: {
    welcome: 'geen (?:probleem|bezwaar)|niet erg|maakt (?:me |mij )?niet uit',
    yes: 'ja|jazeker|zeker|prima|goed|natuurlijk|akkoord|is goed|dat mag|mag|oke|ok|okay|graag',
    no: 'nee|neen|niet|nooit|geen|liever|zonder|weiger',
    hedge: 'maar|wie|wat|waarom|hoezo|misschien|wacht|als|ligt eraan',
    recording: 'opnames?|opnemen|opgenomen|opneemt|op te nemen|neem(?:t)? [^|]*op',
    unwanted:
      'nee|niet|nooit|geen|stop\\p{L}*|houd?t? op|zonder|uit|wis|verwijder\\p{L}*|liever|weiger\\p{L}*',
  },
};

const words = (alternatives: string) =>
  new RegExp(`(?<![\\p{L}\\p{N}])(?:${alternatives})(?![\\p{L}\\p{N}])`, 'u');
const everywhere = (pattern: RegExp) => new RegExp(pattern.source, 'gu');

/** English is understood by everybody who says it. */
function wordingsFor(language: string): readonly Wording[] {
  const primary = language.split('-', 1)[0]?.toLowerCase() ?? '';
  const own = Object.hasOwn(wordings, primary) ? wordings[primary] : undefined;
  return own === undefined || own === english ? [english] : [own, english];
}

/**
 * What the callee answered to the question whether the call may be recorded. Only a `yes` is consent.
 * @param language BCP-47 tag of the language the question was asked in
 */
export function judgeConsent(answer: string, language: string): 'yes' | 'no' | 'unclear' {
  const sentences = answer.match(/[^.!?;…]+[.!?;…]*/gu) ?? [];
  const [own = english] = wordingsFor(language);
  let isYes = false;
  for (const sentence of sentences) {
    const plain = normalizeText(sentence);
    const open = plain.replace(everywhere(words(own.welcome)), ' ');
    if (words(own.no).test(open)) return 'no';
    // "Yes?" is how people take a call.
    if (sentence.includes('?')) continue;
    if (words(own.hedge).test(open)) return 'unclear';
    if (open !== plain || words(own.yes).test(open)) isYes = true;
  }
  return isYes ? 'yes' : 'unclear';
}

/**
 * Whether the callee does not want to be recorded, said at any point of a call.
 * @param language BCP-47 tag of the language of the call
 */
export function asksForNoRecording(said: string, language: string): boolean {
  const clauses = normalizeText(said.replaceAll(',', ' ')).split('|');
  return wordingsFor(language).some((wording) =>
    clauses.some((clause) => {
      const open = clause.replace(everywhere(words(wording.welcome)), ' ');
      return words(wording.recording).test(open) && words(wording.unwanted).test(open);
    }),
  );
}
