import { compilePatterns, normalizeText } from '../languages/normalize-text.ts';

/** How one language says what somebody is, over plain words. */
interface Wording {
  /** Before what somebody says to be. */
  readonly iAm: string;
  readonly iAmNot: string;
  readonly youTalkTo: string;
  /** Before what the other one is asked to be. */
  readonly areYou: string;
  /** What may stand in between: articles, adjectives, fillers. */
  readonly between: string;
  readonly human: string;
  readonly machine: string;
  readonly yes: string;
  readonly no: string;
}

const wordings: readonly Wording[] = [
  {
    iAm: "(?<!(?:whether|if) )(?<!(?:can't|cannot|won't|not|never) (?:say|claim|pretend|tell you) (?:that )?)(?:i am|i'm|this is an?)",
    iAmNot: "(?<!(?:whether|if) )(?:i am|i'm|this is)(?: \\w+)? (?:not|no)|i ain't",
    youTalkTo: "(?:you are|you're)(?: now| here| really| actually)* (?:speaking|talking) (?:to|with)",
    areYou: '(?:are you|am i (?:speaking|talking) (?:to|with)|is (?:this|it|that))',
    between:
      'an?|one|any|just|even|really|actually|indeed|definitely|absolutely|certainly|truly|of course|in fact|100|percent|also|as|made|of|real|living|actual|normal|genuine|true|live|breathing|some|your|kind|sort',
    human: 'human(?: being)?(?! resources)|person|man|woman|flesh and blood',
    machine:
      'ai|a i|robot|machine|bot|chatbot|computer|artificial|virtual assistant|language model|automated|software',
    yes: 'yes|yeah|yep|sure|of course|absolutely|certainly|correct|right|i am',
    no: "no|nope|not at all|of course not|certainly not|i am not|i'm not",
  },
  {
    iAm: '(?<!no )soy',
    iAmNot: 'no soy',
    youTalkTo: '(?:habla|hablas|esta hablando|estas hablando) con',
    areYou: '(?:es|eres|hablo con|estoy hablando con)',
    between: 'usted|tu|un|una|realmente|de verdad|ningun|ninguna|solo|ser',
    human: 'persona|humano|humana|hombre|mujer|de carne y hueso',
    machine: 'robot|maquina|ia|inteligencia artificial|bot|ordenador|computadora|asistente virtual',
    yes: 'si|claro|por supuesto|soy',
    no: 'no',
  },
  {
    iAm: '(?:ich bin|bin ich)',
    iAmNot: '(?:ich bin|bin ich)(?: \\w+)? (?:keine?|nicht)',
    youTalkTo: '(?:sie sprechen|sie reden|du sprichst|du redest)(?: hier)? mit',
    areYou: '(?:sind sie|bist du|spreche ich|rede ich)',
    between:
      'mit|eine?|eine[mr]|echte[rmn]?|richtige[rmn]?|lebendige[rmn]?|normale[rmn]?|wirklich|tatsachlich|naturlich|ja|doch|ganz|hier|etwa|nur',
    human: 'mensch(?:en)?|person|mann|frau|aus fleisch und blut',
    machine: 'ki|roboter|maschine|bot|computer|computerprogramm|kunstliche intelligenz|sprachassistent',
    yes: 'ja|naturlich|selbstverstandlich|klar|bin ich',
    no: 'nein|naturlich nicht',
  },
  {
    iAm: 'je suis',
    iAmNot: '(?:je ne suis|je suis) (?:absolument )?pas',
    youTalkTo: 'vous parlez(?: bien)? (?:a|avec)',
    areYou: '(?:etes-vous|vous etes|es-tu|tu es|je parle|parle-je)',
    between: 'a|avec|une?|bien|vraiment|reellement|evidemment|vraie?|veritable|etre|bel et',
    human: 'humaine?|personne|homme|femme|en chair et en os',
    machine: 'robot|machine|ia|intelligence artificielle|ordinateur|bot|assistant virtuel',
    yes: 'oui|bien sur|tout a fait|evidemment',
    no: 'non',
  },
  {
    iAm: '(?<!non )sono',
    iAmNot: 'non sono',
    youTalkTo: '(?:sta parlando|stai parlando|parla) con',
    areYou: '(?:lei e|e|sei|sto parlando con|parlo con)',
    between: 'una?|davvero|veramente|proprio|vera|vero|essere|lei',
    human: 'persona|umano|umana|uomo|donna|in carne e ossa',
    machine:
      "robot|macchina|ia|un'ia|intelligenza artificiale|un'intelligenza artificiale|bot|computer|assistente virtuale",
    yes: 'si|certo|certamente|assolutamente|sono',
    no: 'no',
  },
  {
    iAm: '(?<!nao )sou',
    iAmNot: 'nao sou',
    youTalkTo: '(?:esta falando|esta a falar|fala) com',
    areYou: '(?:e|voce e|estou falando com|estou a falar com|falo com)',
    between: 'uma?|mesmo|realmente|de verdade|verdadeira|ser|nenhuma?',
    human: 'pessoa|humano|humana|homem|mulher|de carne e osso',
    machine: 'robo|maquina|ia|inteligencia artificial|bot|computador|assistente virtual',
    yes: 'sim|claro|com certeza|sou',
    no: 'nao',
  },
  {
    iAm: 'ik ben',
    iAmNot: 'ik ben(?: \\w+)? (?:geen|niet)',
    youTalkTo: '(?:u spreekt|je spreekt|u praat|je praat)(?: hier)? met',
    areYou: '(?:bent u|ben je|ben jij|spreek ik|praat ik)',
    between: 'met|een|echte?|gewoon|werkelijk|natuurlijk|wel|levende?',
    human: 'mens|persoon|man|vrouw|van vlees en bloed',
    machine: 'ai|robot|machine|bot|computer|kunstmatige intelligentie|virtuele assistent',
    yes: 'ja|natuurlijk|zeker|jazeker',
    no: 'nee',
  },
];

