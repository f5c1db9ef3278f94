/** What the agent says in our own fixed words, whatever the model does. */
export interface Phrases {
  /** First words of every call: who is calling, for whom, and how to stop it. */
  disclosure(organizationName: string): { readonly introduction: string; readonly howToStop: string };
  /** Part of the first words where the call is recorded. */
  readonly recordingNotice: string;
  /** Part of the first words where the call may be recorded if the callee agrees. */
  readonly recordingQuestion: string;
  readonly notRecorded: string;
  /** Instead of a second disclosure, after the line was lost and is back. */
  readonly resumed: string;
  readonly stillThere: string;
  readonly goodbye: string;
  /** While the model takes long. */
  readonly oneMoment: string;
  readonly apology: string;
  readonly optedOut: string;
  readonly timeIsUp: string;
}

const english: Phrases = {
  disclosure: (organization) => ({
    introduction: `Hello, I am an AI assistant calling on behalf of ${organization}.`,
    howToStop: 'If you want no more calls, just say "stop calling" at any time.',
  }),
  recordingNotice: 'This call is recorded; if you do not want that, just say "stop recording".',
  recordingQuestion: 'May I record this call? Please say yes or no.',
  notRecorded: 'All right, this call is not recorded.',
  resumed: 'Sorry, we were cut off.',
  stillThere: 'Are you still there?',
  goodbye: 'Thank you for your time. Goodbye.',
  oneMoment: 'One moment, please.',
  apology: 'I am sorry, I have a technical problem and must end this call. Goodbye.',
  optedOut: 'Understood, we will not call you again. Goodbye.',
  timeIsUp: 'I am sorry, our time is up. Thank you for talking with me. Goodbye.',
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
    notRecorded: 'De acuerdo, esta llamada no se graba.',
    resumed: 'Perdone, se cortó la llamada.',
    stillThere: '¿Sigue ahí?',
    goodbye: 'Gracias por su tiempo. Adiós.',
    oneMoment: 'Un momento, por favor.',
    apology: 'Lo siento, tengo un problema técnico y debo terminar la llamada. Adiós.',
    optedOut: 'Entendido, no volveremos a llamarle. Adiós.',
    timeIsUp: 'Lo siento, se nos acabó el tiempo. Gracias por hablar conmigo. Adiós.',
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
    resumed: 'Entschuldigung, wir wurden unterbrochen.',
    stillThere: 'Sind Sie noch da?',
    goodbye: 'Vielen Dank für Ihre Zeit. Auf Wiederhören.',
    oneMoment: 'Einen Moment, bitte.',
    apology:
      'Es tut mir leid, ich habe ein technisches Problem und muss das Gespräch beenden. Auf Wiederhören.',
    optedOut: 'Verstanden, wir rufen Sie nicht mehr an. Auf Wiederhören.',
    timeIsUp: 'Es tut mir leid, unsere Zeit ist um. Danke für das Gespräch. Auf Wiederhören.',
  },
  fr: {
    disclosure: (organization) => ({
      introduction: `Bonjour, je suis un assistant d'intelligence artificielle et j'appelle de la part de ${organization}.`,
      howToStop: "Si vous ne voulez plus d'appels, dites à tout moment « arrêtez de m'appeler ».",
    }),
    recordingNotice:
      "Cet appel est enregistré ; si vous ne le souhaitez pas, dites « ne m'enregistrez pas ».",
    recordingQuestion: "Puis-je enregistrer cet appel ? Dites oui ou non, s'il vous plaît.",
    notRecorded: "D'accord, cet appel n'est pas enregistré.",
    resumed: 'Excusez-moi, nous avons été coupés.',
    stillThere: 'Êtes-vous toujours là ?',
    goodbye: 'Merci pour votre temps. Au revoir.',
    oneMoment: "Un instant, s'il vous plaît.",
    apology: "Je suis désolé, j'ai un problème technique et je dois mettre fin à l'appel. Au revoir.",
    optedOut: 'Compris, nous ne vous appellerons plus. Au revoir.',
    timeIsUp: 'Je suis désolé, notre temps est écoulé. Merci de cet échange. Au revoir.',
  },
  it: {
    disclosure: (organization) => ({
      introduction: `Buongiorno, sono un assistente di intelligenza artificiale e chiamo per conto di ${organization}.`,
      howToStop: 'Se non vuole altre chiamate, dica "non mi chiami più" in qualsiasi momento.',
    }),
    recordingNotice: 'Questa chiamata viene registrata; se non lo desidera, dica "non registri".',
    recordingQuestion: 'Posso registrare questa chiamata? Dica sì o no, per favore.',
    notRecorded: 'Va bene, questa chiamata non viene registrata.',
    resumed: 'Mi scusi, è caduta la linea.',
    stillThere: "È ancora all'apparecchio?",
    goodbye: 'Grazie per il suo tempo. Arrivederci.',
    oneMoment: 'Un momento, per favore.',
    apology: 'Mi dispiace, ho un problema tecnico e devo chiudere la chiamata. Arrivederci.',
    optedOut: 'Capito, non la chiameremo più. Arrivederci.',
    timeIsUp: 'Mi dispiace, il tempo è scaduto. Grazie della conversazione. Arrivederci.',
  },
  pt: {
    disclosure: (organization) => ({
      introduction: `Olá, sou um assistente de inteligência artificial e ligo em nome de ${organization}.`,
      howToStop: 'Se não quiser mais ligações, diga "não me ligue mais" a qualquer momento.',
    }),
    recordingNotice: 'Esta ligação é gravada; se não quiser, diga "pare de gravar".',
    recordingQuestion: 'Posso gravar esta ligação? Diga sim ou não, por favor.',
    notRecorded: 'Tudo bem, esta ligação não é gravada.',
    resumed: 'Desculpe, a ligação caiu.',
    stillThere: 'Ainda está aí?',
    goodbye: 'Obrigado pelo seu tempo. Até logo.',
    oneMoment: 'Um momento, por favor.',
    apology: 'Desculpe, tenho um problema técnico e preciso encerrar a ligação. Até logo.',
    optedOut: 'Entendido, não vamos ligar novamente. Até logo.',
    timeIsUp: 'Desculpe, o nosso tempo acabou. Obrigado pela conversa. Até logo.',
  },
  nl: {
    disclosure: (organization) => ({
      introduction: `Hallo, ik ben een AI-assistent en ik bel namens ${organization}.`,
      howToStop: 'Wilt u geen telefoontjes meer, zeg dan op elk moment "bel mij niet meer".',
    }),
    recordingNotice: 'Dit gesprek wordt opgenomen; wilt u dat niet, zeg dan "niet opnemen".',
    recordingQuestion: 'Mag ik dit gesprek opnemen? Zegt u alstublieft ja of nee.',
    notRecorded: 'Goed, dit gesprek wordt niet opgenomen.',
    resumed: 'Sorry, de verbinding viel weg.',
    stillThere: 'Bent u er nog?',
    goodbye: 'Bedankt voor uw tijd. Tot ziens.',
    oneMoment: 'Een ogenblik, alstublieft.',
    apology: 'Het spijt me, ik heb een technisch probleem en moet het gesprek beëindigen. Tot ziens.',
    optedOut: 'Begrepen, wij bellen u niet meer. Tot ziens.',
    timeIsUp: 'Het spijt me, onze tijd is om. Bedankt voor het gesprek. Tot ziens.',
  },
};

/** The phrases for a BCP-47 tag; English for languages that have none. */
export function phrasesFor(language: string): Phrases {
  const primary = language.split('-', 1)[0]?.toLowerCase() ?? '';
  return Object.hasOwn(phrasesByLanguage, primary) ? (phrasesByLanguage[primary] ?? english) : english;
}

export const languagesWithPhrases: readonly string[] = Object.keys(phrasesByLanguage);
