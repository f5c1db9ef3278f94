import type { CallDetail, WorkflowDefinitionInput } from '@callkite/contract';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Embedded, eventually, startEmbedded } from '../embedded.ts';

let embedded: Embedded;
beforeAll(async () => {
  embedded = await startEmbedded();
});
afterAll(() => embedded.stop());

const message = 'This is a reminder of your appointment on Tuesday at 3 pm.';
const definition: WorkflowDefinitionInput = {
  objective: 'Remind the person of the appointment on Tuesday at 3 pm.',
  purpose: 'We would like to remind you of an appointment.',
  agent: { name: 'Ava' },
  steps: [{ title: 'Ask', instruction: 'Ask whether somebody will come to the appointment.' }],
  voicemail: { message },
};

/** @returns the id of the call */
async function place(to: string, changes: Partial<WorkflowDefinitionInput> = {}): Promise<string> {
  const workflow = await embedded.request('POST', '/workflows', {
    name: 'Appointment reminder',
    definition: { ...definition, ...changes },
  });
  expect(workflow.status, await workflow.clone().text()).toBe(201);
  const { id } = (await workflow.json()) as { id: string };
  const placed = await embedded.request('POST', '/call', { workflow_id: id, recipient_phone: to });
  expect(placed.status, await placed.clone().text()).toBe(200);
  const listed = await embedded.request('GET', `/calls?workflow_id=${id}`);
  const { calls } = (await listed.json()) as { calls: { call_id: string }[] };
  return calls[0]?.call_id ?? '';
}

async function resultOf(callId: string): Promise<CallDetail> {
  return eventually(
    'the result',
    async () => {
      const found = (await (await embedded.request('GET', `/calls/${callId}`)).json()) as CallDetail;
      return found.call_summary === null ? null : found;
    },
    60_000,
  );
}

const call = async (to: string, changes?: Partial<WorkflowDefinitionInput>) =>
  resultOf(await place(to, changes));

const said = (result: CallDetail, role: string) =>
  result.messages.filter((entry) => entry.role === role).map(({ content }) => content);
const heardBy = (to: string) =>
  embedded.twilioEmulator
    .calls()
    .filter((record) => record.to === to)
    .at(-1)
    ?.transcript.map(({ speaker, text }) => `${speaker}: ${text}`) ?? [];
const disclosures = (result: CallDetail) =>
  said(result, 'assistant').filter((content) => content.startsWith('Hello, I am an AI assistant')).length;

describe('a mailbox', () => {
  it('that only its words give away gets the message, after the beep', async () => {
    const to = '+12025550124';
    const result = await call(to);
    expect(result).toMatchObject({
      call_status: 'voicemail',
      provider_status: 'completed',
      answered_by: 'machine',
      reason: null,
    });
    expect(said(result, 'assistant').at(-1)).toContain(message);
    const lines = heardBy(to);
    const beep = lines.indexOf('callee: (beep)');
    const left = lines.findIndex((line) => line.startsWith('agent: ') && line.includes(message));
    expect(beep).toBeGreaterThan(0);
    expect(left).toBeGreaterThan(beep);
  });

  it('gets a message that was written for the call before it was dialed', async () => {
    const result = await call('+12025550120', { voicemail: { generate: true } });
    expect(result).toMatchObject({ call_status: 'voicemail', answered_by: 'machine' });
    const left = said(result, 'assistant').at(-1) ?? '';
    expect(left).toContain('AI assistant');
    expect(left).not.toContain('The call is about');
    expect(left).toMatch(/appointment/i);
  });

  it('gets the words of the workflow when no message could be written', async () => {
    const to = '+12025550121';
    embedded.openAiEmulator.configure({ faults: { error: { status: 503 } } });
    const callId = await place(to, { voicemail: { generate: true } });
    await eventually('the call at the carrier', () =>
      embedded.twilioEmulator.calls().some((record) => record.to === to),
    );
    embedded.openAiEmulator.configure({ faults: {} });
    const result = await resultOf(callId);
    expect(result).toMatchObject({ call_status: 'voicemail', provider_status: 'completed' });
    expect(said(result, 'assistant').at(-1)).toContain('We would like to remind you of an appointment.');
  });

  it('that is full is left at once', async () => {
    const to = '+12025550125';
    const result = await call(to);
    expect(result).toMatchObject({
      call_status: 'voicemail',
      provider_status: 'completed',
      answered_by: 'machine',
      reason: 'mailbox_full',
    });
    expect(heardBy(to).join('\n')).not.toContain(message);
  });
});

