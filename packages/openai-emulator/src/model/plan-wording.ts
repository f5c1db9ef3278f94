export interface PlanStep {
  title: string;
  instruction: string;
  /** When the step applies; null for always. */
  when: string | null;
}

/** The parts of a plan that do not come from the task, in the language of the call. */
export interface PlanWording {
  objective(callee: string | undefined, action: string): string;
  otherTime: PlanStep;
  refusal: PlanStep;
  wrapUp: PlanStep;
}

const ENGLISH: PlanWording = {
  objective: (callee, action) => `The agent calls ${callee ?? 'the callee'} to ${action}.`,
  otherTime: {
    title: 'Find another time',
    instruction: 'Ask what day and time would suit better.',
    when: 'the callee cannot make it or wants to change it',
  },
  refusal: {
    title: 'Accept a refusal',
    instruction: 'Thank them politely without insisting, and say goodbye.',
    when: 'the callee declines',
  },
  wrapUp: {
    title: 'Wrap up',
    instruction: 'Thank them, repeat what was agreed, and say goodbye.',
    when: null,
  },
};

const WORDINGS: Record<string, PlanWording> = {
  en: ENGLISH,
  es: {
    objective: (callee, action) =>
      `El agente llama ${callee ? `a ${callee}` : 'al destinatario'} para ${action}.`,
    otherTime: {
      title: 'Buscar otra hora',
      instruction: 'Pregunte qué día y a qué hora le vendría mejor.',
      when: 'la persona no puede o quiere cambiarlo',
    },
    refusal: {
      title: 'Aceptar una negativa',
      instruction: 'Agradezca el tiempo sin insistir y despídase.',
      when: 'la persona lo rechaza',
    },
    wrapUp: { title: 'Cierre', instruction: 'Despídase y repita lo acordado.', when: null },
  },
  de: {
    objective: (callee, action) => `Der Agent ruft ${callee ?? 'die Person'} an, um ${action}.`,
    otherTime: {
      title: 'Andere Zeit finden',
      instruction: 'Fragen Sie, welcher Tag und welche Uhrzeit besser passen.',
      when: 'die Person kann nicht oder möchte verschieben',
    },
    refusal: {
      title: 'Ablehnung annehmen',
      instruction: 'Bedanken Sie sich und verabschieden Sie sich.',
      when: 'die Person will nicht',
    },
    wrapUp: {
      title: 'Abschluss',
      instruction: 'Verabschieden Sie sich und wiederholen Sie das Vereinbarte.',
      when: null,
    },
  },
  fr: {
    objective: (callee, action) => `L'agent appelle ${callee ?? 'la personne'} pour ${action}.`,
    otherTime: {
      title: 'Trouver un autre moment',
      instruction: 'Demandez quel jour et quelle heure conviendraient mieux.',
      when: 'la personne ne peut pas ou veut changer',
    },
    refusal: {
      title: 'Accepter un refus',
      instruction: 'Remerciez la personne sans insister.',
      when: 'la personne ne veut pas',
    },
    wrapUp: { title: 'Conclusion', instruction: 'Concluez en rappelant ce qui est convenu.', when: null },
  },
};

/** The wording for a BCP-47 tag; English when the language has none. */
export function planWording(language: string): PlanWording {
  return WORDINGS[language.slice(0, 2)] ?? ENGLISH;
}
