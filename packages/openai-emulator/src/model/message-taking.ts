import { callAnyTool, findTool } from './call-tools.ts';
import type { CalleeIntent } from './callee-intent.ts';
import type { ModelAnswer, ModelRequest, ToolDefinition } from './dialogue.ts';
import type { Phrases } from './phrases.ts';
import { wasSaid } from './spoken-step.ts';
import { words } from './wording.ts';

const NOBODY_REACHED = /^[[(].*\b(?:nobody|no one)\b.*\b(?:took|answered|reached)\b.*[\])]$/i;
/** An answer as short as this only says that there is a message. */
const SHORT_ANSWER_WORDS = 5;

/** Offers to take a message after a transfer that failed, and takes it; undefined when there is nothing of the kind to do. */
export function takeMessage(
  request: ModelRequest,
  call: {
    tools: ToolDefinition[];
    phrases: Phrases;
    said: string[];
    heard: string;
    intent: CalleeIntent;
  },
): ModelAnswer | undefined {
  const { phrases, heard, intent } = call;
  const tool = findTool(call.tools, 'take_message');
  if (!tool) return undefined;
  const lastSaid = call.said.slice(-1);
  const isOffered = wasSaid(phrases.offerMessage, lastSaid);
  // The agent may have been made to say that it is sorry since the note.
  const lastHeard = request.turns.findLast((turn) => turn.role === 'user')?.text ?? '';
  if (NOBODY_REACHED.test(lastHeard) && !isOffered) return { text: phrases.offerMessage, toolCalls: [] };
  if (request.turns.at(-1)?.role !== 'user') return undefined;
  if (!isOffered && !wasSaid(phrases.askMessage, lastSaid)) return undefined;
  if (/^(?:opt_out|silence|listening|repeat_request|goodbye|decline|negative)$/.test(intent))
    return undefined;
  if (isOffered && intent === 'positive' && words(heard).length <= SHORT_ANSWER_WORDS) {
    return { text: phrases.askMessage, toolCalls: [] };
  }
  return { text: null, toolCalls: [callAnyTool(tool, heard)] };
}
