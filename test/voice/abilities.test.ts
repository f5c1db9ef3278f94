import { defineTool } from '@callkite/core';
import type { CallDetail, WorkflowDefinitionInput } from '@callkite/core/contract';
import { defineCallee } from '@callkite/twilio-emulator';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import * as z from 'zod';
import { type Embedded, eventually, startEmbedded } from '../embedded.ts';

// Calls take their time.
vi.setConfig({ testTimeout: 120_000 });

const findParking = defineTool({
  name: 'find_parking',
  description: 'Tells where the person can park.',
  input: z.object({ vehicle: z.enum(['car', 'bicycle']).nullable() }),
  handler: () => ({ place: 'behind the house' }),
});

/** Lets the agent talk for as long as it likes. */
const patient = defineCallee({
  name: 'patient',
  description: 'Listens to everything before answering',
  numbers: ['+12025550171'],
  async converse(line) {
    await line.wait(30_000);
    await line.say('Thank you, goodbye.');
    await line.wait(10_000);
  },
});

let embedded: Embedded;
beforeAll(async () => {
  embedded = await startEmbedded({
    speed: 4,
    emulator: { callees: [patient] },
    callkite: { voiceMode: 'realtime', tools: [findParking] },
  });
});
afterAll(() => embedded.stop());

async function created(path: string, body: object): Promise<string> {
  const response = await embedded.request('POST', path, body);
  expect(response.status, await response.clone().text()).toBe(201);
  return ((await response.json()) as { id: string }).id;
}

async function call(to: string, definition: WorkflowDefinitionInput): Promise<CallDetail> {
  const id = await created('/workflows', { name: 'Spoken', definition });
  await embedded.request('POST', '/call', { workflow_id: id, recipient_phone: to });
  const listed = await embedded.request('GET', `/calls?workflow_id=${id}`);
  const { calls } = (await listed.json()) as { calls: { call_id: string }[] };
  return eventually(
    'the result',
    async () => {
      const found = (await (
        await embedded.request('GET', `/calls/${calls[0]?.call_id}`)
      ).json()) as CallDetail;
      return found.call_summary === null ? null : found;
    },
    100_000,
  );
}

const step = (instruction: string) => ({ title: 'Help', instruction });

describe('in a spoken call', () => {
  it('forms are filled in with what the callee was heard to say', async () => {
    const title = 'Contact details';
    const formId = await created('/forms', {
      title,
      fields: [
        { name: 'Guests', type: 'number', required: true, ask: 'How many people will come?' },
        { name: 'Drink', type: 'select', required: true, options: ['Tea', 'Coffee'] },
      ],
    });
    const result = await call('+12025550100', {
      objective: 'Learn how many will come and what they would like.',
      steps: [step('Thank them and say goodbye.')],
      forms: [formId],
    });
    expect(result.form_fills, JSON.stringify(result.messages, null, 1)).toEqual([
      { title, values: { Guests: 2, Drink: 'Tea' } },
    ]);
    const words = result.messages.filter(({ role }) => role === 'user').map(({ content }) => content);
    for (const { quote, confirmed } of result.form_answers) {
      expect(words).toContain(quote);
      expect(confirmed).toBe(true);
    }
  });

  it('tools of the server are used', async () => {
    const result = await call('+12025550171', {
      objective: 'Remind the person of the appointment and tell them how to get there.',
      steps: [step('Use find_parking and tell them where to park.')],
      tools: ['find_parking'],
    });
    expect(result.messages.map(({ content }) => content).join('\n')).toContain('behind the house');
    expect(result.tool_calls).toMatchObject([{ name: 'find_parking', status: 'ok' }]);
  });

  it('keys are pressed as tones', async () => {
    const result = await call('+12025550140', {
      objective: 'Remind the person of the appointment.',
      steps: [step('Ask whether somebody will come to the appointment.')],
      abilities: { keypad: true },
    });
    expect(result.messages.map(({ content }) => content)).toContain('(pressed 2)');
    expect(result.call_status).toBe('success');
    const [record] = embedded.twilioEmulator.calls().filter(({ to }) => to === '+12025550140');
    expect(record?.digits).toMatchObject([{ by: 'agent', digits: '2' }]);
  });

  it('a machine gets the message', async () => {
    const result = await call('+12025550120', {
      objective: 'Remind the person of the appointment.',
      voicemail: { message: 'This is a reminder of your appointment.' },
    });
    expect(result).toMatchObject({ call_status: 'voicemail', provider_status: 'completed' });
    expect(result.messages.map(({ content }) => content).join('\n')).toContain(
      'This is a reminder of your appointment.',
    );
  });
});
