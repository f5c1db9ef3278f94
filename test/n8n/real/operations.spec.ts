import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { chain, startWorld, type World, withItems } from './world.ts';

let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world.stop());

const credential = (apiKey: string) => ({
  ...world.credentials.callkiteApi,
  type: 'callkiteApi',
  data: { apiKey, baseUrl: world.callkite.url },
});
const locator = (value: string) => ({ __rl: true, mode: 'list', value });
const place = (parameters: Record<string, unknown>, settings?: Record<string, unknown>) =>
  world.node(
    'Callkite',
    { resource: 'call', operation: 'place', workflowId: locator(world.callkite.workflowId), ...parameters },
    settings,
  );
const runNode = (parameters: Record<string, unknown>) =>
  world.api.run(chain('one node', world.node('Callkite', parameters)), 'Start');

describe('the credential', () => {
  it('is tested with a right and with a wrong key', async () => {
    const test = (apiKey: string) =>
      world.api.ask('POST', '/credentials/test', { credentials: credential(apiKey) });
    expect(await test(world.callkite.liveKey)).toMatchObject({ status: 'OK' });
    expect(await test('ck_live_wrong')).toMatchObject({ status: 'Error' });
  });
});

describe('the list of workflows', () => {
  const request = (methodName: string, extra: object = {}) => ({
    path: 'parameters.workflowId',
    methodName,
    currentNodeParameters: {},
    credentials: world.credentials,
    ...extra,
  });

  it('is searched by the locator of the node', async () => {
    const search = (filter: string) =>
      world.api.ask('POST', '/dynamic-node-parameters/resource-locator-results', {
        ...request('searchWorkflows', { filter }),
        nodeTypeAndVersion: { name: 'n8n-nodes-callkite.callkite', version: 1 },
      });
    const found = [{ name: 'Appointment reminder', value: world.callkite.workflowId }];
    expect(await search('appoint')).toMatchObject({ results: found });
    expect(await search('nothing like it')).toMatchObject({ results: [] });
  });

  it('is offered by the trigger', async () => {
    const options = await world.api.ask('POST', '/dynamic-node-parameters/options', {
      ...request('getWorkflows', { path: 'parameters.workflowIds' }),
      nodeTypeAndVersion: { name: 'n8n-nodes-callkite.callkiteTrigger', version: 1 },
    });
    expect(options).toEqual([{ name: 'Appointment reminder', value: world.callkite.workflowId }]);
  });
});

describe('each operation', () => {
  it('Place, with expressions in every field, rings once per item', async () => {
    const node = place({
      workflowId: { __rl: true, mode: 'id', value: '={{ $json.workflow }}' },
      recipientPhone: '={{ $json.phone }}',
      additionalFields: {
        recipient_name: '={{ $json.name }}',
        recipient_context: '={{ { appointment: $json.at } }}',
        recipient_email: '={{ $json.name.toLowerCase() }}@example.com',
      },
    });
    const rows = ['+12025550140', '+12025550141'].map((phone, index) => ({
      phone,
      name: ['Jordan', 'Robin'][index],
      at: '3 pm',
      workflow: world.callkite.workflowId,
    }));
    const execution = await world.api.run(withItems(chain('place', node), ...rows), 'Start');
    expect(execution.status).toBe('success');
    const placed = execution.items('Callkite');
    expect(placed).toMatchObject([{ success: true }, { success: true }]);
    await world.allOver();
    expect(rows.map(({ phone }) => world.rings(phone))).toEqual([1, 1]);
    const answer = await world.callkite.request('GET', `/calls/${placed[1]?.call_id}`);
    expect(await answer.json()).toMatchObject({
      phone_number_to: '+12025550141',
      recipient_name: 'Robin',
      recipient_email: 'robin@example.com',
      recipient_context: '{"appointment":"3 pm"}',
    });
  });

  it('Place From Prompt, then Get, Get Many and Cancel of that call', async () => {
    const placed = await runNode({
      resource: 'call',
      operation: 'placeFromPrompt',
      recipientPhone: '+12025550101',
      prompt: 'Ask whether they are open on Sunday.',
    });
    const [call] = placed.items('Callkite');
    expect(call).toMatchObject({ success: true, call_id: expect.stringMatching(/^call_/) });
    const callId = call?.call_id;
    const canceled = await runNode({ resource: 'call', operation: 'cancel', callId });
    expect(canceled.items('Callkite')).toMatchObject([{ call_id: callId, cancel_requested: true }]);
    await world.allOver();
    expect(world.rings('+12025550101')).toBeLessThanOrEqual(1);
    const got = await runNode({ resource: 'call', operation: 'get', callId });
    expect(got.items('Callkite')).toMatchObject([{ call_id: callId, state: 'completed', messages: [] }]);
    const listed = await runNode({
      resource: 'call',
      operation: 'getMany',
      returnAll: true,
      filters: { to: '+12025550101', created_after: '2026-01-01T00:00:00' },
    });
    expect(listed.items('Callkite')).toMatchObject([{ call_id: callId }]);
  });

  it('Workflow: Get Many and Get', async () => {
    const listed = await runNode({ resource: 'workflow', operation: 'getMany', returnAll: true });
    const { workflowId } = world.callkite;
    expect(listed.items('Callkite')).toContainEqual({ id: workflowId, name: 'Appointment reminder' });
    const got = await runNode({ resource: 'workflow', operation: 'get', workflowId: locator(workflowId) });
    expect(got.items('Callkite')).toMatchObject([{ id: workflowId, version: 1 }]);
  });
});

