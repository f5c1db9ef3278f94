/** How an instruction becomes something to say: what it starts with, and what is said with the rest. */
interface SpeechRule {
  /** The last group is the rest. */
  pattern: RegExp;
  say(rest: string): string;
}

/** The connecting phrases of one language. */
export interface Phrases {
  /** Who is calling. Both may be unknown. */
  introduction(agentName: string | undefined, onBehalfOf: string | undefined): string;
  /** The answer to "are you a robot?". */
  identity(agentName: string | undefined, onBehalfOf: string | undefined): string;
  purpose(topic: string): string;
  acknowledgeValue(value: string): string;
  acknowledgePositive: string;
  acknowledgeNegative: string;
  acknowledge: string;
  /** To a question that is a wish, such as for an appointment. */
  acknowledgeWish: string;
  stillThere: string;
  sorry: string;
  answer(value: string): string;
  labelled(label: string, value: string): string;
  at(date: string, time: string): string;
  willPassOn: string;
  cannotTransfer: string;
  /** To a callee who could not be put through. */
  offerMessage: string;
  askMessage: string;
  messageTaken: string;
  otherTime: string;
  optedOut: string;
  wrongNumber: string;
  notNow: string;
  declined: string;
  inaudible: string;
  completed: string;
  goodbye: string;
  callBack: string;
  /** Tried in order on a step's instruction; the first match speaks. */
  speech: SpeechRule[];
  /** For an instruction that no rule knows. */
  propose(instruction: string): string;
}

/** A rule from the source of a pattern; what follows the pattern is the rest. */
function rule(source: string, say: (rest: string) => string): SpeechRule {
  return { pattern: new RegExp(`^(?:${source})\\s+(.+)$`, 'su'), say };
}

const WHO =
  "(?: (?:with |to )?(?:them|him|her|the (?:callee|customer|recipient|person|patient|client|guest|contact|member|tenant|candidate|staff|restaurant|business|office|shop)|(?!(?:whether|if|that|what|when|which|who|how|where|why|for|about|to|of)\\b)\\p{Lu}[\\p{L}'-]+(?: \\p{Lu}[\\p{L}'-]+)?))?";
const ASK = `(?:ask|check|find out|learn|determine|establish|verify|confirm)${WHO}`;
const TELL = `(?:tell|inform|notify|advise|explain|mention|state|share|say|let|remind)${WHO}`;

