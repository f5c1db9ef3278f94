import type { Brief, BriefStep } from './brief.ts';
import { callAnyTool } from './call-tools.ts';
import type { ModelAnswer, ModelRequest, ToolDefinition } from './dialogue.ts';
import { overlap, shorten, withoutFinalStop, words } from './wording.ts';

/** The tool that a step tells to use by its name. */
export function toolNamedIn(step: BriefStep, tools: ToolDefinition[]): ToolDefinition | undefined {
  return tools.find(({ name }) => step.instruction.split(/[^\w-]+/).includes(name));
}

/** Whether the tool was used before: in the messages, or by what the brief tells of earlier turns. */
export function wasUsed(tool: ToolDefinition, request: ModelRequest): boolean {
  const isInMessages = request.turns.some(
    (turn) => turn.role === 'assistant' && turn.toolCalls.some(({ name }) => name === tool.name),
  );
  return isInMessages || request.instructions.includes(`\n- ${tool.name} {`);
}

export function useOwnTool(tool: ToolDefinition, said: string): ModelAnswer {
  return { text: null, toolCalls: [callAnyTool(tool, said)] };
}

/** A tool's answer, said in a sentence or two. */
export function sayResult(result: string): string {
  let value: unknown;
  try {
    value = JSON.parse(result);
  } catch {
    return 'I am sorry, I could not look that up. Is that all right?';
  }
  const facts = typeof value === 'object' && value !== null ? Object.values(value) : [value];
  const told = facts.filter((fact) => typeof fact === 'string' || typeof fact === 'number').join(', ');
  return `I looked it up: ${withoutFinalStop(shorten(told, 160))}. Is that all right?`;
}

const MENU_ENTRIES = [
  /press (?<key>\d|star|pound|hash)[,:]? (?:for|to) (?<what>[^.,;]+)/giu,
  /(?:for|to) (?<what>[^.,;]+?),? (?:please )?press (?<key>\d|star|pound|hash)\b/giu,
];
const KEYS: Record<string, string> = { star: '*', pound: '#', hash: '#' };
const SOMEBODY =
  /\b(?:reception|operator|front desk|representative|speak|somebody|someone|agent|anything else)\b/i;

/** The key of a recorded menu that leads on: to what the call is about, else to somebody who can help. */
export function menuKey(heard: string, brief: Brief): string | undefined {
  const entries = MENU_ENTRIES.flatMap((pattern) => [...heard.matchAll(pattern)]).map(({ groups }) => ({
    key: KEYS[(groups?.key ?? '').toLowerCase()] ?? groups?.key ?? '',
    what: groups?.what ?? '',
  }));
  const fitting = entries.filter(
    ({ what }) => words(what).length > 0 && overlap(what, brief.objective) >= 0.5,
  );
  return (fitting[0] ?? entries.find(({ what }) => SOMEBODY.test(what)) ?? entries[0])?.key;
}