const thing = (between: string, what: string) => `(?: (?:${between}))* (?:${what})`;

const claims = compilePatterns(
  wordings.flatMap(({ iAm, iAmNot, youTalkTo, between, human, machine }) => [
    `(?:${iAm})${thing(between, human)}`,
    `(?:${iAmNot})${thing(between, machine)}(?! (?:expert|specialist|engineer|developer))`,
    `(?:${youTalkTo})${thing(between, human)}`,
  ]),
);
const asksForHuman = compilePatterns(
  wordings.map(({ areYou, between, human }) => `(?:${areYou})${thing(between, human)}`),
);
const asksForMachine = compilePatterns(
  wordings.map(({ areYou, between, machine }) => `(?:${areYou})${thing(between, machine)}`),
);
const human = compilePatterns(wordings.map((wording) => wording.human));
const machine = compilePatterns(wordings.map((wording) => wording.machine));
const answersYes = compilePatterns(wordings.map(({ yes }) => `(?<=^\\|(?: \\|)? )(?:${yes})`));
const answersNo = compilePatterns(wordings.map(({ no }) => `(?<=^\\|(?: \\|)? )(?:${no})`));

const has = (patterns: readonly RegExp[], words: string) => patterns.some((pattern) => pattern.test(words));
// A comma changes nothing: "I am, in fact, a person".
const plain = (text: string) => normalizeText(text.replace(/,/g, ' ').replace(/\ba\.\s?i\./gi, 'AI'));

/** Whether these words claim that a human speaks, or deny that a machine does, in any language we have phrases in. */
export function claimsToBeHuman(words: string): boolean {
  return has(claims, plain(words));
}

/** What an answer to these words must not begin with, where they ask whether a person or a machine speaks. */
export function falseAnswerTo(question: string): 'yes' | 'no' | null {
  const words = plain(question);
  if (has(human, words) && has(machine, words)) return null;
  if (has(asksForHuman, words)) return 'yes';
  return has(asksForMachine, words) ? 'no' : null;
}

/** Whether an answer begins with that. */
export function beginsWith(answer: string, what: 'yes' | 'no'): boolean {
  return has(what === 'yes' ? answersYes : answersNo, plain(answer));
}