const ENGLISH: Phrases = {
  introduction: (agent, behalf) =>
    `Hello, this is ${agent ? `${agent}, ` : ''}an AI assistant${behalf ? ` calling on behalf of ${behalf}` : ''}.`,
  identity: (agent, behalf) =>
    `I am ${agent ? `${agent}, ` : ''}an AI assistant, not a person${behalf ? `, calling on behalf of ${behalf}` : ''}.`,
  purpose: (topic) => `I am calling ${topic}.`,
  acknowledgeValue: (value) => `Thank you, ${value}.`,
  acknowledgePositive: 'Great, thank you.',
  acknowledgeNegative: 'I understand.',
  acknowledge: 'Thank you.',
  acknowledgeWish: 'Of course.',
  stillThere: 'Are you still there?',
  sorry: "Sorry, I'll say that again.",
  answer: (value) => `It is ${value}.`,
  labelled: (label, value) => `The ${label} is ${value}.`,
  at: (date, time) => `${date} at ${time}`,
  willPassOn: "I don't have that information, but I will pass your question on.",
  cannotTransfer: "I can't connect you right now, but I will pass that on.",
  offerMessage: 'May I take a message?',
  askMessage: 'Please go ahead, I am listening.',
  messageTaken: 'Thank you, I will pass your message on. Goodbye.',
  otherTime: 'What day and time would suit you better?',
  optedOut: 'Understood. You will not be called again. Goodbye.',
  wrongNumber: 'I am sorry for the mistake. Goodbye.',
  notNow: 'No problem, I will pass that on. Thank you, goodbye.',
  declined: 'I understand. Thank you for your time, goodbye.',
  inaudible: 'I cannot hear you, so I will end the call here. Goodbye.',
  completed: 'That is everything. Thank you for your time, goodbye.',
  goodbye: 'Thank you, goodbye.',
  callBack: 'Please call back when you can. Thank you, goodbye.',
  speech: [
    rule(`${ASK} (?:whether|if)`, (rest) => `Could you tell me whether ${rest}?`),
    rule(`ask${WHO} to`, (rest) => `Could you please ${rest}?`),
    rule(`ask${WHO} for`, (rest) => `Could you give me ${rest}?`),
    rule(`(?:ask|find out)${WHO} about`, (rest) => `Could you tell me about ${rest}?`),
    rule(`(?:ask|find out|learn|determine|establish)${WHO}`, (rest) => `Could you tell me ${rest}?`),
    rule(
      `(?:re-?confirm|confirm|verify|check|double-check|make sure|ensure)${WHO}`,
      (rest) => `Can you confirm ${rest}?`,
    ),
    rule('(?:get|collect|obtain|gather|record|note|take|request)', (rest) => `Could you give me ${rest}?`),
    rule(`remind${WHO} to`, (rest) => `Please remember to ${rest}. Is that all right?`),
    rule(`${TELL}(?: know)?(?: that)`, (rest) => `I wanted to let you know that ${rest}. Is that all right?`),
    rule(`${TELL}(?: know)?(?: about| of)`, (rest) => `I am calling about ${rest}. Is that all right?`),
    rule(`${TELL}(?: know)?`, (rest) => `I wanted to let you know ${rest}. Is that all right?`),
    rule(
      '(?:offer|propose|suggest)(?: them| the callee)? to',
      (rest) => `I can ${rest}. Would that suit you?`,
    ),
    rule(
      '(?:offer|propose|suggest)(?: them| the callee)?',
      (rest) => `I can offer ${rest}. Would that suit you?`,
    ),
    rule(`invite${WHO} to`, (rest) => `I would like to invite you to ${rest}. Would you like that?`),
  ],
  propose: (instruction) => `I'd like to ${instruction}. Is that all right with you?`,
};

const SPANISH: Phrases = {
  introduction: (agent, behalf) =>
    `Hola, soy ${agent ? `${agent}, ` : ''}un asistente de IA${behalf ? ` y llamo de parte de ${behalf}` : ''}.`,
  identity: (agent, behalf) =>
    `Soy ${agent ? `${agent}, ` : ''}un asistente de IA, no una persona${behalf ? `, y llamo de parte de ${behalf}` : ''}.`,
  purpose: (topic) => `Le llamo por lo siguiente: ${topic}.`,
  acknowledgeValue: (value) => `Gracias, ${value}.`,
  acknowledgePositive: 'Muy bien, gracias.',
  acknowledgeNegative: 'Entiendo.',
  acknowledge: 'Gracias.',
  acknowledgeWish: 'Por supuesto.',
  stillThere: '¿Sigue ahí?',
  sorry: 'Perdone, lo repito.',
  answer: (value) => `Es ${value}.`,
  labelled: (label, value) => `${label}: ${value}.`,
  at: (date, time) => (/^a las? /.test(time) ? `${date} ${time}` : `${date}, ${time}`),
  willPassOn: 'No tengo esa información, pero trasladaré su pregunta.',
  cannotTransfer: 'Ahora no puedo pasarle con nadie, pero lo comunicaré.',
  offerMessage: '¿Quiere dejar un mensaje?',
  askMessage: 'Adelante, le escucho.',
  messageTaken: 'Gracias, transmitiré su mensaje. Adiós.',
  otherTime: '¿Qué día y a qué hora le vendría mejor?',
  optedOut: 'Entendido. No volveremos a llamarle. Adiós.',
  wrongNumber: 'Disculpe la molestia. Adiós.',
  notNow: 'No hay problema, lo comunicaré. Gracias, adiós.',
  declined: 'Entiendo. Gracias por su tiempo, adiós.',
  inaudible: 'No le oigo, así que termino aquí la llamada. Adiós.',
  completed: 'Eso es todo. Gracias por su tiempo, adiós.',
  goodbye: 'Gracias, adiós.',
  callBack: 'Por favor, devuelva la llamada cuando pueda. Gracias, adiós.',
  speech: [
    rule(
      '(?:pregunt\\p{L}*|averigu\\p{L}*|compr\\p{L}*b\\p{L}*)(?: al? \\p{L}+)?',
      (rest) => `¿Me puede decir ${rest}?`,
    ),
    rule('confirm\\p{L}*', (rest) => `¿Puede confirmar ${rest}?`),
    rule('(?:pid|ped|solicit)\\p{L}*', (rest) => `¿Me puede dar ${rest}?`),
    rule(
      '(?:inform|avis|dig|comuni|record|recuerd|explic)\\p{L}*',
      (rest) => `Quería decirle ${rest}. ¿Le parece bien?`,
    ),
  ],
  propose: (instruction) => `Le llamo por lo siguiente: ${instruction}. ¿Le parece bien?`,
};