describe('a fax', () => {
  it.each(['+12025550123', '+12025550128'])('at %s is left without a message', async (to) => {
    const result = await call(to);
    expect(result).toMatchObject({
      call_status: 'voicemail',
      provider_status: 'completed',
      answered_by: 'fax',
    });
    expect(heardBy(to).join('\n')).not.toContain(message);
  });
});

describe('an assistant that screens calls', () => {
  it('is told who calls and why, and the person it fetches is greeted anew', async () => {
    const result = await call('+12025550126');
    const lines = said(result, 'assistant');
    expect(lines.find((line) => line.startsWith('This is Ava'))).toMatch(
      /^This is Ava, an AI assistant calling on behalf of .+\. We would like to remind you of an appointment\.$/,
    );
    expect(result).toMatchObject({ call_status: 'success', answered_by: 'human' });
    expect(disclosures(result)).toBe(2);
  });

  it('that fetches nobody is no success', async () => {
    const result = await call('+12025550127');
    expect(result).toMatchObject({
      call_status: 'voicemail',
      provider_status: 'completed',
      answered_by: 'machine',
    });
    expect(said(result, 'assistant').some((line) => line.startsWith('This is Ava'))).toBe(true);
  });
});

describe('a phone menu', () => {
  it('that leads to nobody is left politely', async () => {
    const result = await call('+12025550143', { abilities: { keypad: true } });
    expect(result).toMatchObject({ call_status: 'success', answered_by: 'unknown', reason: 'menu_too_deep' });
    expect(
      said(result, 'assistant').filter((line) => line.startsWith('(pressed')).length,
    ).toBeLessThanOrEqual(5);
    expect(said(result, 'assistant').at(-1)).toContain('Goodbye');
  });

  it('that leads to a person has them told who calls', async () => {
    const result = await call('+12025550140', { abilities: { keypad: true } });
    expect(result).toMatchObject({ call_status: 'success', answered_by: 'human', reason: null });
    const lines = result.messages.map(({ content }) => content);
    const person = lines.indexOf('Reception, this is Jordan speaking.');
    expect(person).toBeGreaterThan(0);
    expect(lines.slice(person + 1).some((line) => line.startsWith('Hello, I am an AI assistant'))).toBe(true);
  });
});

describe('a person', () => {
  it('who picks up after the greeting began is talked to', async () => {
    const to = '+12025550137';
    const result = await call(to);
    expect(result).toMatchObject({ call_status: 'success', answered_by: 'human' });
    expect(heardBy(to).join('\n')).not.toContain(message);
    expect(said(result, 'user')).toContain('Hello? Sorry, I am here. Who is this?');
    expect(disclosures(result)).toBe(2);
  });

  it('who answers at length is no machine', async () => {
    const result = await call('+12025550138');
    expect(result).toMatchObject({ call_status: 'success', provider_status: 'completed', reason: null });
    expect(said(result, 'user')[0]).toContain('this is the front desk of Example Company');
    expect(said(result, 'assistant').at(-1)).toMatch(/goodbye/i);
  });
});

describe('a person whom the carrier takes for a machine', () => {
  it.each(['relay', 'realtime'] as const)(
    'is talked with to the end (%s)',
    { timeout: 60_000 },
    async (mode) => {
      const to = '+12025550139';
      const result = await call(to, { voice: { mode } });
      expect(result).toMatchObject({ call_status: 'success', answered_by: 'human', reason: null });
      expect(said(result, 'assistant').join(' ')).not.toContain(message);
      expect(said(result, 'user').length).toBeGreaterThan(1);
    },
  );
});