describe('what goes wrong', () => {
  const rows = [{ phone: '+12025550142' }, { phone: '2025550142' }];

  it('shows the words of the server, what to do next, and the item', async () => {
    const { status, error } = await world.api.run(
      withItems(chain('failing', place({ recipientPhone: '={{ $json.phone }}' })), ...rows),
      'Start',
    );
    expect(status).toBe('error');
    expect(error?.message).toContain('E.164');
    expect(error?.description).toContain('with + and country code');
    expect(error?.context?.itemIndex).toBe(1);
    await world.allOver();
    expect(world.rings('+12025550142')).toBe(1);
  });

  it('names the fields that did not validate', async () => {
    const node = place({ recipientPhone: '+12025550143', additionalFields: { recipient_email: 'jordan' } });
    const { error } = await world.api.run(chain('invalid', node), 'Start');
    expect(error?.message).toBe('Validation failed');
    expect(error?.description).toContain('recipient_email');
    expect(world.rings('+12025550143')).toBe(0);
  });

  it('does not ring again when Retry On Fail runs the node again', async () => {
    const node = place(
      { recipientPhone: '={{ $json.phone }}' },
      { retryOnFail: true, maxTries: 3, waitBetweenTries: 100 },
    );
    const failing = [{ phone: '+12025550144' }, { phone: '12025550144' }];
    const { status } = await world.api.run(withItems(chain('retried', node), ...failing), 'Start');
    expect(status).toBe('error');
    await world.allOver();
    expect(world.rings('+12025550144')).toBe(1);
  });

  it.each([
    ['the error output, with the fields of its item', 'continueErrorOutput', 1],
    ['the only output', 'continueRegularOutput', 0],
  ])('leaves by %s', async (_where, onError, output) => {
    const phone = output === 1 ? '+12025550145' : '+12025550146';
    const node = place({ recipientPhone: '={{ $json.phone }}' }, { onError });
    const mixed = [
      { phone: 'nobody', row: 1 },
      { phone, row: 2 },
    ];
    const execution = await world.api.run(withItems(chain('mixed', node), ...mixed), 'Start');
    expect(execution.status).toBe('success');
    const refused = { error: expect.stringMatching(/E\.164.+ \| Give the number with \+/) };
    expect([...execution.items('Callkite', 1), ...execution.items('Callkite')]).toMatchObject([
      output === 1 ? { ...refused, row: 1 } : refused,
      { success: true },
    ]);
    await world.allOver();
    expect(world.rings(phone)).toBe(1);
  });
});
