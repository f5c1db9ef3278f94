import { expect, it } from 'vitest';
import * as z from 'zod';
import { conversationTool, type ToolUse } from '../tools/tools.ts';
import { turnTools } from './turn-tools.ts';

const call = (id: string) => ({ id, name: 'look', arguments: '{}' });

/** A tool whose use takes until it is let go, and the turns of a callee who may speak meanwhile. */
function stage() {
  const uses: ToolUse[] = [];
  const letGo: (() => void)[] = [];
  const turns = { count: 1, known: async () => {} };
  let isOver = false;
  const look = conversationTool({
    name: 'look',
    description: 'Looks',
    input: z.object({}),
    async run(_input, use) {
      uses.push(use);
      await new Promise<void>((resolve) => letGo.push(resolve));
      return { answer: 'seen' };
    },
  });
  const tools = turnTools({ tools: [look], turns, isOver: () => isOver });
  return {
    uses,
    turns,
    tools,
    async next() {
      await new Promise((resolve) => setImmediate(resolve));
      letGo.shift()?.();
      await new Promise((resolve) => setImmediate(resolve));
    },
    end() {
      isOver = true;
    },
  };
}

it('no two uses of tools are taken for the same one, also when the callee speaks in between', async () => {
  const { uses, turns, tools, next } = stage();
  const answers: string[] = [];
  const first = tools.use([call('a'), call('b')], (id) => answers.push(id));
  await next();
  turns.count = 2;
  tools.newTurn();
  const second = tools.use([call('c')], (id) => answers.push(id));
  await next();
  await next();
  expect((await first).isStale).toBe(true);
  expect((await second).isStale).toBe(false);
  expect(answers.toSorted()).toEqual(['a', 'b', 'c']);
  expect(uses.map(({ turn, index }) => `${turn} ${index}`).toSorted()).toEqual(['1 0', '1 1', '2 0']);
});

it('tools that are left when the call is over are not used', async () => {
  const { uses, tools, next, end } = stage();
  const used = tools.use([call('a'), call('b')], () => {});
  await new Promise((resolve) => setImmediate(resolve));
  end();
  await next();
  await used;
  expect(uses).toHaveLength(1);
});
