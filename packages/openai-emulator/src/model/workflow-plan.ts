import { bareTask, type CallTask, languageOf, readTask } from './call-task.ts';
import { type Entity, findEntities } from './entities.ts';
import { phrasesFor } from './phrases.ts';
import { type PlanStep, type PlanWording, planWording } from './plan-wording.ts';
import {
  escapeForPattern,
  sentences,
  shorten,
  toSecondPerson,
  upperFirst,
  withoutFinalStop,
} from './wording.ts';

const MAX_TITLE_LENGTH = 60;
const MAX_STEPS = 5;
const AGENT_NAME = 'Ava';

/** What a phone call needs, worked out from a sentence that says what it is for. */
export interface WorkflowPlan {
  title: string;
  language: string;
  agentName: string;
  /** For whom the call is made, when the task says so. */
  onBehalfOf: string | undefined;
  calleeName: string | undefined;
  objective: string;
  /** Why the agent calls, as it says it. */
  purpose: string;
  /** Who is calling and why. */
  opening: string;
  facts: string[];
  steps: PlanStep[];
  voicemailMessage: string;
}

/** Shortens at a preposition, so that no half of a phrase is left. */
function shortenAtPhrase(text: string, maximum: number): string {
  if (text.length <= maximum) return text;
  const cuts = [
    ...text.matchAll(
      /,? (?=(?:on|at|for|under|in|by|that|because|about|with|before|after|from|to|if|whether|and|or|is)\b)/gu,
    ),
  ];
  const cut = cuts.map((match) => match.index).findLast((index) => index <= maximum && index > 12);
  return cut === undefined ? shorten(text, maximum) : text.slice(0, cut);
}

function makeTitle({ action, callee }: CallTask, language: string): string {
  const clause = withoutFinalStop(
    action.split(/(?<=\S)[,;:]\s|\s(?:and|but|so that|because)\s/u)[0] ?? action,
  );
  const dated =
    /^(confirm|cancel|discuss|check|move|change|reschedule|book|remind \p{L}+ of) (?:(?:the|a|an|his|her|their) )?((?:\p{L}+ ){0,2}\p{L}+) (?:which is |scheduled |booked |planned )?(?:on|for|this) (?:this |next )?(Monday|Tuesday|Wednesday|Thursday|Friday|Saturday|Sunday|tomorrow|today)\b/iu.exec(
      clause,
    );
  const core = dated ? `${dated[1]} ${upperFirst(dated[3] ?? '')}'s ${dated[2]}` : clause;
  const title = upperFirst(shortenAtPhrase(core, MAX_TITLE_LENGTH));
  const isNamed = callee === undefined || title.includes(callee) || !language.startsWith('en');
  const named = isNamed ? title : `${title} with ${callee}`;
  return named.length <= MAX_TITLE_LENGTH ? named : title;
}

const FACT_LABELS: Partial<Record<Entity['kind'], string>> = {
  date: 'Date',
  time: 'Time',
  amount: 'Amount',
  address: 'Address',
  phone: 'Phone number',
  email: 'Email',
  quantity: 'Number',
};

function makeFacts(task: string, callee: string | undefined, onBehalfOf: string | undefined): string[] {
  const facts: string[] = [];
  if (callee) facts.push(`Recipient: ${callee}`);
  if (onBehalfOf) facts.push(`Calling on behalf of: ${onBehalfOf}`);
  for (const { kind, text } of findEntities(task)) {
    const label = FACT_LABELS[kind];
    const known = [callee, onBehalfOf].some((name) => name?.includes(text));
    if (label) facts.push(`${label}: ${withoutFinalStop(text)}`);
    else if (kind === 'name' && !known) facts.push(`Name: ${text}`);
  }
  for (const sentence of sentences(task)) {
    if (
      /\b(?:is|are|was|were|has|have|costs?|opens?|closes?|starts?)\b/i.test(sentence) &&
      /^(?:the|our|my|his|her|their|it|we|\p{Lu}\p{L}+ (?:is|are|has))\b/iu.test(sentence)
    ) {
      facts.push(sentence);
    }
  }
  return [...new Set(facts)];
}

