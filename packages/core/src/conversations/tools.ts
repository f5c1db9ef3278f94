import * as z from 'zod';
import type { ModelTool, ModelToolCall } from '../ports/language-model.ts';

/** What the model may do on a call besides talking. Nothing else: a callee's words can add no tool. */
export const conversationTools: readonly ModelTool[] = [
  {
    name: 'end_call',
    description:
      'Hangs up after what you said was spoken. Use it when the objective is settled or the person wants to end the call, together with a short goodbye.',
    input: z.strictObject({ reason: z.string().describe('Why the call ends, in a few words') }),
  },
  {
    name: 'note_opt_out',
    description:
      'Records that the person wants no more calls, confirms it to them and hangs up. Use it as soon as they ask, in whatever words.',
    input: z.strictObject({}),
  },
];

export type ToolEffect = 'end-call' | 'opt-out';

const effects: Readonly<Record<string, ToolEffect>> = { end_call: 'end-call', note_opt_out: 'opt-out' };

/** What a tool call amounts to: an effect on the call, or an answer to the model that says what was wrong. */
export function readToolCall(
  call: ModelToolCall,
): { readonly effect: ToolEffect } | { readonly answer: string } {
  const tool = conversationTools.find(({ name }) => name === call.name);
  const effect = effects[call.name];
  if (!tool || !effect) {
    const names = conversationTools.map(({ name }) => name).join(' and ');
    return { answer: `There is no such tool. You have ${names}; go on talking if neither fits.` };
  }
  let input: unknown;
  try {
    input = JSON.parse(call.arguments === '' ? '{}' : call.arguments);
  } catch {
    return { answer: 'The arguments were not JSON. Call the tool again with a JSON object.' };
  }
  const parsed = tool.input.safeParse(input);
  if (!parsed.success) return { answer: `The arguments were refused. ${z.prettifyError(parsed.error)}` };
  return { effect };
}
