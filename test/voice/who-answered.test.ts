import type { CallDetail, WorkflowDefinitionInput } from '@callkite/contract';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type Embedded, startEmbedded } from '../embedded.ts';
import { spokenCall } from './spoken-call.ts';

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

const call = (to: string) => spokenCall(embedded, to, reminder);
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
