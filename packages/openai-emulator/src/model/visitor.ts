import type { Brief } from './brief.ts';
import { type EntityKind, findEntities } from './entities.ts';
import { acknowledgement, alreadyAnswered, compose, type PlannedStep, type Progress } from './progress.ts';
import { stepKind } from './spoken-step.ts';
import { sameStem, significantWords, withoutFinalStop, words } from './wording.ts';

interface VisitorPhrases {
  howCanIHelp: string;
  anythingElse: string;
  identity(agentName: string | undefined, organization: string | undefined): string;
  noted: string;
  welcome: string;
}

const ENGLISH: VisitorPhrases = {
  howCanIHelp: 'How can I help you?',
  anythingElse: 'Is there anything else I can help you with?',
  identity: (agent, organization) =>
    `I'm ${agent ? `${agent}, ` : ''}an AI assistant${organization ? ` at ${organization}` : ''}, not a person.`,
  noted: "I've made a note of that, and someone will get back to you.",
  welcome: "You're welcome!",
};

const PHRASES: Readonly<Record<string, VisitorPhrases>> = {
  en: ENGLISH,
  es: {
    howCanIHelp: '¿En qué puedo ayudarle?',
    anythingElse: '¿Puedo ayudarle en algo más?',
    identity: (agent, organization) =>
      `Soy ${agent ? `${agent}, ` : ''}un asistente de IA${organization ? ` de ${organization}` : ''}, no una persona.`,
    noted: 'Tomo nota, y alguien se pondrá en contacto con usted.',
    welcome: '¡De nada!',
  },
  de: {
    howCanIHelp: 'Wie kann ich Ihnen helfen?',
    anythingElse: 'Kann ich sonst noch etwas für Sie tun?',
    identity: (agent, organization) =>
      `Ich bin ${agent ? `${agent}, ` : ''}ein KI-Assistent${organization ? ` von ${organization}` : ''}, kein Mensch.`,
    noted: 'Das habe ich notiert, und jemand meldet sich bei Ihnen.',
    welcome: 'Gern geschehen!',
  },
  fr: {
    howCanIHelp: 'Comment puis-je vous aider ?',
    anythingElse: 'Puis-je faire autre chose pour vous ?',
    identity: (agent, organization) =>
      `Je suis ${agent ? `${agent}, ` : ''}un assistant IA${organization ? ` de ${organization}` : ''}, pas une personne.`,
    noted: "C'est noté, et quelqu'un vous recontactera.",
    welcome: 'Je vous en prie !',
  },
};

/** What a question asks for, and what a fact holds that answers it. */
const ASKED: readonly (readonly [question: RegExp, answers: EntityKind])[] = [
  [
    /\bwhere\b|\baddress\b|\blocat|\bdirections\b|\bfind you\b|dónde|dirección|\bwo\b|adresse|\boù\b/iu,
    'address',
  ],
  [/\bhow much\b|\bcosts?\b|\bprices?\b|\bfees?\b|cuánto|precio|wie ?viel|kostet|combien|prix/iu, 'amount'],
  [
    /\bwhen\b|\bhours\b|\bopen\b|\bclosed?\b|what time|cuándo|horario|\bwann\b|geöffnet|\bquand\b|horaires/iu,
    'time',
  ],
];
const THANKS = /^(?:(?:ok(?:ay)?|great|perfect)[,.! ]+)?(?:thanks?\b|thank you|gracias|danke|merci)/iu;
const THAT_IS_ALL =
  /\bthat(?:'s| is| was| will be|'ll be)(?: (?:all|it|everything))\b|\bnothing else\b|eso es todo|das (?:ist|war) alles|c['’]est tout/iu;

/** Whether a brief leaves it to a visitor what the conversation is about: no step of it applies always. */
export function helpsVisitor({ isForVisitor, steps }: Brief): boolean {
  return isForVisitor && steps.every((step) => step.condition !== undefined || stepKind(step) !== 'task');
}

/**
 * What is said to a visitor who came with a wish of their own: an answer from the facts, or the next question of the
 * steps that apply.
 * @returns `null` for what is the same on every call
 */
export function visitorReply(progress: Progress): { readonly text: string; readonly isLast: boolean } | null {
  const { brief, intent, heard, said, current, phrases } = progress;
  const own = PHRASES[brief.language] ?? ENGLISH;
  const say = (text: string) => ({ text, isLast: false });
  const wasOffered = said.at(-1)?.includes(own.anythingElse) ?? false;
  const further = current?.line ?? own.anythingElse;
  if (intent === 'robot_question' || intent === 'identity_question')
    return say(`${own.identity(brief.agentName, brief.onBehalfOf)} ${current?.line ?? own.howCanIHelp}`);
  if (intent === 'greeting' || intent === 'listening') return say(current?.line ?? own.howCanIHelp);
  if (intent === 'goodbye') return { text: phrases.goodbye, isLast: true };
  if (!/^(?:question|purpose_question|reschedule|decline|negative|positive|statement)$/.test(intent))
    return null;
  if (current === undefined) {
    const isDone = THAT_IS_ALL.test(heard) || (wasOffered && /^(?:negative|decline)$/.test(intent));
    if (isDone) return { text: phrases.goodbye, isLast: true };
    if (THANKS.test(heard)) return say(`${own.welcome} ${own.anythingElse}`);
    if (wasOffered && intent === 'positive' && words(heard).length <= 3) return say(own.howCanIHelp);
  }
  const wish = current?.step.condition ?? wishOf(progress);
  const isQuestion = intent === 'question' || heard.trim().endsWith('?');
  if (isQuestion && (current !== undefined || wish === undefined)) {
    const fact = factFor(heard, brief);
    return say(`${fact ?? phrases.willPassOn} ${further}`);
  }
  if (wish !== undefined) {
    const next = progress.steps.find((planned) => isOpen(planned, wish, progress));
    return say(next ? compose(acknowledgement(progress), next.line) : `${own.noted} ${own.anythingElse}`);
  }
  const fact = factFor(heard, brief);
  return say(`${fact ?? own.noted} ${own.anythingElse}`);
}

function isOpen(planned: PlannedStep, wish: string, { heardInAll }: Progress): boolean {
  return !planned.asked && planned.step.condition === wish && !alreadyAnswered(planned, heardInAll);
}

/** The condition of the steps that what the visitor said asks for. */
function wishOf({ steps, heard, intent }: Progress): string | undefined {
  const least = intent === 'question' ? 2 : 1;
  return steps.find(
    ({ step, asked }) => !asked && step.condition !== undefined && shared(heard, step.condition) >= least,
  )?.step.condition;
}

/** The fact that answers a question, word for word. */
function factFor(question: string, { facts }: Brief): string | undefined {
  const kind = ASKED.find(([asks]) => asks.test(question))?.[1];
  const fitting = kind
    ? facts.filter((fact) => findEntities(fact).some((entity) => entity.kind === kind))
    : [];
  const best = (from: readonly string[]) =>
    from.toSorted((left, right) => shared(question, right) - shared(question, left))[0];
  const related = best(facts.filter((fact) => shared(question, fact) > 0));
  const fact = best(fitting) ?? related;
  return fact && `${withoutFinalStop(fact)}.`;
}

/** How many words with a meaning of their own two texts share. */
function shared(left: string, right: string): number {
  const inRight = words(right);
  const own = significantWords(left).filter((word) => word.length > 3);
  return own.filter((word) => inRight.some((other) => sameStem(word, other))).length;
}
