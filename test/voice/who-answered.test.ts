import type { CallDetail, WorkflowDefinitionInput } from '@callkite/core/contract';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type Embedded, eventually, startEmbedded } from '../embedded.ts';

// Calls take their time.
vi.setConfig({ testTimeout: 120_000 });

let embedded: Embedded;
beforeAll(async () => {
  embedded = await startEmbedded({ speed: 4, callkite: { voiceMode: 'realtime' } });
});
afterAll(() => embedded.stop());

const reminder: WorkflowDefinitionInput = {
  objective: 'Remind the person of the appointment on Tuesday at 3 pm.',
  steps: [{ title: 'Confirm', instruction: 'Ask whether Tuesday at 3 pm still suits them.' }],
  voicemail: { message: 'This is a reminder of your appointment.' },
};

async function call(to: string, definition: WorkflowDefinitionInput = reminder): Promise<CallDetail> {
  const workflow = await embedded.request('POST', '/workflows', { name: 'Spoken', definition });
  expect(workflow.status, await workflow.clone().text()).toBe(201);
  const { id } = (await workflow.json()) as { id: string };
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

const spoken = ({ messages }: CallDetail, by: 'assistant' | 'user') =>
  messages.filter(({ role }) => role === by).map(({ content }) => content);

describe('a spoken call that is answered', () => {
  it('by a mailbox that only its words tell, leaves the message after the beep', async () => {
    const result = await call('+12025550124');
    expect(result).toMatchObject({
      call_status: 'voicemail',
      provider_status: 'completed',
      answered_by: 'machine',
    });
    expect(spoken(result, 'assistant').at(-1)).toContain('This is a reminder of your appointment.');
    expect(spoken(result, 'assistant')).toHaveLength(2);
  });

  it.each([
    ['a full mailbox', '+12025550125', { call_status: 'voicemail', reason: 'mailbox_full' }],
    ['a fax machine that says so', '+12025550128', { call_status: 'voicemail', answered_by: 'fax' }],
  ])('by %s, hangs up', async (_, to, outcome) => {
    const result = await call(to);
    expect(result).toMatchObject(outcome);
    expect(spoken(result, 'assistant')).toHaveLength(1);
  });

  it('by a screening assistant, tells who calls and why, and greets the person', async () => {
    const result = await call('+12025550126');
    expect(result).toMatchObject({ call_status: 'success', answered_by: 'human' });
    const said = spoken(result, 'assistant');
    expect(said[1]).toContain('Example Dental. The call is about');
    expect(said.filter((line) => line === said[0])).toHaveLength(2);
    expect(spoken(result, 'user')).toContain('Yes, that is fine.');
  });

  it('by a person who talks at length, goes on', async () => {
    const result = await call('+12025550138');
    expect(result).toMatchObject({ call_status: 'success', answered_by: 'human' });
  });
});
