import type { WorkflowDefinition } from '@callkite/contract';
import { knownLanguages } from './language-of.ts';

/** Something wrong with a workflow. `path` is the field, with dots, such as `definition.steps.1.title`. */
export interface WorkflowIssue {
  readonly path: string;
  readonly message: string;
}

/** Needs less than this to be said: a greeting at most. */
const leastObjectiveWords = 3;
/** The shortest a step takes, with its answer. */
const leastStepSeconds = 10;

/** What a workflow asks of the agent, and what it needs for that. */
const needs: readonly {
  readonly asks: RegExp;
  readonly lacks: (definition: WorkflowDefinition) => boolean;
  readonly message: string;
}[] = [
  {
    asks: /\b(?:transfer|put|connect)\b.{0,40}\b(?:through|to (?:a|an|the|our|somebody|someone|us))\b/i,
    lacks: ({ abilities }) => abilities.transfer.length === 0,
    message:
      'add a transfer integration to abilities.transfer: without one the agent cannot put anybody through',
  },
  {
    asks: /\b(?:send|text)\b.{0,30}\b(?:sms|text message|e-?mail|link|message)\b/i,
    lacks: ({ tools }) => tools.length === 0,
    message: 'name a tool that sends it: without one the agent cannot send anything',
  },
  {
    asks: /\b(?:press|dial)\b.{0,20}(?:\d|\bkeys?\b)/i,
    lacks: ({ abilities }) => !abilities.keypad,
    message: 'set abilities.keypad: without it the agent cannot press keys',
  },
];

/** What will not work as it is written, although nothing is wrong with it. */
export function workflowWarnings(definition: WorkflowDefinition): WorkflowIssue[] {
  const { objective, steps, forms, opening, language, voice, endRules, voicemail, dialing } = definition;
  const warnings: WorkflowIssue[] = [];
  const warn = (path: string, message: string) => warnings.push({ path: `definition.${path}`, message });
  const hasTask = steps.length > 0 || forms.length > 0 || opening !== undefined;
  if (!hasTask && objective.split(/\s+/).length < leastObjectiveWords) {
    warn('objective', 'say what the agent is to find out or tell, or add steps: from this it can only greet');
  }
  if (!knownLanguages.includes(language.split('-', 1)[0] ?? '')) {
    warn('language', `the fixed lines, such as the first one, are in English: there are none in ${language}`);
  }
  if (voice.speaker !== undefined && voice.mode === 'relay') {
    warn('voice.speaker', 'use agent.voice: speaker is for realtime only');
  }
  if (voicemail.message !== undefined && !dialing.detectMachine) {
    warn('voicemail.message', 'set dialing.detectMachine: a mailbox is noticed by its words only, if at all');
  }
  if (steps.length * leastStepSeconds > endRules.maximumDurationSeconds) {
    warn('endRules.maximumDurationSeconds', `make it longer: ${steps.length} steps take more time`);
  }
  const texts: readonly (readonly [string, string])[] = [
    ['objective', objective],
    ...steps.map(({ instruction }, index) => [`steps.${index}.instruction`, instruction] as const),
  ];
  for (const { asks, lacks, message } of needs) {
    const found = lacks(definition) && texts.find(([, text]) => asks.test(text));
    if (found) warn(found[0], message);
  }
  return warnings;
}

const maximumBytes = 65_536;
const maximumDepth = 32;
const maximumKeys = 200;

function depthAndKeys(value: unknown): { depth: number; keys: number } {
  let depth = 0;
  let keys = 0;
  const open: { value: unknown; level: number }[] = [{ value, level: 1 }];
  for (let next = open.pop(); next; next = open.pop()) {
    depth = Math.max(depth, next.level);
    if (typeof next.value !== 'object' || next.value === null) continue;
    const inner = Object.values(next.value);
    keys += inner.length;
    if (depth > maximumDepth || keys > maximumKeys) break;
    for (const each of inner) open.push({ value: each, level: next.level + 1 });
  }
  return { depth, keys };
}

function languageIsKnown(tag: string): boolean {
  try {
    return Intl.getCanonicalLocales(tag).length === 1;
  } catch {
    return false;
  }
}

function repeated(values: readonly string[]): number[] {
  const seen = new Set<string>();
  return values.flatMap((value, index) => {
    const key = value.toLowerCase();
    if (seen.has(key)) return [index];
    seen.add(key);
    return [];
  });
}

/**
 * What the schema cannot see: limits on the whole, and parts that contradict each other.
 * @returns nothing when the definition is sound
 */
export function lintWorkflow(definition: WorkflowDefinition): WorkflowIssue[] {
  const issues: WorkflowIssue[] = [];
  const { depth, keys } = depthAndKeys(definition.metadata);
  if (depth > maximumDepth || keys > maximumKeys) {
    issues.push({
      path: 'definition.metadata',
      message: `use at most ${maximumKeys} keys and ${maximumDepth} levels`,
    });
  } else if (Buffer.byteLength(JSON.stringify(definition)) > maximumBytes) {
    issues.push({ path: 'definition', message: `shorten it to at most ${maximumBytes} bytes of JSON` });
  }
  if (!languageIsKnown(definition.language)) {
    issues.push({ path: 'definition.language', message: 'use a well-formed language tag such as en-US' });
  }
  for (const [index, language] of definition.languages.entries()) {
    const path = `definition.languages.${index}`;
    if (!languageIsKnown(language)) {
      issues.push({ path, message: 'use a well-formed language tag such as en-US' });
    } else if ([definition.language, ...definition.languages.slice(0, index)].includes(language)) {
      issues.push({ path, message: 'name it once: the call can be in this language already' });
    }
  }
  for (const index of repeated(definition.steps.map(({ title }) => title))) {
    issues.push({
      path: `definition.steps.${index}.title`,
      message: 'give every step a title of its own: an earlier step has this one',
    });
  }
  const lists = {
    forms: definition.forms,
    tools: definition.tools,
    'abilities.transfer': definition.abilities.transfer,
  };
  for (const [name, ids] of Object.entries(lists)) {
    for (const index of repeated(ids)) {
      issues.push({
        path: `definition.${name}.${index}`,
        message: 'name it once: an earlier entry is the same',
      });
    }
  }
  const { silenceSeconds, maximumDurationSeconds } = definition.endRules;
  if (silenceSeconds >= maximumDurationSeconds) {
    issues.push({
      path: 'definition.endRules.silenceSeconds',
      message: 'make it shorter than maximumDurationSeconds',
    });
  }
  return issues;
}
