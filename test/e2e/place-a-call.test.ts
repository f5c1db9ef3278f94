import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { verifyWebhook } from '@callkite/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Embedded, eventually, startEmbedded } from '../embedded.ts';

interface CallResource {
  state: string;
  call_status: string | null;
  provider_status: string | null;
  reason: string | null;
  call_summary: string | null;
  answered_by: string | null;
  messages: { role: string; content: string }[];
}

let embedded: Embedded;
const received: {
  path: string;
  headers: Record<string, string>;
  text: string;
  body: Record<string, unknown>;
}[] = [];
const receiver = createServer((request, response) => {
  let text = '';
  request.setEncoding('utf8');
  request.on('data', (chunk: string) => {
    text += chunk;
  });
  request.on('end', () => {
    received.push({
      path: request.url ?? '',
      headers: request.headers as Record<string, string>,
      text,
      body: JSON.parse(text),
    });
    response.writeHead(204).end();
  });
});
let receiverUrl = '';

beforeAll(async () => {
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
  receiverUrl = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}`;
  embedded = await startEmbedded();
});

afterAll(async () => {
  await embedded.stop();
  receiver.close();
});

async function finished(callId: string, withinMs?: number): Promise<CallResource> {
  return eventually(
    'the result',
    async () => {
      const response = await embedded.request('GET', `/calls/${callId}`);
      const call = (await response.json()) as CallResource;
      return call.call_summary === null ? null : call;
    },
    withinMs,
  );
}

async function prompt(to: string, more: object = {}) {
  const response = await embedded.request('POST', '/call-prompt', {
    prompt: 'Call Jordan and confirm the dentist appointment on Tuesday at 3 pm.',
    recipient_phone: to,
    ...more,
  });
  expect(response.status, await response.clone().text()).toBe(200);
  return (await response.json()) as { success: boolean; call_id: string; workflow_id: string };
}

/** Places a workflow call and finds its id, which the answer of `POST /call` does not tell. */
async function trigger(to: string, more: object = {}): Promise<string> {
  const response = await embedded.request('POST', '/call', {
    workflow_id: embedded.workflowId,
    recipient_phone: to,
    ...more,
  });
  expect(response.status, await response.clone().text()).toBe(200);
  expect(await response.json()).toEqual({ success: true, message: expect.any(String) });
  const listed = await embedded.request('GET', `/calls?to=${encodeURIComponent(to)}&limit=1`);
  const { calls } = (await listed.json()) as { calls: { call_id: string }[] };
  return calls[0]?.call_id ?? '';
}

const carrierCallsTo = (to: string) => embedded.twilioEmulator.calls().filter((record) => record.to === to);
const ringsOf = (to: string) => carrierCallsTo(to).filter((record) => record.timeline.ringingAt);
const spoken = (call: CallResource, role: string) =>
  call.messages.filter((message) => message.role === role).map((message) => message.content);

describe('a prompt call', () => {
  it('rings once, talks, and reports back', async () => {
    const accepted = await prompt('+12025550100', {
      callback_url: `${receiverUrl}/result`,
      callback_secret: 'a secret of the customer',
    });
    const call = await finished(accepted.call_id);
    expect(call).toMatchObject({ state: 'completed', call_status: 'success', provider_status: 'completed' });
    expect(call.messages[0]).toMatchObject({
      role: 'assistant',
      content: expect.stringContaining('AI assistant'),
    });
    expect(spoken(call, 'user').length).toBeGreaterThan(0);
    expect(ringsOf('+12025550100')).toHaveLength(1);

    const callback = await eventually('the callback', () => received.find(({ path }) => path === '/result'));
    expect(callback.headers.authorization).toBe('Bearer a secret of the customer');
    expect(callback.body).toEqual({
      call_id: accepted.call_id,
      workflow_id: accepted.workflow_id,
      call_status: 'success',
      provider_status: 'completed',
      reason: null,
      call_summary: call.call_summary,
      messages: call.messages.map(({ role, content }) => ({ role, content })),
      context: null,
      form_fills: [],
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    });
  });

  it('works while the model is down, on the workflow made from the prompt alone', async () => {
    embedded.openAiEmulator.configure({ faults: { error: { status: 503 } } });
    const { call_id: callId, workflow_id: workflowId } = await prompt('+12025550111');
    // The model is asked five times before.
    const call = await finished(callId, 60_000);
    embedded.openAiEmulator.configure({ faults: {} });
    expect(call).toMatchObject({ call_status: 'not_picked_up', provider_status: 'busy' });
    const workflow = await embedded.request('GET', `/workflows/${workflowId}`);
    expect(await workflow.json()).toMatchObject({
      definition: { objective: expect.stringContaining('dentist') },
    });
  });
});

describe('a workflow call', () => {
  it('delivers a signed webhook to the integrations its workflow names', async () => {
    const created = await embedded.request('POST', '/webhooks', { name: 'CRM', url: `${receiverUrl}/crm` });
    expect(created.status).toBe(201);
    const integration = (await created.json()) as { id: string; secret: string };
    const workflow = await embedded.request('POST', '/workflows', {
      name: 'Reminder with webhook',
      definition: { objective: 'Remind of the appointment.', metadata: { webhooks: [integration.id] } },
    });
    const { id: workflowId } = (await workflow.json()) as { id: string };
    const callId = await trigger('+12125550101', {
      workflow_id: workflowId,
      recipient_name: 'Jordan',
      recipient_email: 'jordan@example.com',
      recipient_context: 'prefers mornings',
    });
    const call = await finished(callId);
    const webhook = await eventually('the webhook', () => received.find(({ path }) => path === '/crm'));
    expect(webhook.body).toEqual({
      call_id: callId,
      workflow_id: workflowId,
      workflow_name: 'Reminder with webhook',
      phone_number_from: '+12025550183',
      phone_number_to: '+12125550101',
      call_status: 'success',
      reason: null,
      call_summary: call.call_summary,
      messages: call.messages.map(({ role, content }) => ({ role, content })),
      context: expect.any(String),
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d+$/),
    });
    expect(JSON.parse(String(webhook.body.context))).toMatchObject({
      name: 'Jordan',
      email: 'jordan@example.com',
      number: '+12125550101',
      context: 'prefers mornings',
    });
    const verified = verifyWebhook(webhook.text, webhook.headers, integration.secret);
    expect(verified.call_id).toBe(callId);
    expect(() => verifyWebhook(`${webhook.text} `, webhook.headers, integration.secret)).toThrow();
  });

  it.each([
    ['+12025550110', 'not_picked_up', 'no-answer'],
    ['+12025550111', 'not_picked_up', 'busy'],
    ['+12025550112', 'not_picked_up', 'failed'],
    ['+12025550130', 'success', 'completed'],
    ['+12025550131', 'success', 'completed'],
    ['+12025550132', 'success', 'completed'],
    ['+12025550135', 'success', 'completed'],
    ['+12025550107', 'success', 'completed'],
  ])('to %s ends as %s/%s', async (to, callStatus, providerStatus) => {
    const before = ringsOf(to).length;
    const call = await finished(await trigger(to));
    expect(call).toMatchObject({ call_status: callStatus, provider_status: providerStatus });
    expect(call.call_summary).not.toBe('');
    expect(ringsOf(to).length - before).toBeLessThanOrEqual(1);
  });

  it('leaves the message of its workflow on a mailbox', async () => {
    const call = await finished(await trigger('+12025550120'));
    expect(call).toMatchObject({
      call_status: 'voicemail',
      provider_status: 'completed',
      answered_by: 'machine',
    });
    const message = 'This is a reminder of your appointment on Tuesday at 3 pm.';
    expect(spoken(call, 'assistant').at(-1)).toContain(message);
    const [record] = carrierCallsTo('+12025550120');
    expect(record?.transcript.some((line) => line.speaker === 'agent' && line.text.includes(message))).toBe(
      true,
    );
  });

  it('asks a silent callee once, then ends', async () => {
    const call = await finished(await trigger('+12025550133'));
    expect(call).toMatchObject({ call_status: 'success', reason: 'callee_silent' });
    expect(spoken(call, 'user')).toEqual([]);
  });

  it('never calls somebody again who asked for it', async () => {
    const call = await finished(await trigger('+12025550134'));
    expect(call).toMatchObject({ call_status: 'success', reason: 'opted_out' });
    const again = await embedded.request('POST', '/call', {
      workflow_id: embedded.workflowId,
      recipient_phone: '+12025550134',
    });
    expect(again.status).toBe(400);
    expect(again.headers.get('callkite-error-code')).toBe('number_opted_out');
    expect(await again.json()).toEqual({ error: expect.stringContaining('not to be called') });
    expect(carrierCallsTo('+12025550134')).toHaveLength(1);
  });

  it('admits to be a machine', async () => {
    const call = await finished(await trigger('+12025550136'));
    const question = call.messages.findIndex(
      (message) => /robot/i.test(message.content) && message.role === 'user',
    );
    expect(question).toBeGreaterThan(0);
    expect(call.messages[question + 1]?.content).toMatch(/\bAI\b/);
  });

  it('stores of an interrupted answer only what was heard', async () => {
    const to = '+12025550132';
    const call = await finished(await trigger(to));
    const heard = carrierCallsTo(to)
      .at(-1)
      ?.transcript.filter((line) => line.speaker === 'agent')
      .map((line) => line.text)
      .join(' ');
    for (const sentence of spoken(call, 'assistant')) expect(plain(heard ?? '')).toContain(plain(sentence));
  });

  it('goes on after its socket was lost, in the same call', async () => {
    embedded.twilioEmulator.configure({ faults: { socketDrop: 1 } });
    const to = '+12125550102';
    const call = await finished(await trigger(to));
    embedded.twilioEmulator.configure({ faults: { socketDrop: 0 } });
    expect(call).toMatchObject({ call_status: 'success' });
    expect(carrierCallsTo(to)).toHaveLength(1);
    expect(carrierCallsTo(to)[0]?.relaySessions.length).toBeGreaterThan(1);
    expect(spoken(call, 'assistant').filter((line) => line.includes('AI assistant'))).toHaveLength(1);
  });
});

describe('canceling', () => {
  it('ends a ringing call', async () => {
    const to = '+12025550101';
    const callId = await trigger(to);
    await eventually('the ring', () => ringsOf(to).length > 0);
    const canceled = await embedded.request('POST', `/calls/${callId}/cancel`);
    expect(canceled.status).toBe(200);
    const call = await finished(callId);
    expect(call).toMatchObject({ call_status: 'not_picked_up', provider_status: 'canceled' });
    const again = await embedded.request('POST', `/calls/${callId}/cancel`);
    expect(again.status).toBe(200);
  });

  it('refuses a call that is over', async () => {
    const callId = await trigger('+12025550111');
    await finished(callId);
    const response = await embedded.request('POST', `/calls/${callId}/cancel`);
    expect(response.status).toBe(409);
  });
});

describe('a test key', () => {
  it('places its calls on the test carrier', async () => {
    const response = await fetch(`${embedded.url}/call`, {
      method: 'POST',
      headers: { authorization: `Bearer ${embedded.testKey}`, 'content-type': 'application/json' },
      body: JSON.stringify({ workflow_id: embedded.workflowId, recipient_phone: '+12125550103' }),
    });
    expect(response.status).toBe(200);
    const [record] = await eventually('the ring', () => {
      const rings = ringsOf('+12125550103');
      return rings.length > 0 ? rings : null;
    });
    expect(record?.url).toContain('/carriers/twilio-test/');
    const live = await embedded.request('GET', '/calls?to=%2B12125550103');
    expect(await live.json()).toMatchObject({ calls: [] });
  });
});

const plain = (text: string) =>
  text
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, ' ')
    .trim();
