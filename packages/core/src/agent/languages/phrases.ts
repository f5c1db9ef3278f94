/** What the agent says in our own fixed words, whatever the model does. */
export interface Phrases {
  /** First words of every call: who is calling, for whom, and how to stop it. */
  disclosure(organizationName: string): { readonly introduction: string; readonly howToStop: string };
  /** Part of the first words where the call is recorded. */
  readonly recordingNotice: string;
  /** Part of the first words where the call may be recorded if the callee agrees. */
  readonly recordingQuestion: string;
  readonly notRecorded: string;
  /** First words to a visitor of a web page, who came by himself. */
  greeting(organizationName: string): string;
  /** For an assistant that asks who calls. */
  introduction(agentName: string | null, organizationName: string): string;
  /** What the call is about, by the title of its workflow. */
  callsAbout(title: string): string;
  /** Instead of a second disclosure, after the line was lost and is back. */
  readonly resumed: string;
  readonly stillThere: string;
  readonly goodbye: string;
  /** While the model takes long. */
  readonly oneMoment: string;
  readonly apology: string;
  /** To somebody who may not want to be called again. */
  readonly optOutQuestion: string;
  readonly optedOut: string;
  readonly timeIsUp: string;
  /** Instead of words of the model that claim a human speaks, and of others that are not for the callee. */
  readonly notHuman: string;
  readonly cannotShare: string;
  readonly transfer: {
    /** To the callee, before the line goes to somebody else. */
    readonly connecting: string;
    /** To the callee, who is back with the agent. */
    readonly nobodyReached: string;
    /** To whoever is to take the call: who speaks, and what it is about. */
    offer(organizationName: string, summary: string): string;
    /** Whether they take it. */
    readonly question: string;
  };
}

const named = (agent: string | null) => (agent === null ? '' : `${agent}, `);

const english: Phrases = {
  disclosure: (organization) => ({
    introduction: `Hello, I am an AI assistant calling on behalf of ${organization}.`,
    howToStop: `If you'd rather not get these calls, just say "stop calling" at any time.`,
  }),
  recordingNotice: `This call is being recorded. If you'd rather it weren't, just say "stop recording".`,
  recordingQuestion: 'May I record this call? Please say yes or no.',
  notRecorded: "Okay, this call won't be recorded.",
  greeting: (organization) => `Hello, I am the AI assistant at ${organization}.`,
  introduction: (agent, organization) =>
    `This is ${named(agent)}an AI assistant calling on behalf of ${organization}.`,
  callsAbout: (title) => `The call is about: ${title}.`,
  resumed: 'Sorry, we were cut off.',
  stillThere: 'Are you still there?',
  goodbye: 'Thank you for your time. Goodbye.',
  oneMoment: 'One moment, please.',
  apology: "I'm sorry, I'm having a technical problem and have to end this call. Goodbye.",
  optOutQuestion: 'Would you like us not to call you again?',
  optedOut: "Understood. We won't call you again. Goodbye.",
  timeIsUp: "I'm sorry, we're out of time. Thank you for talking with me. Goodbye.",
  notHuman: 'I am an AI assistant, not a person.',
  cannotShare: 'I am an AI assistant and cannot share that.',
  transfer: {
    connecting: "One moment, please. I'm connecting you.",
    nobodyReached: "I'm sorry, no one is available to take your call right now.",
    offer: (organization, summary) =>
      `Hello, this is the AI assistant at ${organization}. I have a caller for you. ${summary}`,
    question: 'Press 1 or say yes to take the call. Press 2 or say no to decline.',
  },
};

