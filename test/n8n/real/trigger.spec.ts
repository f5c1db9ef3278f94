import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../../embedded.ts';
import type { N8nWorkflow } from './n8n-api.ts';
import { startWorld, type World } from './world.ts';

let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world.stop());

const workflowWith = (parameters: Record<string, unknown>): N8nWorkflow => ({
  name: 'trigger',
  nodes: [
    {
      ...world.node('Call Completed', { registration: 'automatic', ...parameters }),
      type: 'n8n-nodes-callkite.callkiteTrigger',
    },
    { name: 'After', type: 'n8n-nodes-base.noOp', typeVersion: 1, parameters: {} },
  ],
  connections: { 'Call Completed': { main: [[{ node: 'After', type: 'main', index: 0 }]] } },
});
const ask = async <Answer>(path: string) =>
  (await world.callkite.request('GET', path)).json() as Promise<Answer>;
const integrations = async () =>
  (await ask<{ webhooks: { id: string; url: string }[] }>('/webhooks')).webhooks;
const attached = async () => {
  const path = `/workflows/${world.callkite.workflowId}`;
  return (await ask<{ definition: { metadata: { webhooks?: string[] } } }>(path)).definition.metadata
    .webhooks;
};
const place = (recipient_phone: string) =>
  world.callkite.request('POST', '/call', { recipient_phone, workflow_id: world.callkite.workflowId });

describe('the trigger', () => {
  it('registers itself, starts the workflow once per completed call, and removes itself', async () => {
    const saved = await world.api.save(
      workflowWith({ workflowIds: [world.callkite.workflowId], callStatuses: ['success'] }),
    );
    await world.api.activate(saved);
    const [integration] = await integrations();
    expect(integration?.url).toMatch(/\/webhook\/[-\w]+\/webhook$/);
    expect(await attached()).toEqual([integration?.id]);

    await place('+12025550111');
    await place('+12025550102');
    const delivered = await eventually('both deliveries', async () => {
      const path = `/webhooks/${integration?.id}/deliveries`;
      const { deliveries } = await ask<{ deliveries: { id: string; status: string }[] }>(path);
      return (
        deliveries.length === 2 && deliveries.every(({ status }) => status === 'delivered') && deliveries
      );
    });
    for (const { id } of delivered) {
      expect((await world.callkite.request('POST', `/deliveries/${id}/resend`)).status).toBe(202);
    }
    await eventually('both repetitions', async () => {
      const { deliveries } = await ask<{ deliveries: { status: string; attempt_count: number }[] }>(
        '/deliveries',
      );
      return deliveries.every(({ status, attempt_count }) => status === 'delivered' && attempt_count === 2);
    });
    const ids = await world.api.executionIds(saved.id);
    expect(ids).toHaveLength(1);
    const execution = await world.api.end(ids[0] ?? '');
    expect(execution).toMatchObject({ status: 'success', mode: 'webhook' });
    expect(execution.items('After')).toMatchObject([
      { call_status: 'success', phone_number_to: '+12025550102', context: { number: '+12025550102' } },
    ]);

    const forged = await fetch(integration?.url ?? '', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"call_id":"call_forged","call_status":"success"}',
    });
    expect(forged.status).toBe(401);

    await world.api.deactivate(saved);
    expect(await integrations()).toEqual([]);
    expect(await attached()).toEqual([]);
  });

  it('keeps its registration over a restart of n8n', async () => {
    const saved = await world.api.save(workflowWith({ workflowIds: [world.callkite.workflowId] }));
    await world.api.activate(saved);
    const before = await integrations();
    await world.n8n.restart('SIGTERM');
    expect(await integrations()).toEqual(before);
    await place('+12025550120');
    const id = await eventually('the execution', async () => (await world.api.executionIds(saved.id))[0]);
    expect((await world.api.end(id)).items('After')).toMatchObject([{ call_status: 'voicemail' }]);
    await world.api.deactivate(saved);
    expect(await integrations()).toEqual([]);
  });

  it('listens for one call when it is tested in the editor, with a registration of its own', async () => {
    const saved = await world.api.save(workflowWith({ workflowIds: [world.callkite.workflowId] }));
    expect(await world.api.start(saved, 'Call Completed')).toBeUndefined();
    expect(await integrations()).toMatchObject([{ url: expect.stringContaining('/webhook-test/') }]);
    await place('+12025550102');
    const id = await eventually('the execution', async () => (await world.api.executionIds(saved.id))[0]);
    const execution = await world.api.end(id);
    expect(execution).toMatchObject({ status: 'success', mode: 'manual' });
    expect(execution.items('After')).toMatchObject([{ phone_number_to: '+12025550102' }]);
    await eventually('the removal', async () => (await integrations()).length === 0);
    expect(await attached()).toEqual([]);
  });

  it('does not become active without a workflow to listen to, and says so', async () => {
    const saved = await world.api.save(workflowWith({ workflowIds: [] }));
    await expect(world.api.activate(saved)).rejects.toThrow('No Callkite workflow is chosen');
  });
});