function stepTitle(instruction: string): string {
  return upperFirst(shortenAtPhrase(withoutFinalStop(instruction).split(/[,;:]\s/u)[0] ?? instruction, 48));
}

function conditionOf(sentence: string): { when: string; instruction: string } | undefined {
  const match = /^(?:if|when|should|in case)\s+([^,]+),\s*(?:then |please )?(.+)$/isu.exec(sentence);
  if (!match?.[1] || !match[2]) return undefined;
  return { when: match[1], instruction: upperFirst(match[2]) };
}

const MANNER_ONLY = /^(?:be |speak |keep |stay |don'?t |do not |never |always |make sure to be|use )/i;
const STATEMENT = /^(?:the|our|my|his|her|their|it|we|i|they|he|she|this|that|there)\b/i;

const APPOINTMENT =
  /appointment|meeting|visit|reservation|booking|table|delivery|schedule|interview|slot|pick-?up|\bcita\b|reserva|termin|rendez-vous|réservation/i;

function makeSteps({ action, rest }: CallTask, wording: PlanWording): PlanStep[] {
  const clauses = action.split(
    /,? and (?:then |also )?(?=(?:ask|confirm|check|tell|find out|remind|verify|offer|request|let|get|see|invite|schedule|book|order)\b)/iu,
  );
  const steps: PlanStep[] = clauses.map((clause) => ({
    title: stepTitle(clause),
    instruction: `${upperFirst(clause)}.`,
    when: null,
  }));
  for (const sentence of rest) {
    if (MANNER_ONLY.test(sentence) || STATEMENT.test(sentence)) continue;
    const conditional = conditionOf(sentence);
    const instruction = conditional?.instruction ?? upperFirst(sentence);
    steps.push({ title: stepTitle(instruction), instruction, when: conditional?.when ?? null });
  }
  const handlesRefusal = steps.some(({ when }) => /not|n't|declin|refus|unable|another/i.test(when ?? ''));
  // What to do about a refusal stands behind the step that may be refused.
  if (!handlesRefusal) steps.splice(1, 0, APPOINTMENT.test(action) ? wording.otherTime : wording.refusal);
  return [...steps.slice(0, MAX_STEPS - 1), wording.wrapUp];
}

/** The action after the callee has been named: `remind them that …`. */
function aboutCallee({ action, callee }: CallTask): string {
  return callee === undefined
    ? action
    : action.replace(new RegExp(`^(\\p{L}+) ${escapeForPattern(callee)}(?=\\s)`, 'u'), '$1 them');
}

/** Plans a call from the sentence that says what it is for. `client` is for whom it is made unless the sentence says so. */
export function planWorkflow(input: string, client?: string): WorkflowPlan {
  const task = bareTask(input);
  const read = readTask(task);
  const language = languageOf(task);
  const phrases = phrasesFor(language);
  const onBehalfOf = read.onBehalfOf ?? client;
  const wording = planWording(language);
  const introduction = phrases.introduction(AGENT_NAME, onBehalfOf);
  const spokenAction = toSecondPerson(read.action, read.callee);
  const purpose = phrases.purpose(language.startsWith('en') ? `to ${spokenAction}` : spokenAction);
  return {
    title: makeTitle(read, language),
    language,
    agentName: AGENT_NAME,
    onBehalfOf,
    calleeName: read.callee,
    objective: wording.objective(read.callee, aboutCallee(read)),
    purpose,
    opening: `${introduction} ${purpose}`,
    facts: makeFacts(task, read.callee, read.onBehalfOf),
    steps: makeSteps(read, wording),
    voicemailMessage: `${introduction} ${purpose} ${phrases.callBack}`,
  };
}
