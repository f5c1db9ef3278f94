import type { ModelToolCall } from '../ports/language-model.ts';
import { type ConversationTool, maximumToolRounds, type ToolEffect, useTool } from '../tools/tools.ts';
import type { CalleeTurns } from './callee-turns.ts';

/** The words a tool call follows from are known a little later than the call. */
const wordsBeforeToolsMs = 1500;

/** Uses tools for a speech model, which asks for them while it hears and speaks. */
export interface TurnTools {
  /** The callee has spoken. */
  newTurn(): void;
  /** The agent is to speak: it may use tools again as often as for an answer. */
  newAnswer(): void;
  /** Takes one of the rounds in which the model goes on from the answers of tools; `false` when there are no more. */
  takeRound(): boolean;
  /**
   * Uses tools one after the other; those that are left when the call is over are not used.
   * `isStale`: the callee spoke meanwhile. `isQuiet`: there is nothing to say about it.
   */
  use(
    calls: readonly ModelToolCall[],
    answer: (toolCallId: string, output: string) => void,
  ): Promise<{
    readonly wanted: readonly ToolEffect[];
    readonly isQuiet: boolean;
    readonly isStale: boolean;
  }>;
}

export function turnTools(options: {
  tools: readonly ConversationTool[];
  turns: Pick<CalleeTurns, 'count' | 'known'>;
  isOver(): boolean;
}): TurnTools {
  const { tools, turns, isOver } = options;
  let index = 0;
  let rounds = maximumToolRounds;

  return {
    newTurn() {
      index = 0;
      rounds = maximumToolRounds;
    },
    newAnswer() {
      rounds = maximumToolRounds;
    },
    takeRound() {
      if (rounds === 0) return false;
      rounds -= 1;
      return true;
    },
    async use(calls, answer) {
      // Kept together: the callee may speak while they are used, and two answers may ask for tools.
      const turn = turns.count;
      const first = index;
      index += calls.length;
      const wanted: ToolEffect[] = [];
      let isQuiet = false;
      await turns.known(wordsBeforeToolsMs);
      for (const [at, call] of calls.entries()) {
        if (isOver()) break;
        const outcome = await useTool(tools, call, { turn, index: first + at });
        if ('effect' in outcome) wanted.push(outcome.effect);
        if ('nothingToSay' in outcome) isQuiet = true;
        const done = turn === turns.count ? 'Done.' : 'Nothing was done: the callee spoke meanwhile.';
        answer(call.id, 'answer' in outcome ? outcome.answer : done);
      }
      return { wanted, isQuiet, isStale: turn !== turns.count };
    },
  };
}
