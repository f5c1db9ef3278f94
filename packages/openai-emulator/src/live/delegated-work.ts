import { readBrief } from '../model/brief.ts';
import { calleeIntent } from '../model/callee-intent.ts';
import type { ModelAnswer, ModelRequest, ToolDefinition } from '../model/dialogue.ts';
import { answerFromFacts } from '../model/fact-lookup.ts';
import { answer } from '../model/model.ts';
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
function asksBackend(request: ModelRequest): boolean {
  const last = request.turns.at(-1);
  const brief = readBrief(request.instructions);
  if (last?.role !== 'user' || !brief || calleeIntent(last.text) !== 'question') return false;
  return answerFromFacts(last.text, brief, phrasesFor(brief.language)) === undefined;
}

/** What a live model says and calls: a question it cannot answer is work to delegate. */
export function liveAnswer(request: ModelRequest): ModelAnswer {
  if (!asksBackend(request)) return answer(request);
  return { text: null, toolCalls: [{ name: 'answer_question', arguments: {} }] };
}
