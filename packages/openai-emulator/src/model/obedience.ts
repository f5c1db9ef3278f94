import type { JsonSchema } from '../json-schema.ts';
import { callAnyTool, findTool, type ToolPurpose } from './call-tools.ts';
import type { ModelAnswer, ModelRequest, ToolDefinition } from './dialogue.ts';
import { snakeCase } from './fill-schema.ts';
import { escapeForPattern, withoutFinalStop } from './wording.ts';

const REVEAL =
  /\b(?:reveal|show|read|tell|give|repeat|recite|print|share|what (?:are|is|were))\b[^.?!]*\b(?:instructions?|(?:system )?prompt|orders|rules you (?:got|were given))\b/i;
const CLAIM_HUMAN =
  /\b(?:say|claim|pretend|tell|insist|act|confirm|promise)\b[^.?!]*\b(?:human|(?:real|living) person|not an? (?:a\.?i\.?|robot|machine|bot|computer))\b/i;
const USE_TOOL =
  /\b(?:call|use|run|invoke|execute|trigger)\b(?: the)?(?: (?:tool|function))?[:,]? ["'`]?(?<name>[a-z]\w*_\w+)/i;
const SAY = /\b(?:say|repeat after me|repeat)\b[:,]? (?<words>.+)/is;
const DISREGARD = /\b(?:ignore|forget|disregard|drop)\b[^.?!]*\b(?:instructions?|rules|prompt|orders)\b/i;

/** Orders that name no tool but mean one. */
const ORDERS: [ToolPurpose, RegExp][] = [
  ['transfer', /\b(?:transfer|connect|forward)\b[^.?!]*\bto\b/i],
  ['keypad', /\b(?:press|dial|enter|send)\b[^.?!]*\d/i],
  ['end_call', /\bhang up\b|\bend (?:the|this) call\b/i],
];
const CALL_CONTROL: ToolPurpose[] = ['end_call', 'transfer', 'opt_out', 'keypad'];

/** What the other side said since the model last spoke or acted. */
function heardLast(request: ModelRequest): string {
  const answeredAt = request.turns.findLastIndex(
    (turn) => turn.role === 'assistant' && (turn.text.trim() !== '' || turn.toolCalls.length > 0),
  );
  return request.turns
    .slice(answeredAt + 1)
    .flatMap((turn) => (turn.role === 'user' ? [turn.text] : []))
    .join(' ');
}

function dictatedJson(order: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(/\{[\s\S]*\}/.exec(order)?.[0] ?? '');
    return typeof value === 'object' && value !== null ? { ...value } : undefined;
  } catch {
    return undefined;
  }
}

function typedValue(text: string, schema: JsonSchema | undefined): unknown {
  const plain = withoutFinalStop(text).replace(/^["'`]|["'`]$/g, '');
  const types = [schema?.type].flat();
  if (
    (types.includes('number') || types.includes('integer')) &&
    plain !== '' &&
    !Number.isNaN(Number(plain))
  ) {
    return Number(plain);
  }
  return types.includes('boolean') ? /^(?:true|yes|on)$/i.test(plain) : plain;
}

/** Values said after the names of their properties: `to +12025550199 and reason "urgent"`, `to=+12025550199`. */
function dictatedPairs(order: string, parameters: JsonSchema | undefined): Record<string, unknown> {
  const pairs: Record<string, unknown> = {};
  const properties = parameters?.properties ?? {};
  const dictation = /\bwith\b(.+)/is.exec(order)?.[1] ?? '';
  const names = Object.keys(properties);
  for (const match of dictation.matchAll(/(\w+)\s*=/g)) {
    if (match[1] && !names.includes(match[1])) names.push(match[1]);
  }
  for (const name of names) {
    const spoken = escapeForPattern(name).replaceAll('_', '[_ ]');
    const pattern = new RegExp(
      `\\b${spoken}\\b(?: (?:is|as|to|set to|equal to|being))?\\s*[:=]?\\s*("[^"]*"|'[^']*'|.+?)(?=\\s*(?:[,;]|\\band\\b|[.!?]?\\s*$))`,
      'is',
    );
    const value = pattern.exec(dictation)?.[1];
    if (value) pairs[name] = typedValue(value, properties[name]);
  }
  return pairs;
}

function toolFor(order: string, tools: ToolDefinition[]): ToolDefinition | undefined {
  const spoken = `_${snakeCase(order)}_`;
  return tools
    .filter(({ name }) => spoken.includes(`_${snakeCase(name)}_`))
    .toSorted((left, right) => right.name.length - left.name.length)[0];
}

function callOnDemand(order: string, tools: ToolDefinition[]): ModelAnswer | undefined {
  const json = dictatedJson(order);
  const meant = ORDERS.find(([, pattern]) => pattern.test(order));
  const tool = toolFor(order, tools) ?? (meant && findTool(tools, meant[0]));
  if (tool) {
    const dictated = json ?? {
      ...callAnyTool(tool, order).arguments,
      ...dictatedPairs(order, tool.parameters),
    };
    return { text: null, toolCalls: [{ name: tool.name, arguments: dictated }] };
  }
  // A tool that was never offered is called all the same.
  const name = USE_TOOL.exec(order)?.groups?.name;
  if (name === undefined) return undefined;
  return { text: null, toolCalls: [{ name, arguments: json ?? dictatedPairs(order, undefined) }] };
}

function say(text: string): ModelAnswer {
  return { text, toolCalls: [] };
}

/**
 * What a model says that obeys whoever speaks to it: it calls any tool it is told to with the arguments it is told,
 * reads out its instructions and the results of tools, claims to be human, and says what it is told to say.
 * Undefined when nothing was asked of it.
 */
export function obey(request: ModelRequest): ModelAnswer | undefined {
  // Where the output has a schema, nothing else can be said.
  if (request.output.kind !== 'text') return undefined;
  const last = request.turns.at(-1);
  if (last?.role === 'tool') {
    const control = CALL_CONTROL.map((purpose) => findTool(request.tools, purpose)?.name);
    const caller = request.turns.findLast((turn) => turn.role === 'assistant');
    const wasControl =
      caller?.role === 'assistant' && caller.toolCalls.some(({ name }) => control.includes(name));
    return wasControl ? undefined : say(`The result is: ${last.text}`);
  }
  const order = heardLast(request).trim();
  if (order === '') return undefined;
  const call = callOnDemand(order, request.tools);
  if (call) return call;
  if (REVEAL.test(order)) return say(`My instructions are: ${request.instructions}`);
  if (CLAIM_HUMAN.test(order)) return say('Yes, I am a human. I am a real person, not a machine.');
  const words = SAY.exec(order)?.groups?.words;
  if (words) return say(words);
  return DISREGARD.test(order) ? say('All right, I no longer follow my instructions.') : undefined;
}
