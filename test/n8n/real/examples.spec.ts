import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { eventually } from '../../embedded.ts';
import type { N8nWorkflow } from './n8n-api.ts';
import { startWorld, type World } from './world.ts';

let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world.stop());

/** An example as it is after an import, with what its note asks to choose. */
function example(file: string, choices: Record<string, Record<string, unknown>>): N8nWorkflow {
  const url = new URL(`../../../examples/n8n/${file}`, import.meta.url);
  const workflow = JSON.parse(readFileSync(url, 'utf8')) as N8nWorkflow;
  return {
    ...workflow,
    nodes: workflow.nodes.map((node) => {
      const chosen = choices[node.name];
      if (!chosen) return node;
      return { ...node, credentials: world.credentials, parameters: { ...node.parameters, ...chosen } };
    }),
  };
}

describe('the examples', () => {
  it('appointment-reminders: rings each row of the sheet once', async () => {
    const workflow = example('appointment-reminders.json', {
      'Place Reminder': { workflowId: { __rl: true, mode: 'list', value: world.callkite.workflowId } },
    });
    const execution = await world.api.run(workflow, 'Every Morning');
    expect(execution.status).toBe('success');
    expect(execution.items('Placed')).toHaveLength(2);
    await world.allOver();
    expect(['+12025550100', '+12025550105'].map(world.rings)).toEqual([1, 1]);
    expect(world.callkite.twilioEmulator.calls()).toHaveLength(2);
  });

  it('call-from-chat: rings whom the message names, and answers in the chat', async () => {
    const saved = await world.api.save(example('call-from-chat.json', { 'Call and Wait': {} }));
    await world.api.activate(saved);
    const chat = saved.nodes.find(({ name }) => name === 'Chat Message');
    const sessionId = crypto.randomUUID();
    const answer = await fetch(`${world.n8n.url}/webhook/${chat?.webhookId}/chat`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        action: 'sendMessage',
        sessionId,
        chatInput: '+12025550102 Ask whether the cake for Sunday can be picked up at nine',
      }),
    });
    const { executionId } = (await answer.json()) as { executionId: string };
    const said: string[] = [];
    const address = `${world.n8n.url.replace('http', 'ws')}/chat?sessionId=${sessionId}&executionId=${executionId}&isPublic=true`;
    const socket = new WebSocket(address);
    socket.on('message', (data) => {
      const text = String(data);
      if (text === 'n8n|heartbeat') socket.send('n8n|heartbeat-ack');
      else said.push(text);
    });
    const execution = await world.api.end(executionId);
    socket.terminate();
    expect(execution.status).toBe('success');
    expect(execution.items('Call and Wait')).toMatchObject([
      { call_status: 'success', result_received: true },
    ]);
    const summary = String(execution.items('Call and Wait')[0]?.call_summary);
    expect(said.join('\n')).toContain(summary);
    expect(world.rings('+12025550102')).toBe(1);
    await world.api.deactivate(saved);
  });

  it('completed-calls-to-crm: each completed call becomes one row', async () => {
    const { id: projectId } = await world.api.ask<{ id: string }>('GET', '/projects/personal');
    const columns = ['call_id', 'phone', 'name', 'outcome', 'summary', 'called_at'];
    const table = await world.api.ask<{ id: string }>('POST', `/projects/${projectId}/data-tables`, {
      name: 'Calls',
      columns: columns.map((name) => ({ name, type: 'string' })),
    });
    const saved = await world.api.save(
      example('completed-calls-to-crm.json', {
        'Call Completed': { workflowIds: [world.callkite.workflowId] },
      }),
    );
    await world.api.activate(saved);
    await world.callkite.request('POST', '/call', {
      recipient_phone: '+12025550104',
      recipient_name: 'Jordan Avery',
      workflow_id: world.callkite.workflowId,
    });
    const rows = await eventually('the row', async () => {
      const { data } = await world.api.ask<{ data: object[] }>(
        'GET',
        `/projects/${projectId}/data-tables/${table.id}/rows`,
      );
      return data.length > 0 && data;
    });
    expect(rows).toMatchObject([{ phone: '+12025550104', name: 'Jordan Avery', outcome: 'success' }]);
    expect(world.rings('+12025550104')).toBe(1);
    await world.api.deactivate(saved);
  });
});
