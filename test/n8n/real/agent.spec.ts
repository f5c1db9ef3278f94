import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { N8nWorkflow } from './n8n-api.ts';
import { scriptedModel } from './scripted-model.ts';
import { startWorld, type World } from './world.ts';

let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world.stop());

const fromAi = (name: string) => `={{ $fromAI('${name}', 'the ${name}', 'string') }}`;

async function agentWorkflow(
  typeVersion: number,
  modelUrl: string,
  tool: Record<string, unknown> = {},
): Promise<N8nWorkflow> {
  const openAiApi = await world.api.ask<{ id: string; name: string }>('POST', '/credentials', {
    name: 'Scripted model',
    type: 'openAiApi',
    data: { apiKey: 'none', url: modelUrl },
  });
  return {
    name: 'agent',
    nodes: [
      { name: 'Start', type: 'n8n-nodes-base.manualTrigger', typeVersion: 1, parameters: {} },
      {
        name: 'Agent',
        type: '@n8n/n8n-nodes-langchain.agent',
        typeVersion,
        parameters: { promptType: 'define', text: 'Call both of them.', options: {} },
      },
      {
        name: 'Model',
        type: '@n8n/n8n-nodes-langchain.lmChatOpenAi',
        typeVersion: 1.2,
        parameters: { model: { __rl: true, mode: 'id', value: 'scripted' }, options: {} },
        credentials: { openAiApi: { id: openAiApi.id, name: openAiApi.name } },
      },
      {
        ...world.node('Phone', {
          resource: 'call',
          operation: 'placeFromPrompt',
          recipientPhone: fromAi('phone'),
          prompt: fromAi('task'),
          ...tool,
        }),
        type: 'n8n-nodes-callkite.callkiteTool',
      },
    ],
    connections: {
      Start: { main: [[{ node: 'Agent', type: 'main', index: 0 }]] },
      Model: { ai_languageModel: [[{ node: 'Agent', type: 'ai_languageModel', index: 0 }]] },
      Phone: { ai_tool: [[{ node: 'Agent', type: 'ai_tool', index: 0 }]] },
    },
  };
}

const task = 'Ask whether Tuesday suits them.';

describe.each([
  ['2.2', 2.2, ['+12025550140', '+12025550141']],
  ['3', 3, ['+12025550142', '+12025550143']],
])('an AI Agent of version %s', (_version, typeVersion, phones) => {
  it('calls several people with the tool, and nobody twice', async () => {
    const [first = '', second = ''] = phones;
    const model = await scriptedModel([first, second, first].map((phone) => ({ phone, task })));
    const execution = await world.api.run(await agentWorkflow(typeVersion, model.url), 'Start');
    await model.close();
    expect(execution).toMatchObject({ status: 'success' });
    expect(execution.items('Agent')).toMatchObject([{ output: 'Done.' }]);
    expect(JSON.stringify(model.requests.at(-1)?.messages)).toContain('call_id');
    const offered = model.requests[0]?.tools?.[0]?.function.parameters.properties ?? {};
    expect(Object.keys(offered).sort()).toEqual(['phone', 'task']);
    await world.allOver();
    expect(phones.map(world.rings)).toEqual([1, 1]);
  });

  it('goes on without waiting: Wait for Result is not there for a tool', async () => {
    const phone = typeVersion === 3 ? '+12025550148' : '+12025550149';
    const model = await scriptedModel([{ phone, task }]);
    const waiting = { waitForResult: true, waitLimitMinutes: 1 };
    const execution = await world.api.run(await agentWorkflow(typeVersion, model.url, waiting), 'Start');
    await model.close();
    expect(execution.status).toBe('success');
    await world.allOver();
    expect(world.rings(phone)).toBe(1);
  });
});