const GERMAN: Phrases = {
  introduction: (agent, behalf) =>
    `Guten Tag, hier ist ${agent ? `${agent}, ` : ''}ein KI-Assistent${behalf ? ` im Auftrag von ${behalf}` : ''}.`,
  identity: (agent, behalf) =>
    `Ich bin ${agent ? `${agent}, ` : ''}ein KI-Assistent und kein Mensch${behalf ? `, im Auftrag von ${behalf}` : ''}.`,
  purpose: (topic) => `Ich rufe aus folgendem Grund an: ${topic}.`,
  acknowledgeValue: (value) => `Danke, ${value}.`,
  acknowledgePositive: 'Sehr gut, danke.',
  acknowledgeNegative: 'Ich verstehe.',
  acknowledge: 'Danke.',
  acknowledgeWish: 'Gern.',
  stillThere: 'Sind Sie noch da?',
  sorry: 'Entschuldigung, ich wiederhole.',
  answer: (value) => `Es ist ${value}.`,
  labelled: (label, value) => `${label}: ${value}.`,
  at: (date, time) => `${date}, ${time}`,
  willPassOn: 'Das weiß ich leider nicht, aber ich gebe Ihre Frage weiter.',
  cannotTransfer: 'Ich kann Sie gerade nicht verbinden, aber ich gebe es weiter.',
  offerMessage: 'Darf ich etwas ausrichten?',
  askMessage: 'Bitte, ich höre.',
  messageTaken: 'Danke, ich richte es aus. Auf Wiederhören.',
  otherTime: 'Welcher Tag und welche Uhrzeit passen Ihnen besser?',
  optedOut: 'Verstanden. Sie werden nicht mehr angerufen. Auf Wiederhören.',
  wrongNumber: 'Entschuldigen Sie die Störung. Auf Wiederhören.',
  notNow: 'Kein Problem, ich gebe das weiter. Danke, auf Wiederhören.',
  declined: 'Ich verstehe. Danke für Ihre Zeit, auf Wiederhören.',
  inaudible: 'Ich höre Sie leider nicht und beende den Anruf. Auf Wiederhören.',
  completed: 'Das ist alles. Danke für Ihre Zeit, auf Wiederhören.',
  goodbye: 'Danke, auf Wiederhören.',
  callBack: 'Bitte rufen Sie bei Gelegenheit zurück. Danke, auf Wiederhören.',
  speech: [
    rule('(?:fragen|frage|erfragen)(?: [sS]ie)?,?(?: ob)', (rest) => `Können Sie mir sagen, ob ${rest}?`),
    rule(
      '(?:fragen|frage|erfragen)(?: [sS]ie)?(?: nach)',
      (rest) => `Können Sie mir bitte etwas sagen zu: ${rest}?`,
    ),
    rule('(?:fragen|frage|erfragen)(?: [sS]ie)?,?', (rest) => `Können Sie mir sagen, ${rest}?`),
    rule('(?:bestätigen|bestätige)(?: [sS]ie)?(?: lassen)?', (rest) => `Können Sie bestätigen: ${rest}?`),
    rule(
      '(?:informieren|sagen|teilen|erinnern)(?: [sS]ie)?',
      (rest) => `Ich möchte Ihnen mitteilen: ${rest}. Ist das in Ordnung?`,
    ),
  ],
  propose: (instruction) => `Es geht um Folgendes: ${instruction}. Ist das in Ordnung?`,
};

