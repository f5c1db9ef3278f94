import * as z from 'zod';
import type { ModelTool, ModelToolCall } from '../ports/language-model.ts';

/** How often tools are used, and the model asked again, for one answer. */
export const maximumToolRounds = 5;

export type ToolEffect = 'end-call' | 'opt-out' | 'transfer';

const effectsByWeight: readonly ToolEffect[] = ['opt-out', 'transfer', 'end-call'];

/** The effect that counts, when the model asks for several. */
export function highestPriority(wanted: readonly ToolEffect[]): ToolEffect | undefined {
  return effectsByWeight.find((effect) => wanted.includes(effect));
}

/**
 * What using a tool amounts to: an effect on the call, an answer that the model goes on from, or nothing to say: the
 * turn is over and the callee's side is waited for.
 */
export type ToolOutcome =
  | { readonly effect: ToolEffect }
  | { readonly answer: string }
  | { readonly nothingToSay: true };

/** Where in the call a tool is used; the same again when a turn is taken again after a crash. */
export interface ToolUse {
  /** How many times the callee has spoken. */
  readonly turn: number;
  /** From 0 within the turn. */
  readonly index: number;
}

/** A tool of one call. Never rejects: what goes wrong is told to the model in words. */
export interface ConversationTool extends ModelTool {
  run(input: unknown, use: ToolUse): Promise<ToolOutcome>;
}

/**
 * A tool that is run with valid input only; input that is not valid is refused in words.
 * @param spec.accepts what is accepted, where that is more than the model is told to give @default `spec.input`
 */
export function conversationTool<Input extends z.ZodObject, Accepted extends z.ZodType = Input>(spec: {
  name: string;
  description: string;
  input: Input;
  accepts?: Accepted;
  run: (input: z.output<Accepted>, use: ToolUse) => ToolOutcome | Promise<ToolOutcome>;
}): ConversationTool {
  const { name, description, input } = spec;
  return {
    name,
    description,
    input,
    async run(given, use) {
      const accepts: z.ZodType = spec.accepts ?? input;
      const { data, error } = accepts.safeParse(given);
      if (error) return { answer: `The arguments were refused. ${z.prettifyError(error)}` };
      // `data` is what `Accepted` gives: that schema, or the one that stands for it, has just made it.
      return spec.run(data as z.output<Accepted>, use);
    },
  };
}

/**
 * What the agent may do on every call.
 * @param noted what comes of a wish not to be called again
 */
export const builtInTools = (noted: () => ToolOutcome): readonly ConversationTool[] => [
  conversationTool({
    name: 'end_call',
    description:
      'Hangs up after what you said was spoken. Use it when the objective is settled or the person wants to end the call, together with a short goodbye.',
    input: z.strictObject({ reason: z.string().describe('Why the call ends, in a few words') }),
    run: () => ({ effect: 'end-call' }),
  }),
  conversationTool({
    name: 'note_opt_out',
    description:
      'Has the person asked whether they want no more calls; if they say yes, that is recorded and the call ends. Use it as soon as they ask for it, in whatever words, and say nothing yourself.',
    input: z.strictObject({}),
    // Whatever comes with it, the wish is the callee's.
    accepts: z.unknown(),
    run: noted,
  }),
];

/**
 * Does what the model asks for, if there is a tool for it among those of this call: nothing that is said on the call
 * adds one.
 */
export async function useTool(
  tools: readonly ConversationTool[],
  call: ModelToolCall,
  use: ToolUse,
): Promise<ToolOutcome> {
  const tool = tools.find(({ name }) => name === call.name);
  if (!tool) {
    const names = tools.map(({ name }) => name).join(', ');
    return { answer: `There is no such tool. You have ${names}; go on talking if none fits.` };
  }
  let input: unknown;
  try {
    input = JSON.parse(call.arguments === '' ? '{}' : call.arguments);
  } catch {
    return { answer: 'The arguments were not JSON. Call the tool again with a JSON object.' };
  }
  return tool.run(input, use);
}
