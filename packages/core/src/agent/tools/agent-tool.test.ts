import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { type AgentTool, checkAgentTools, defineTool } from './agent-tool.ts';

const tool = (change: Partial<AgentTool> = {}): AgentTool => ({
  ...defineTool({
    name: 'find_order',
    description: 'Tells where an order is.',
    input: z.object({ number: z.string(), note: z.string().nullable() }),
    handler: ({ input }) => input.number,
  }),
  ...change,
});

describe('tools that embedders add', () => {
  it('are taken when a model can be offered them', () => {
    const nested = z.object({ items: z.array(z.object({ name: z.string() })) });
    expect(() => checkAgentTools([tool(), tool({ name: 'other', input: nested })])).not.toThrow();
  });

  it.each([
    ['a name that is no name', [tool({ name: 'Find order' })]],
    ['a name of our own', [tool({ name: 'end_call' })]],
    ['a name that is taken', [tool(), tool()]],
    ['an optional field', [tool({ input: z.object({ number: z.string().optional() }) })]],
    [
      'a nested optional field',
      [tool({ input: z.object({ a: z.array(z.object({ b: z.int().optional() })) }) })],
    ],
    ['a record', [tool({ input: z.object({ all: z.record(z.string(), z.string()) }) })]],
    ['a transform', [tool({ input: z.object({ when: z.string().transform(Number) }) })]],
  ])('are refused for %s', (_why, tools) => {
    expect(() => checkAgentTools(tools)).toThrow(expect.objectContaining({ code: 'validation_failed' }));
  });
});
