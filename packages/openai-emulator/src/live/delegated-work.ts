import { readBrief } from '../model/brief.ts';
import { calleeIntent } from '../model/callee-intent.ts';
import type { ModelRequest, ToolDefinition } from '../model/dialogue.ts';
import { answerFromFacts } from '../model/fact-lookup.ts';
import { phrasesFor } from '../model/phrases.ts';

/**
 * What a live model leaves to its application. It has no tools of its own: where it would use one of these, work is
 * delegated, and what the work is shows in the transcripts only.
 */
export const delegatedTools: ToolDefinition[] = ['end_call', 'opt_out', 'transfer_call'].map((name) => ({
  name,
  description: '',
  parameters: { type: 'object', properties: {}, required: [], additionalProperties: false },
  strict: false,
}));

/** Whether the last thing that was said is a question which the brief does not answer. */
export function asksBackend(request: ModelRequest): boolean {
  const last = request.turns.at(-1);
  const brief = readBrief(request.instructions);
  if (last?.role !== 'user' || !brief || calleeIntent(last.text) !== 'question') return false;
  return answerFromFacts(last.text, brief, phrasesFor(brief.language)) === undefined;
}
