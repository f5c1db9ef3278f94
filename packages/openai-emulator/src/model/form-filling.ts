import type { JsonSchema } from '../json-schema.ts';
import type { Brief } from './brief.ts';
import type { ModelAnswer, ModelRequest, ToolDefinition } from './dialogue.ts';
import { findEntities, firstOf } from './entities.ts';
import { NUMBER_WORDS } from './known-entities.ts';
import type { Phrases } from './phrases.ts';
import { spokenStep, wasSaid } from './spoken-step.ts';
import { lowerFirst, withoutFinalStop, words } from './wording.ts';

type FieldKind = 'text' | 'name' | 'number' | 'email' | 'phone' | 'choice' | 'choices';

/** A blank of a form, as its tool describes it. */
interface FormField {
  key: string;
  kind: FieldKind;
  name: string;
  required: boolean;
  /** How to ask for it, when the form says so. */
  ask: string | undefined;
  options: string[];
}

/** A form that a tool fills in, as it stands. */
interface Form {
  tool: ToolDefinition;
  fields: FormField[];
  missing: FormField[];
  readBack: { field: FormField; value: string }[];
}

/** How often one thing is asked. */
const MAX_TIMES_ASKED = 2;

function variantsOf(schema: JsonSchema): JsonSchema[] {
  return schema.anyOf ?? [schema];
}

function optionsOf(schema: JsonSchema | undefined): string[] {
  return (schema?.enum ?? []).filter((option) => typeof option === 'string');
}

function readField(key: string, schema: JsonSchema): FormField {
  const description = schema.description ?? '';
  const parts = /^(.*?), ([^,]*), (required|optional)\.(?: Ask: (.+))?$/su.exec(description);
  const name = parts?.[1] ?? key.replace(/_\d+$/, '').replaceAll('_', ' ');
  const variants = variantsOf(schema);
  const choice = variants.find((variant) => variant.enum !== undefined);
  const list = variants.find((variant) => variant.items !== undefined);
  const kindWords = `${parts?.[2] ?? ''} ${key}`;
  let kind: FieldKind = /name/i.test(name) ? 'name' : 'text';
  if (choice) kind = 'choice';
  else if (list) kind = 'choices';
  else if (variants.some(({ type }) => [type].flat().includes('number'))) kind = 'number';
  else if (/e-?_?mail/i.test(kindWords)) kind = 'email';
  else if (/phone/i.test(kindWords)) kind = 'phone';
  return {
    key,
    kind,
    name,
    required: parts?.[3] !== 'optional',
    ask: parts?.[4],
    options: optionsOf(choice ?? list?.items),
  };
}

function isFormTool(tool: ToolDefinition): boolean {
  return /fill.*form/i.test(tool.name) && tool.parameters.properties?.fields?.properties !== undefined;
}

