import type { JsonSchema } from '../json-schema.ts';
import type { ModelAnswer, ToolDefinition } from './dialogue.ts';
import { findEntities } from './entities.ts';
import { fillSchema, snakeCase } from './fill-schema.ts';
import { entityValue } from './known-entities.ts';
import { OUTCOME_SENTENCES, type Outcome, outcomeValue } from './outcome.ts';
import { sameStem, significantWords, withoutFinalStop, words } from './wording.ts';

export type ToolPurpose =
  | 'end_call'
  | 'opt_out'
  | 'transfer'
  | 'take_message'
  | 'keypad'
  | 'record_field'
  | 'language';

const PURPOSES: Record<ToolPurpose, RegExp> = {
  end_call: /end_?.*call|hang_?up/i,
  opt_out: /opt_?out|do_?not_?call/i,
  transfer: /transfer/i,
  take_message: /(?:take|leave)_?.*message/i,
  keypad: /send_?digits|press_?keys?|keypad|dtmf/i,
  record_field: /fill|record_?.*field/i,
  language: /(?:switch|change|set)_?language/i,
};

/** The tool whose name says that it serves this purpose. */
export function findTool(tools: ToolDefinition[], purpose: ToolPurpose): ToolDefinition | undefined {
  return tools.find((tool) => PURPOSES[purpose].test(tool.name));
}

type ToolCall = ModelAnswer['toolCalls'][number];

function asObject(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}

/** A call with arguments that fit the tool's schema, as far as the schema can be met. */
export function callTool(tool: ToolDefinition, about: { outcome: Outcome; said: string }): ToolCall {
  const filled = fillSchema(tool.parameters, (blank) => {
    const outcome = outcomeValue(about.outcome, blank);
    if (outcome !== undefined) return outcome;
    if (/summary|note|message|comment|explanation|description/.test(blank.name))
      return OUTCOME_SENTENCES[about.outcome];
    if (/said|quote|utterance|words|text|evidence/.test(blank.name) && about.said !== '') return about.said;
    return entityValue(blank, about.said);
  });
  return { name: tool.name, arguments: asObject(filled) };
}

/** A call that presses keys, when the tool takes them in one field. */
export function pressKeys(tool: ToolDefinition, keys: string): ToolCall {
  const filled = fillSchema(tool.parameters, ({ name }) => (/digit|key/.test(name) ? keys : undefined));
  return { name: tool.name, arguments: asObject(filled) };
}

/** A call of a tool that is nothing of the above: values come from what was said. */
export function callAnyTool(tool: ToolDefinition, said: string): ToolCall {
  const filled = fillSchema(tool.parameters, (blank) => {
    const value = entityValue(blank, said);
    if (value !== undefined) return value;
    const isFreeText = /query|question|text|message|input|prompt|request|content|note/.test(blank.name);
    return isFreeText && said !== '' ? said : undefined;
  });
  return { name: tool.name, arguments: asObject(filled) };
}

function namesOfFields(schema: JsonSchema): { key: string; options: string[] } | undefined {
  for (const [key, property] of Object.entries(schema.properties ?? {})) {
    const options = property.enum?.filter((option) => typeof option === 'string');
    if (options && options.length > 0 && /field|key|name|title/i.test(key)) return { key, options };
  }
  return undefined;
}

function fieldFor(options: string[], question: string): string | undefined {
  const asked = words(question);
  const score = (option: string) =>
    significantWords(snakeCase(option).replaceAll('_', ' ')).filter((word) =>
      asked.some((other) => sameStem(word, other)),
    ).length;
  const best = options.toSorted((left, right) => score(right) - score(left))[0];
  return best !== undefined && score(best) > 0 ? best : undefined;
}

/** Records the callee's answer to a question, when the tool has a field that the question is about. */
export function recordAnswer(tool: ToolDefinition, question: string, answer: string): ToolCall | undefined {
  const fields = namesOfFields(tool.parameters);
  if (!fields) return undefined;
  const field = fieldFor(fields.options, question);
  if (field === undefined) return undefined;
  const values = findEntities(answer).filter((entity) => entity.kind !== 'name');
  const value = values.map((entity) => entity.text).join(' ') || withoutFinalStop(answer);
  const filled = fillSchema(tool.parameters, (blank) => {
    if (blank.name === snakeCase(fields.key)) return field;
    return /value|answer|text|content|response/.test(blank.name) ? value : undefined;
  });
  return { name: tool.name, arguments: asObject(filled) };
}