const FRENCH: Phrases = {
  introduction: (agent, behalf) =>
    `Bonjour, ici ${agent ? `${agent}, ` : ''}un assistant IA${behalf ? ` qui appelle de la part de ${behalf}` : ''}.`,
  identity: (agent, behalf) =>
    `Je suis ${agent ? `${agent}, ` : ''}un assistant IA, pas une personne${behalf ? `, et j'appelle de la part de ${behalf}` : ''}.`,
  purpose: (topic) => `Je vous appelle pour ceci : ${topic}.`,
  acknowledgeValue: (value) => `Merci, ${value}.`,
  acknowledgePositive: 'Très bien, merci.',
  acknowledgeNegative: 'Je comprends.',
  acknowledge: 'Merci.',
  acknowledgeWish: 'Bien sûr.',
  stillThere: 'Êtes-vous toujours là ?',
  sorry: 'Pardon, je répète.',
  answer: (value) => `C'est ${value}.`,
  labelled: (label, value) => `${label} : ${value}.`,
  at: (date, time) => `${date} à ${time}`,
  willPassOn: "Je n'ai pas cette information, mais je transmettrai votre question.",
  cannotTransfer: 'Je ne peux pas vous passer quelqu’un maintenant, mais je le transmettrai.',
  offerMessage: 'Puis-je prendre un message ?',
  askMessage: 'Je vous écoute.',
  messageTaken: 'Merci, je transmettrai votre message. Au revoir.',
  otherTime: 'Quel jour et quelle heure vous conviendraient mieux ?',
  optedOut: 'Entendu. Vous ne serez plus appelé. Au revoir.',
  wrongNumber: 'Veuillez excuser cette erreur. Au revoir.',
  notNow: 'Pas de problème, je le transmettrai. Merci, au revoir.',
  declined: 'Je comprends. Merci de votre temps, au revoir.',
  inaudible: "Je ne vous entends pas, je termine donc l'appel. Au revoir.",
  completed: "C'est tout. Merci de votre temps, au revoir.",
  goodbye: 'Merci, au revoir.',
  callBack: 'Merci de rappeler dès que possible. Au revoir.',
  speech: [
    rule('(?:demande[rz]?)(?: (?:si))', (rest) => `Pouvez-vous me dire si ${rest} ?`),
    rule('(?:demande[rz]?)', (rest) => `Pouvez-vous me dire ${rest} ?`),
    rule('(?:confirme[rz]?|vérifie[rz]?)', (rest) => `Pouvez-vous confirmer ${rest} ?`),
    rule(
      '(?:informe[rz]?|dire|dites|rappele[rz]?|annonce[rz]?)',
      (rest) => `Je voulais vous dire ${rest}. Est-ce que cela vous convient ?`,
    ),
  ],
  propose: (instruction) => `Je vous appelle pour ceci : ${instruction}. Est-ce que cela vous convient ?`,
};

const PHRASES: Record<string, Phrases> = { en: ENGLISH, es: SPANISH, de: GERMAN, fr: FRENCH };

/** The phrases for a BCP-47 tag; English when the language has none. */
export function phrasesFor(language: string): Phrases {
  return PHRASES[language.slice(0, 2).toLowerCase()] ?? ENGLISH;
}
