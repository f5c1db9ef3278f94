import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../../embedded.ts';
import { chain, startWorld, type World, withItems } from './world.ts';

let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world.stop());

const callAndWait = (recipientPhone: string, parameters: Record<string, unknown> = {}) =>
  world.node('Callkite', {
    resource: 'call',
    operation: 'placeFromPrompt',
    recipientPhone,
    prompt: 'Ask whether the cake for Sunday can be picked up at nine.',
    waitForResult: true,
    waitLimitMinutes: 10,
    ...parameters,
  });
const pass = { name: 'After', type: 'n8n-nodes-base.noOp', typeVersion: 1, parameters: {} };

describe('Wait for Result', () => {
  it('pauses the execution and goes on with the result', async () => {
    const execution = await world.api.run(chain('wait', callAndWait('+12025550102'), pass), 'Start');
    expect(execution.status).toBe('success');
    expect(execution.items('After')).toMatchObject([
      {
        call_status: 'success',
        provider_status: 'completed',
        result_received: true,
        messages: expect.any(Array),
      },
    ]);
    expect(world.rings('+12025550102')).toBe(1);
  });

  it.each([
    ['is stopped', 'SIGTERM', '+12025550101'],
    ['is killed', 'SIGKILL', '+12025550103'],
  ] as const)('survives that n8n %s and started again, in a production run', async (_how, signal, phone) => {
    const trigger = {
      name: 'Start',
      type: 'n8n-nodes-base.webhook',
      typeVersion: 2,
      webhookId: crypto.randomUUID(),
      parameters: { path: signal, httpMethod: 'POST' },
    };
    const { nodes, connections } = chain(signal, callAndWait(phone), pass);
    const saved = await world.api.save({ name: signal, nodes: [trigger, ...nodes.slice(1)], connections });
    await world.api.activate(saved);
    // The result is posted once: it must not meet an n8n that is away.
    world.atTheDoor = () => 'keep';
    await fetch(`${world.n8n.url}/webhook/${signal}`, { method: 'POST' });
    const id = await eventually('the execution', async () => (await world.api.executionIds(saved.id))[0]);
    await world.api.waiting(id);
    const handOver = await eventually('the result', () => world.kept.shift());
    await world.n8n.restart(signal);
    world.atTheDoor = () => 'pass';
    expect((await world.api.execution(id)).status).toBe('waiting');
    expect(await handOver()).toBe(200);
    const execution = await world.api.end(id);
    expect(execution).toMatchObject({ status: 'success', mode: 'webhook' });
    expect(execution.items('After')).toMatchObject([{ call_status: 'success', result_received: true }]);
    expect(world.rings(phone)).toBe(1);
    await world.api.deactivate(saved);
  });

  it('takes items one after the other in a loop', async () => {
    const loop = {
      name: 'Loop',
      type: 'n8n-nodes-base.splitInBatches',
      typeVersion: 3,
      parameters: { options: {} },
    };
    const { nodes } = chain('loop', loop, callAndWait('={{ $json.phone }}'), pass);
    const to = (node: string) => [{ node, type: 'main', index: 0 }];
    const connections = {
      Start: { main: [to('Loop')] },
      Loop: { main: [to('After'), to('Callkite')] },
      Callkite: { main: [to('Loop')] },
    };
    const phones = ['+12025550111', '+12025550105'];
    const items = phones.map((phone) => ({ phone }));
    const execution = await world.api.run(withItems({ name: 'loop', nodes, connections }, ...items), 'Start');
    expect(execution.items('After')).toMatchObject([
      { call_status: 'not_picked_up', provider_status: 'busy', result_received: true },
      { call_status: 'success', result_received: true },
    ]);
    expect(phones.map(world.rings)).toEqual([1, 1]);
  });

  it('says that it takes one item per run', async () => {
    const several = withItems(chain('several', callAndWait('+12025550141')), {}, {});
    const { status, error } = await world.api.run(several, 'Start');
    expect(status).toBe('error');
    expect(error?.message).toContain('one item per run');
    expect(error?.description).toContain('Loop Over Items');
    expect(world.rings('+12025550141')).toBe(0);
  });

  it('is not resumed by a stranger, who knows the address but not the secret', async () => {
    const requests: string[] = [];
    world.atTheDoor = (path) => {
      requests.push(path);
      return 'refuse';
    };
    const saved = await world.api.save(chain('stranger', callAndWait('+12025550120'), pass));
    const id = await world.api.start(saved, 'Start');
    const path = await eventually('the callback', () => requests[0]);
    const post = async (address: string, headers: Record<string, string> = {}) => {
      const answer = await fetch(`${world.n8n.url}${address}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: '{"call_id":"call_of_a_stranger"}',
      });
      return answer.status;
    };
    expect(await post(path)).toBe(401);
    expect(await post(path, { authorization: 'Bearer guess' })).toBe(401);
    expect((await world.api.execution(id)).status).toBe('waiting');
    world.atTheDoor = () => 'pass';
  });

  it('goes on with the item and without a result when the limit passes', async () => {
    world.atTheDoor = () => 'refuse';
    const limited = withItems(chain('limited', callAndWait('+12025550110', { waitLimitMinutes: 1 }), pass), {
      row: 7,
    });
    const execution = await world.api.run(limited, 'Start');
    world.atTheDoor = () => 'pass';
    expect(execution.status).toBe('success');
    expect(execution.items('After')).toMatchObject([
      { row: 7, call_id: expect.stringMatching(/^call_/), result_received: false },
    ]);
    expect(world.rings('+12025550110')).toBe(1);
  });
});
