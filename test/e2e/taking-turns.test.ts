import type { CallDetail, WorkflowDefinitionInput } from '@callkite/contract';
import { type CalleeLine, defineCallee } from '@callkite/twilio-emulator';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Embedded, eventually, startEmbedded } from '../embedded.ts';

let embedded: Embedded;
/** Sound is carried as fast as it is spoken. */
const patienceMs = 90_000;

const person = (name: string, number: string, converse: (line: CalleeLine) => Promise<void>) =>
  defineCallee({ name, description: name, numbers: [number], converse });

/** Waits until the agent has asked something, however many sentences that takes. */
async function asked(line: CalleeLine): Promise<string> {
  for (;;) {
    const words = await line.heard();
    if (words.includes('?')) return words;
  }
}

const wantsOffTheList = (number: string, answer: string) =>
  person(`wants off the waiting list and says ${answer}`, number, async (line) => {
    await asked(line);
    await line.say('Please take me off the waiting list.');
    await asked(line);
    await line.say(answer);
    await line.heard({ withinMs: 8000 });
    await line.hangUp();
  });

beforeAll(async () => {
  embedded = await startEmbedded({
    emulator: {
      callees: [
        wantsOffTheList('+12025550180', 'No, just off the waiting list.'),
        wantsOffTheList('+12025550181', 'Yes, please.'),
      ],
    },
  });
}, 120_000);
afterAll(() => embedded?.stop());

const definition: WorkflowDefinitionInput = {
  objective: 'Remind the person of the appointment on Tuesday at 3 pm.',
  steps: [{ title: 'Ask', instruction: 'Ask whether somebody will come to the appointment.' }],
};

async function workflow(changes: Partial<WorkflowDefinitionInput>): Promise<string> {
  const created = await embedded.request('POST', '/workflows', {
    name: 'Reminder',
    definition: { ...definition, ...changes },
  });
  expect(created.status, await created.clone().text()).toBe(201);
  return ((await created.json()) as { id: string }).id;
}

async function call(to: string, changes: Partial<WorkflowDefinitionInput>): Promise<CallDetail> {
  const id = await workflow(changes);
  const placed = await embedded.request('POST', '/call', { workflow_id: id, recipient_phone: to });
  expect(placed.status, await placed.clone().text()).toBe(200);
  return eventually(
    'the result',
    async () => {
      const { calls } = (await (await embedded.request('GET', `/calls?workflow_id=${id}`)).json()) as {
        calls: { call_id: string }[];
      };
      const found = (await (
        await embedded.request('GET', `/calls/${calls[0]?.call_id}`)
      ).json()) as CallDetail;
      return found.call_summary === null ? null : found;
    },
    patienceMs,
  );
}

describe.each(['relay', 'realtime'] as const)('%s', (mode) => {
  it('asks before it blocks somebody for good, and takes a no for a no', { timeout: 120_000 }, async () => {
    const result = await call('+12025550180', { voice: { mode } });
    const lines = result.messages.map(({ role, content }) => `${role}: ${content}`);
    expect(lines.join('\n')).toContain('Would you like us not to call you again?');
    expect(result).toMatchObject({ call_status: 'success', reason: null });
    const again = await embedded.request('POST', '/call', {
      workflow_id: embedded.workflowId,
      recipient_phone: '+12025550180',
    });
    expect(again.status).toBe(200);
  });
});

it('blocks somebody who says yes', { timeout: 120_000 }, async () => {
  const result = await call('+12025550181', {});
  expect(result).toMatchObject({ call_status: 'success', reason: 'opted_out' });
  const again = await embedded.request('POST', '/call', {
    workflow_id: embedded.workflowId,
    recipient_phone: '+12025550181',
  });
  expect(again.status).toBe(400);
});

it('pursues an objective without steps, and says at creation what will not work', {
  timeout: 120_000,
}, async () => {
  const objective = 'Confirm the visit on Monday at 10 and ask whether they need parking.';
  const result = await call('+12025550100', { objective, steps: [] });
  const said = result.messages
    .flatMap(({ role, content }) => (role === 'assistant' ? [content] : []))
    .join(' ');
  expect(said).toMatch(/Monday at 10/);
  expect(said).toMatch(/parking\?/);
  expect(result.messages.filter(({ role }) => role === 'user').length).toBeGreaterThan(1);

  const vague = await embedded.request('POST', '/workflows', {
    name: 'x',
    definition: { objective: 'Test' },
  });
  const { id, warnings } = (await vague.json()) as { id: string; warnings: { path: string }[] };
  expect(vague.status).toBe(201);
  expect(warnings).toMatchObject([
    { path: 'definition.objective', message: expect.stringContaining('greet') },
  ]);
  const changed = await embedded.request('PATCH', `/workflows/${id}`, { definition: { objective } });
  expect(await changed.json()).toMatchObject({ warnings: [] });
});