/** What the host last told of this form: in the tool's newest result of this turn, or in the brief. */
function standingOf(tool: ToolDefinition, request: ModelRequest): string | undefined {
  const calls = new Map<string, string>();
  for (const turn of request.turns) {
    if (turn.role === 'assistant') for (const call of turn.toolCalls) calls.set(call.id, call.name);
  }
  const result = request.turns.findLast(
    (turn) => turn.role === 'tool' && calls.get(turn.callId) === tool.name && /^- /m.test(turn.text),
  );
  if (result) return result.text;
  const [, after] = request.instructions.split(`filled in with the tool ${tool.name}:`);
  return after?.split(/^(?:Form "|#)/m)[0];
}

/** Fields whose values went into earlier calls of the tool, for hosts that tell nothing of the form. */
function keysSent(tool: ToolDefinition, request: ModelRequest): Set<string> {
  const sent = new Set<string>();
  for (const turn of request.turns) {
    if (turn.role !== 'assistant') continue;
    for (const call of turn.toolCalls.filter(({ name }) => name === tool.name)) {
      const { fields = {} } = JSON.parse(call.arguments) as { fields?: Record<string, unknown> };
      for (const [key, value] of Object.entries(fields)) if (value !== null) sent.add(key);
    }
  }
  return sent;
}

function readForm(tool: ToolDefinition, request: ModelRequest): Form {
  const properties = tool.parameters.properties?.fields?.properties ?? {};
  const fields = Object.entries(properties).map(([key, schema]) => readField(key, schema));
  const standing = standingOf(tool, request);
  if (standing === undefined) {
    const sent = keysSent(tool, request);
    return { tool, fields, missing: fields.filter(({ key }) => !sent.has(key)), readBack: [] };
  }
  const missing = new Set([...standing.matchAll(/^- Missing: (\w+)/gm)].map(([, key]) => key));
  const open = new Map(
    [...standing.matchAll(/^- Read back: (\w+) = (.+)$/gm)].map(([, key, value]) => [key, value]),
  );
  return {
    tool,
    fields,
    missing: fields.filter(({ key }) => missing.has(key)),
    readBack: fields.flatMap((field) => {
      const value = open.get(field.key);
      return value === undefined ? [] : [{ field, value }];
    }),
  };
}

/** The forms the agent fills in during the call, in the order of their tools. */
export function readForms(request: ModelRequest): Form[] {
  return request.tools.filter(isFormTool).map((tool) => readForm(tool, request));
}

function questionFor(field: FormField, brief: Brief, phrases: Phrases): string {
  const { ask, kind, name, options } = field;
  if (ask) return spokenStep({ title: '', instruction: ask, condition: undefined }, brief, phrases);
  switch (kind) {
    case 'email':
      return 'What is your e-mail address?';
    case 'phone':
      return 'What is the best phone number to reach you?';
    case 'choice':
    case 'choices':
      return `Would you like ${options.slice(0, -1).join(', ')}${options.length > 1 ? ' or ' : ''}${options.at(-1)}?`;
    case 'number':
      return `How many is it for the ${lowerFirst(name)}?`;
    default:
      return /^(?:what|which|who|how|when|where)\b/i.test(name)
        ? `${withoutFinalStop(name)}?`
        : `What is your ${lowerFirst(name)}?`;
  }
}

function readBackLine({ readBack }: Form): string {
  return `Let me read that back: ${readBack.map(({ value }) => value).join(', ')}. Is that right?`;
}

function timesSaid(line: string, said: string[]): number {
  return said.filter((text) => text.includes(line) || wasSaid(line, [text])).length;
}

/** The value of a field, from what the callee said; `wasAsked` when it answers the question for the field. */
function valueIn(heard: string, field: FormField, wasAsked: boolean): unknown {
  switch (field.kind) {
    case 'email':
    case 'phone':
      return firstOf(heard, field.kind);
    case 'number':
      return wasAsked || firstOf(heard, 'quantity') ? numberIn(heard) : undefined;
    case 'choice':
      return mentioned(heard, field.options)[0];
    case 'choices': {
      const chosen = mentioned(heard, field.options);
      return chosen.length > 0 ? chosen : undefined;
    }
    case 'name':
      return nameIn(heard, wasAsked);
    case 'text':
      return wasAsked && heard.trim() !== '' && !/\?\s*$/.test(heard) ? withoutFinalStop(heard) : undefined;
  }
}

function numberIn(heard: string): number | undefined {
  for (const word of words(heard)) {
    const value = Number(NUMBER_WORDS[word] ?? word);
    if (Number.isFinite(value)) return value;
  }
  return undefined;
}

function mentioned(heard: string, options: string[]): string[] {
  const said = ` ${words(heard).join(' ')} `;
  return options.filter((option) => said.includes(` ${words(option).join(' ')} `));
}

function nameIn(heard: string, wasAsked: boolean): string | undefined {
  const introduced = /\b(?:[Mm]y name(?: is|'s)|I am called) (\p{Lu}[\p{L}'-]*(?: \p{Lu}[\p{L}'-]*)*)/u.exec(
    heard,
  )?.[1];
  if (introduced) return introduced;
  return wasAsked ? findEntities(heard).find(({ kind }) => kind === 'name')?.text : undefined;
}

/** A call that stores what the callee just said, when it holds something for one of the forms. */
export function fillFromWords(
  forms: Form[],
  heard: string,
  context: { said: string[]; agrees: boolean; brief: Brief; phrases: Phrases },
): ModelAnswer | undefined {
  const { said, agrees, brief, phrases } = context;
  const lastSaid = said.slice(-1);
  for (const form of forms) {
    const values = new Map<string, unknown>();
    const take = (field: FormField) => {
      const wasAsked = wasSaid(questionFor(field, brief, phrases), lastSaid);
      const value = valueIn(heard, field, wasAsked);
      if (value !== undefined) values.set(field.key, value);
    };
    form.missing.forEach(take);
    const isReadBack = form.readBack.length > 0 && (lastSaid[0]?.includes(readBackLine(form)) ?? false);
    for (const { field, value } of form.readBack) {
      take(field);
      if (values.get(field.key) === value) values.delete(field.key);
    }
    const confirmed =
      isReadBack && agrees
        ? form.readBack.map(({ field }) => field.key).filter((key) => !values.has(key))
        : [];
    if (values.size === 0 && confirmed.length === 0) continue;
    const fields = Object.fromEntries(form.fields.map(({ key }) => [key, values.get(key) ?? null]));
    return {
      text: null,
      toolCalls: [{ name: form.tool.name, arguments: { fields, quote: heard, confirmed } }],
    };
  }
  return undefined;
}

/** The values to read back, when there are any that were not read back often enough. */
export function readBackQuestion(forms: Form[], said: string[]): string | undefined {
  return forms
    .filter(({ readBack }) => readBack.length > 0)
    .map(readBackLine)
    .find((line) => timesSaid(line, said) < MAX_TIMES_ASKED);
}

/** The question for the next required field that is missing. */
export function missingQuestion(
  forms: Form[],
  context: { said: string[]; brief: Brief; phrases: Phrases },
): string | undefined {
  return forms
    .flatMap(({ missing }) => missing.filter(({ required }) => required))
    .map((field) => questionFor(field, context.brief, context.phrases))
    .find((line) => timesSaid(line, context.said) < MAX_TIMES_ASKED);
}
