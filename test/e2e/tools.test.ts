import type { CallDetail, WorkflowDefinitionInput } from '@callkite/contract';
import { defineTool } from '@callkite/core';
import { defineCallee } from '@callkite/twilio-emulator';
import { afterAll, beforeAll, expect, it } from 'vitest';
import * as z from 'zod';
import { type Embedded, eventually, startEmbedded } from '../embedded.ts';

const uses: { input: unknown; idempotencyKey: string }[] = [];
const findParking = defineTool({
  name: 'find_parking',
  description: 'Tells where the person can park.',
  input: z.object({ vehicle: z.enum(['car', 'bicycle']).nullable() }),
  handler({ input, idempotencyKey }) {
    uses.push({ input, idempotencyKey });
    return { place: 'behind the house' };
  },
});
const neverAnswers = defineTool({
  name: 'book_taxi',
  description: 'Books a taxi.',
  input: z.object({}),
  handler: () => new Promise(() => {}),
  deadlineMs: 50,
});

/** Lets the agent talk for as long as it likes. */
const patient = defineCallee({
  name: 'patient',
  description: 'Listens to everything before answering',
  numbers: ['+12025550171', '+12025550172'],
  async converse(line) {
    await line.wait(120_000);
    await line.say('Thank you, goodbye.');
    await line.wait(20_000);
  },
});

let embedded: Embedded;
beforeAll(async () => {
  embedded = await startEmbedded({
    emulator: { callees: [patient] },
    callkite: { tools: [findParking, neverAnswers] },
  });
});
afterAll(() => embedded.stop());

async function call(to: string, definition: WorkflowDefinitionInput): Promise<CallDetail> {
  const workflow = await embedded.request('POST', '/workflows', { name: 'Tools', definition });
  expect(workflow.status, await workflow.clone().text()).toBe(201);
  const { id } = (await workflow.json()) as { id: string };
  await embedded.request('POST', '/call', { workflow_id: id, recipient_phone: to });
  const listed = await embedded.request('GET', `/calls?workflow_id=${id}`);
  const { calls } = (await listed.json()) as { calls: { call_id: string }[] };
  return eventually('the result', async () => {
    const found = (await (await embedded.request('GET', `/calls/${calls[0]?.call_id}`)).json()) as CallDetail;
    return found.call_summary === null ? null : found;
  });
}

const objective = 'Remind the person of the appointment and tell them how to get there.';
const step = (instruction: string) => ({ title: 'Help', instruction });
const question = step('Ask whether somebody will come to the appointment.');

it('the agent uses a tool of the server, once, and says what it found', async () => {
  const result = await call('+12025550171', {
    objective,
    steps: [step('Use find_parking and tell them where to park.')],
    tools: ['find_parking'],
  });
  expect(uses).toEqual([
    { input: { vehicle: null }, idempotencyKey: expect.stringMatching(`^${result.call_id}/`) },
  ]);
  expect(result.messages.map(({ content }) => content).join('\n')).toContain('behind the house');
  expect(result.tool_calls).toEqual([
    { name: 'find_parking', status: 'ok', at: expect.any(String), duration_ms: expect.any(Number) },
  ]);
});

it('a tool that does not answer is told to the model, and the call goes on', async () => {
  const result = await call('+12025550172', {
    objective,
    steps: [step('Use book_taxi and tell them when it comes.')],
    tools: ['book_taxi'],
  });
  expect(result).toMatchObject({
    call_status: 'success',
    tool_calls: [{ name: 'book_taxi', status: 'failed' }],
  });
  expect(result.messages.map(({ content }) => content).join('\n')).toContain('could not look that up');
});

it('a workflow cannot name a tool the server does not have', async () => {
  const definition = { objective, tools: ['find_parking', 'transfer_money'] };
  const response = await embedded.request('POST', '/workflows', { name: 'Tools', definition });
  expect(response.status).toBe(400);
  expect(await response.json()).toMatchObject({
    details: { issues: [{ path: 'definition.tools.1', message: expect.any(String) }] },
  });
});

it('the agent finds its way through a phone menu, where the workflow allows keys', async () => {
  const result = await call('+12025550140', { objective, steps: [question], abilities: { keypad: true } });
  expect(result.messages).toContainEqual({ role: 'assistant', content: '(pressed 2)' });
  expect(result.messages).toContainEqual({ role: 'user', content: 'Reception, this is Jordan speaking.' });
  expect(result.call_status).toBe('success');
  const [record] = embedded.twilioEmulator.calls().filter(({ to }) => to === '+12025550140');
  expect(record?.digits).toMatchObject([{ by: 'agent', digits: '2' }]);
});

it('and presses none where it does not', async () => {
  const result = await call('+12025550140', {
    objective,
    steps: [question],
    endRules: { maximumDurationSeconds: 30, silenceSeconds: 3 },
  });
  expect(result.messages.some(({ content }) => content.startsWith('(pressed'))).toBe(false);
});
