import type { Brief, BriefStep } from './brief.ts';
import { type CalleeIntent, calleeIntent } from './callee-intent.ts';
import type { ModelRequest, ToolDefinition } from './dialogue.ts';
import { type EntityKind, findEntities } from './entities.ts';
import { readForms } from './form-filling.ts';
import { toolNamedIn, wasUsed } from './own-tools.ts';
import { type Phrases, phrasesFor } from './phrases.ts';
import { MAX_SPOKEN_WORDS, spokenStep, wasSaid } from './spoken-step.ts';
import { withoutFinalStop, words } from './wording.ts';

/** A step and what the agent says to carry it out. */
export interface PlannedStep {
  step: BriefStep;
  line: string;
  asked: boolean;
  /** The tool that carries the step out, where it names one. */
  tool: ToolDefinition | undefined;
}

/** The call as the messages tell it. */
export interface Progress {
  brief: Brief;
  phrases: Phrases;
  steps: PlannedStep[];
  /** What the agent said so far. */
  said: string[];
  /** What the callee said since the agent last spoke, in one text. */
  heard: string;
  intent: CalleeIntent;
  /** Everything the callee said. */
  heardInAll: string[];
  /** The step the callee is answering. */
  current: PlannedStep | undefined;
  tools: ToolDefinition[];
  forms: ReturnType<typeof readForms>;
}

/** Reads the call from its messages. */
export function readProgress(brief: Brief, request: ModelRequest): Progress {
  const phrases = phrasesFor(brief.language);
  const said: string[] = [];
  const heardInAll: string[] = [];
  let heard: string[] = [];
  for (const turn of request.turns) {
    if (turn.role === 'user') {
      heard.push(turn.text);
      heardInAll.push(turn.text);
    } else if (turn.role === 'assistant' && turn.text.trim() !== '') {
      said.push(turn.text);
      heard = [];
    }
  }
  const steps = brief.steps.map((step) => {
    const line = spokenStep(step, brief, phrases);
    const tool = toolNamedIn(step, request.tools);
    const asked = tool ? wasUsed(tool, request) : wasSaid(line, said);
    return { step, line, asked, tool };
  });
  const lastSaid = said.slice(-1);
  const current = steps.findLast((planned) => planned.asked && wasSaid(planned.line, lastSaid));
  // A note such as [silence] says nothing when the callee spoke as well.
  const spoken = heard.filter((text) => !/^(?:silence|listening)$/.test(calleeIntent(text)));
  const text = (spoken.length > 0 ? spoken : heard).join(' ');
  return {
    brief,
    phrases,
    steps,
    said,
    heard: text,
    intent: calleeIntent(text),
    heardInAll,
    current,
    tools: request.tools,
    forms: readForms(request),
  };
}

/** Puts sentences together as far as one turn may hold; the last one always stays. */
export function compose(...parts: (string | undefined)[]): string {
  const present = parts.filter((part) => part !== undefined && part !== '');
  while (present.length > 1 && words(present.join(' ')).length > MAX_SPOKEN_WORDS) present.shift();
  return present.join(' ');
}

const WANTED_KINDS: [RegExp, EntityKind[]][] = [
  [/\b(?:time|when|hour)\b/i, ['time']],
  [/\b(?:day|date|when)\b/i, ['date']],
  [/\be-?mail\b/i, ['email']],
  [/\bphone|\bnumber to\b|\bcallback number\b/i, ['phone']],
  [/\b(?:how many|party size|number of)\b/i, ['quantity']],
];

/** An open question whose answer the callee has given unasked. */
export function alreadyAnswered({ step, line }: PlannedStep, heardInAll: string[]): boolean {
  if (!line.endsWith('?') || /\b(?:confirm|whether|verify)\b/i.test(step.instruction)) return false;
  const wanted = WANTED_KINDS.filter(([pattern]) => pattern.test(step.instruction));
  if (wanted.length === 0) return false;
  const given = heardInAll.flatMap(findEntities);
  return wanted.every(([, kinds]) => given.some((entity) => kinds.includes(entity.kind)));
}

/** What the callee said, given back in a word or two. */
export function acknowledgement({ phrases, intent, heard }: Progress): string | undefined {
  if (heard.trim() === '' || intent === 'silence' || intent === 'listening') return undefined;
  const values = findEntities(heard).filter((entity) => entity.kind !== 'name');
  const date = values.find((entity) => entity.kind === 'date')?.text;
  const time = values.find((entity) => entity.kind === 'time')?.text;
  const value = date && time ? phrases.at(date, time) : (date ?? time ?? values[0]?.text);
  if (value) return phrases.acknowledgeValue(withoutFinalStop(value));
  if (intent === 'negative' || intent === 'reschedule') return phrases.acknowledgeNegative;
  if (intent === 'positive') return phrases.acknowledgePositive;
  if (heard.trim().endsWith('?')) return phrases.acknowledgeWish;
  const short = withoutFinalStop(heard);
  const isShort =
    words(short).length <= 5 && !/^(?:hello|hi|hey|hola|hallo|bonjour|yes\?|speaking)\b/i.test(short);
  return isShort && !short.startsWith('[') ? phrases.acknowledgeValue(short) : phrases.acknowledge;
}