const phrasesByLanguage: Readonly<Record<string, Phrases>> = {
  en: english,
  es: {
    disclosure: (organization) => ({
      introduction: `Hola, soy un asistente de inteligencia artificial y llamo de parte de ${organization}.`,
      howToStop: 'Si no quiere más llamadas, diga "no me llame más" en cualquier momento.',
    }),
    recordingNotice: 'Esta llamada se graba; si no lo desea, diga "deje de grabar".',
    recordingQuestion: '¿Puedo grabar esta llamada? Diga sí o no, por favor.',
    notRecorded: 'De acuerdo, esta llamada no se grabará.',
    greeting: (organization) => `Hola, soy un asistente de inteligencia artificial de ${organization}.`,
    introduction: (agent, organization) =>
      `Habla ${named(agent)}un asistente de inteligencia artificial de parte de ${organization}.`,
    callsAbout: (title) => `La llamada es sobre: ${title}.`,
    resumed: 'Perdone, se cortó la llamada.',
    stillThere: '¿Sigue ahí?',
    goodbye: 'Gracias por su tiempo. Adiós.',
    oneMoment: 'Un momento, por favor.',
    apology: 'Lo siento, tengo un problema técnico y debo terminar la llamada. Adiós.',
    optOutQuestion: '¿Desea que no volvamos a llamarle?',
    optedOut: 'Entendido, no volveremos a llamarle. Adiós.',
    timeIsUp: 'Lo siento, se nos acabó el tiempo. Gracias por hablar conmigo. Adiós.',
    notHuman: 'Soy un asistente de inteligencia artificial, no una persona.',
    cannotShare: 'Soy un asistente de inteligencia artificial y no puedo compartir eso.',
    transfer: {
      connecting: 'Un momento, por favor. Le comunico.',
      nobodyReached: 'Lo siento, en este momento no hay nadie disponible para atenderle.',
      offer: (organization, summary) =>
        `Hola, soy el asistente de inteligencia artificial de ${organization}. Tengo a alguien en la línea para usted. ${summary}`,
      question: 'Pulse 1 o diga sí para atender la llamada. Pulse 2 o diga no para rechazarla.',
    },
  },
  de: {
    disclosure: (organization) => ({
      introduction: `Guten Tag, hier spricht ein KI-Assistent im Auftrag von ${organization}.`,
      howToStop: 'Wenn Sie keine Anrufe mehr möchten, sagen Sie jederzeit „rufen Sie mich nicht mehr an“.',
    }),
    recordingNotice:
      'Dieses Gespräch wird aufgezeichnet; wenn Sie das nicht möchten, sagen Sie „nicht aufzeichnen“.',
    recordingQuestion: 'Darf ich dieses Gespräch aufzeichnen? Bitte sagen Sie ja oder nein.',
    notRecorded: 'In Ordnung, dieses Gespräch wird nicht aufgezeichnet.',
    greeting: (organization) => `Guten Tag, ich bin ein KI-Assistent von ${organization}.`,
    introduction: (agent, organization) =>
      `Hier ist ${named(agent)}ein KI-Assistent im Auftrag von ${organization}.`,
    callsAbout: (title) => `Es geht um: ${title}.`,
    resumed: 'Entschuldigung, wir wurden unterbrochen.',
    stillThere: 'Sind Sie noch da?',
    goodbye: 'Vielen Dank für Ihre Zeit. Auf Wiederhören.',
    oneMoment: 'Einen Moment, bitte.',
    apology:
      'Es tut mir leid, ich habe ein technisches Problem und muss das Gespräch beenden. Auf Wiederhören.',
    optOutQuestion: 'Möchten Sie, dass wir Sie nicht mehr anrufen?',
    optedOut: 'Verstanden, wir rufen Sie nicht mehr an. Auf Wiederhören.',
    timeIsUp: 'Es tut mir leid, unsere Zeit ist um. Danke für das Gespräch. Auf Wiederhören.',
    notHuman: 'Ich bin ein KI-Assistent, kein Mensch.',
    cannotShare: 'Ich bin ein KI-Assistent und kann das nicht weitergeben.',
    transfer: {
      connecting: 'Einen Moment, bitte. Ich verbinde Sie.',
      nobodyReached: 'Es tut mir leid, im Moment ist niemand erreichbar.',
      offer: (organization, summary) =>
        `Guten Tag, hier spricht der KI-Assistent von ${organization}. Ich habe jemanden für Sie in der Leitung. ${summary}`,
      question:
        'Drücken Sie die 1 oder sagen Sie ja, um das Gespräch anzunehmen. Drücken Sie die 2 oder sagen Sie nein, um es abzulehnen.',
    },
  },
  fr: {
    disclosure: (organization) => ({
      introduction: `Bonjour, je suis un assistant d'intelligence artificielle et j'appelle de la part de ${organization}.`,
      howToStop: "Si vous ne voulez plus d'appels, dites à tout moment « arrêtez de m'appeler ».",
    }),
    recordingNotice:
      "Cet appel est enregistré ; si vous ne le souhaitez pas, dites « ne m'enregistrez pas ».",
    recordingQuestion: "Puis-je enregistrer cet appel ? Dites oui ou non, s'il vous plaît.",
    notRecorded: "D'accord, cet appel ne sera pas enregistré.",
    greeting: (organization) =>
      `Bonjour, je suis un assistant d'intelligence artificielle de ${organization}.`,
    introduction: (agent, organization) =>
      `Ici ${named(agent)}un assistant d'intelligence artificielle, de la part de ${organization}.`,
    callsAbout: (title) => `L'appel concerne : ${title}.`,
    resumed: 'Excusez-moi, nous avons été coupés.',
    stillThere: 'Êtes-vous toujours là ?',
    goodbye: 'Merci pour votre temps. Au revoir.',
    oneMoment: "Un instant, s'il vous plaît.",
    apology: "Je suis désolé, j'ai un problème technique et je dois mettre fin à l'appel. Au revoir.",
    optOutQuestion: 'Souhaitez-vous que nous ne vous appelions plus ?',
    optedOut: 'Compris, nous ne vous appellerons plus. Au revoir.',
    timeIsUp: 'Je suis désolé, notre temps est écoulé. Merci de cet échange. Au revoir.',
    notHuman: "Je suis un assistant d'intelligence artificielle, pas une personne.",
    cannotShare: "Je suis un assistant d'intelligence artificielle et je ne peux pas partager cela.",
    transfer: {
      connecting: "Un instant, s'il vous plaît. Je vous mets en relation.",
      nobodyReached: "Je suis désolé, personne n'est disponible pour prendre votre appel pour le moment.",
      offer: (organization, summary) =>
        `Bonjour, ici l'assistant d'intelligence artificielle de ${organization}. J'ai quelqu'un en ligne pour vous. ${summary}`,
      question:
        "Appuyez sur 1 ou dites oui pour prendre l'appel. Appuyez sur 2 ou dites non pour le refuser.",
    },
  },
  it: {
    disclosure: (organization) => ({
      introduction: `Buongiorno, sono un assistente di intelligenza artificiale e chiamo per conto di ${organization}.`,
      howToStop: 'Se non vuole altre chiamate, dica "non mi chiami più" in qualsiasi momento.',
    }),
    recordingNotice: 'Questa chiamata viene registrata; se non lo desidera, dica "non registri".',
    recordingQuestion: 'Posso registrare questa chiamata? Dica sì o no, per favore.',
    notRecorded: 'Va bene, questa chiamata non verrà registrata.',
    greeting: (organization) =>
      `Buongiorno, sono un assistente di intelligenza artificiale di ${organization}.`,
    introduction: (agent, organization) =>
      `Parla ${named(agent)}un assistente di intelligenza artificiale per conto di ${organization}.`,
    callsAbout: (title) => `La chiamata riguarda: ${title}.`,
    resumed: 'Mi scusi, è caduta la linea.',
    stillThere: "È ancora all'apparecchio?",
    goodbye: 'Grazie per il suo tempo. Arrivederci.',
    oneMoment: 'Un momento, per favore.',
    apology: 'Mi dispiace, ho un problema tecnico e devo chiudere la chiamata. Arrivederci.',
    optOutQuestion: 'Desidera che non la chiamiamo più?',
    optedOut: 'Capito, non la chiameremo più. Arrivederci.',
    timeIsUp: 'Mi dispiace, il tempo è scaduto. Grazie della conversazione. Arrivederci.',
    notHuman: 'Sono un assistente di intelligenza artificiale, non una persona.',
    cannotShare: 'Sono un assistente di intelligenza artificiale e non posso condividerlo.',
    transfer: {
      connecting: 'Un momento, per favore. La metto in comunicazione.',
      nobodyReached: "Mi dispiace, al momento non c'è nessuno disponibile.",
      offer: (organization, summary) =>
        `Buongiorno, sono l'assistente di intelligenza artificiale di ${organization}. Ho una persona in linea per lei. ${summary}`,
      question: 'Prema 1 o dica sì per accettare la chiamata. Prema 2 o dica no per rifiutarla.',
    },
  },
  pt: {
    disclosure: (organization) => ({
      introduction: `Olá, sou um assistente de inteligência artificial e ligo em nome de ${organization}.`,
      howToStop: 'Se não quiser mais ligações, diga "não me ligue mais" a qualquer momento.',
    }),
    recordingNotice: 'Esta ligação é gravada; se não quiser, diga "pare de gravar".',
    recordingQuestion: 'Posso gravar esta ligação? Diga sim ou não, por favor.',
    notRecorded: 'Tudo bem, esta ligação não será gravada.',
    greeting: (organization) => `Olá, sou um assistente de inteligência artificial de ${organization}.`,
    introduction: (agent, organization) =>
      `Aqui fala ${named(agent)}um assistente de inteligência artificial em nome de ${organization}.`,
    callsAbout: (title) => `A ligação é sobre: ${title}.`,
    resumed: 'Desculpe, a ligação caiu.',
    stillThere: 'Ainda está aí?',
    goodbye: 'Obrigado pelo seu tempo. Até logo.',
    oneMoment: 'Um momento, por favor.',
    apology: 'Desculpe, tenho um problema técnico e preciso encerrar a ligação. Até logo.',
    optOutQuestion: 'Deseja que não liguemos mais para você?',
    optedOut: 'Entendido, não vamos ligar novamente. Até logo.',
    timeIsUp: 'Desculpe, o nosso tempo acabou. Obrigado pela conversa. Até logo.',
    notHuman: 'Sou um assistente de inteligência artificial, não uma pessoa.',
    cannotShare: 'Sou um assistente de inteligência artificial e não posso compartilhar isso.',
    transfer: {
      connecting: 'Um momento, por favor. Vou transferir a sua ligação.',
      nobodyReached: 'Desculpe, no momento não há ninguém disponível para atender.',
      offer: (organization, summary) =>
        `Olá, aqui é o assistente de inteligência artificial de ${organization}. Tenho uma pessoa na linha para você. ${summary}`,
      question: 'Pressione 1 ou diga sim para atender a ligação. Pressione 2 ou diga não para recusar.',
    },
  },
  nl: {
    disclosure: (organization) => ({
      introduction: `Hallo, ik ben een AI-assistent en ik bel namens ${organization}.`,
      howToStop: 'Wilt u geen telefoontjes meer, zeg dan op elk moment "bel mij niet meer".',
    }),
    recordingNotice: 'Dit gesprek wordt opgenomen; wilt u dat niet, zeg dan "niet opnemen".',
    recordingQuestion: 'Mag ik dit gesprek opnemen? Zegt u alstublieft ja of nee.',
    notRecorded: 'Goed, dit gesprek wordt niet opgenomen.',
    greeting: (organization) => `Hallo, ik ben een AI-assistent van ${organization}.`,
    introduction: (agent, organization) =>
      `U spreekt met ${named(agent)}een AI-assistent namens ${organization}.`,
    callsAbout: (title) => `Het gaat over: ${title}.`,
    resumed: 'Sorry, de verbinding viel weg.',
    stillThere: 'Bent u er nog?',
    goodbye: 'Bedankt voor uw tijd. Tot ziens.',
    oneMoment: 'Een ogenblik, alstublieft.',
    apology: 'Het spijt me, ik heb een technisch probleem en moet het gesprek beëindigen. Tot ziens.',
    optOutQuestion: 'Wilt u dat wij u niet meer bellen?',
    optedOut: 'Begrepen, wij bellen u niet meer. Tot ziens.',
    timeIsUp: 'Het spijt me, onze tijd is om. Bedankt voor het gesprek. Tot ziens.',
    notHuman: 'Ik ben een AI-assistent, geen mens.',
    cannotShare: 'Ik ben een AI-assistent en kan dat niet delen.',
    transfer: {
      connecting: 'Een ogenblik, alstublieft. Ik verbind u door.',
      nobodyReached: 'Het spijt me, er is op dit moment niemand beschikbaar.',
      offer: (organization, summary) =>
        `Hallo, dit is de AI-assistent van ${organization}. Ik heb iemand voor u aan de lijn. ${summary}`,
      question: 'Druk op 1 of zeg ja om het gesprek aan te nemen. Druk op 2 of zeg nee om te weigeren.',
    },
  },
};

/** The phrases for a BCP-47 tag; English for languages that have none. */
export function phrasesFor(language: string): Phrases {
  const primary = language.split('-', 1)[0]?.toLowerCase() ?? '';
  return Object.hasOwn(phrasesByLanguage, primary) ? (phrasesByLanguage[primary] ?? english) : english;
}

export const languagesWithPhrases: readonly string[] = Object.keys(phrasesByLanguage);
