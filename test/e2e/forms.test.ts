import type { CallDetail } from '@callkite/contract';
import type { CalleeLine } from '@callkite/twilio-emulator';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Embedded, eventually, startEmbedded } from '../embedded.ts';
import { type Receiver, startReceiver } from '../notifications/receiver.ts';

const title = 'Contact details';
const fields = [
  { name: 'Full name', type: 'text', required: true, ask: 'May I have your full name?' },
  { name: 'E-mail', type: 'email', required: true },
  { name: 'Phone', type: 'phone', required: true },
  { name: 'Guests', type: 'number', required: true, ask: 'How many people will come?' },
  { name: 'Drink', type: 'select', required: true, options: ['Tea', 'Coffee'] },
  { name: 'Remarks', type: 'text' },
];
const complete = {
  'Full name': 'Jordan Avery',
  'E-mail': 'jordan.avery@example.com',
  Phone: '+12025550142',
  Guests: 2,
  Drink: 'Tea',
  Remarks: null,
};
const empty = Object.fromEntries(fields.map(({ name }) => [name, null]));

const leavesEarly = {
  name: 'leaves early',
  description: 'Tells name and e-mail, and hangs up when the agent answers',
  numbers: ['+12125550171'],
  converse: async (line: CalleeLine) => {
    await line.heard();
    await line.say('My name is Robin Doe and my e-mail is robin@Example.com.');
    await line.agentSpeaks();
    await line.hangUp();
  },
} as const;

let embedded: Embedded;
let receiver: Receiver;
let formId = '';
let workflowId = '';

beforeAll(async () => {
  receiver = await startReceiver();
  embedded = await startEmbedded({ emulator: { callees: [leavesEarly] } });
  formId = await created('/forms', { title, fields });
  const webhook = await created('/webhooks', { name: 'CRM', url: receiver.url });
  workflowId = await created('/workflows', {
    name: 'Contact',
    definition: {
      objective: 'Learn how to reach the person and what they would like.',
      steps: [{ title: 'Wrap up', instruction: 'Thank them and say goodbye.' }],
      forms: [formId],
      metadata: { webhooks: [webhook] },
    },
  });
});

afterAll(async () => {
  await embedded.stop();
  receiver.close();
});

async function created(path: string, body: object): Promise<string> {
  const response = await embedded.request('POST', path, body);
  expect(response.status, await response.clone().text()).toBe(201);
  return ((await response.json()) as { id: string }).id;
}

/** Runs the workflow and waits for the result. */
async function call(to: string): Promise<CallDetail> {
  const response = await embedded.request('POST', '/call', { workflow_id: workflowId, recipient_phone: to });
  expect(response.status, await response.clone().text()).toBe(200);
  const listed = await embedded.request('GET', `/calls?to=${encodeURIComponent(to)}&limit=1`);
  const { calls } = (await listed.json()) as { calls: { call_id: string }[] };
  return eventually('the result', async () => {
    const found = (await (await embedded.request('GET', `/calls/${calls[0]?.call_id}`)).json()) as CallDetail;
    return found.call_summary === null ? null : found;
  });
}

const webhookOf = (callId: string) =>
  eventually('the webhook', () => receiver.requests.find(({ body }) => body.includes(callId)));

describe('a form of a workflow', () => {
  it.each([
    ['+12025550104', 'tells everything at once'],
    ['+12025550100', 'answers what is asked'],
  ])('is filled in by %s, who %s', async (to) => {
    const result = await call(to);
    expect(result.form_fills, JSON.stringify(result.messages, null, 1)).toEqual([
      { title, values: complete },
    ]);
    const answers = new Map(result.form_answers.map((answer) => [answer.field, answer]));
    expect(answers.size).toBe(5);
    const words = result.messages.filter(({ role }) => role === 'user').map(({ content }) => content);
    for (const answer of answers.values()) {
      expect(answer).toMatchObject({ form_id: formId, confirmed: true });
      expect(words).toContain(answer.quote);
    }
    expect(result.messages.some(({ content }) => /jordan\.avery@example\.com.*right\?/.test(content))).toBe(
      true,
    );
    const { body } = await webhookOf(result.call_id);
    expect(JSON.parse(body).form_fills).toEqual([{ title, values: complete }]);
  });

  it('is told empty when the callee breaks off', async () => {
    const result = await call('+12025550130');
    expect(result.form_fills).toEqual([{ title, values: empty }]);
    const { body } = await webhookOf(result.call_id);
    expect(JSON.parse(body).form_fills).toEqual([{ title, values: empty }]);
  });

  it('is told empty when nobody answers', async () => {
    const result = await call('+12025550110');
    expect(result.form_fills).toEqual([{ title, values: empty }]);
  });

  it('keeps what was told before the line went dead', async () => {
    const result = await call(leavesEarly.numbers[0]);
    const told = { 'Full name': 'Robin Doe', 'E-mail': 'robin@example.com' };
    expect(result.form_fills).toEqual([{ title, values: { ...empty, ...told } }]);
    expect(result.form_answers.find(({ field }) => field === 'E-mail')).toMatchObject({ confirmed: false });
    const { body } = await webhookOf(result.call_id);
    expect(JSON.parse(body).form_fills).toEqual(result.form_fills);
  });
});

describe('the callback of a prompt call', () => {
  it('has no forms to tell of', async () => {
    const response = await embedded.request('POST', '/call-prompt', {
      prompt: 'Ask whether they are open on Monday.',
      recipient_phone: '+12125550107',
      callback_url: receiver.url,
    });
    const { call_id: callId } = (await response.json()) as { call_id: string };
    const { body } = await webhookOf(callId);
    expect(JSON.parse(body).form_fills).toEqual([]);
  });
});
