import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { type CallkiteClient, callkite, verifyWebhook } from '@callkite/client';
import { callDetail, webhookPayload } from '@callkite/contract';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Embedded, eventually, startEmbedded } from '../embedded.ts';

let embedded: Embedded;
let client: CallkiteClient;

beforeAll(async () => {
  embedded = await startEmbedded();
  client = callkite({ apiKey: embedded.liveKey, baseUrl: embedded.url });
});

afterAll(() => embedded.stop());

it('places a prompt call and waits for its result', async () => {
  const { call_id } = await client.calls.prompt({
    recipient_phone: '+12025550142',
    prompt: 'Ask whether the shop is open on Sunday.',
  });
  const call = await client.calls.waitFor(call_id, { timeoutMs: 60_000, pollMs: 100 });
  expect(callDetail.parse(call)).toEqual(call);
  expect(call).toMatchObject({ state: 'completed', call_status: 'success', provider_status: 'completed' });
  expect(call.messages.length).toBeGreaterThan(1);
  const listed: string[] = [];
  for await (const each of client.calls.list({ to: '+12025550142', limit: 1 })) listed.push(each.call_id);
  expect(listed).toContain(call_id);

  const erased = await client.calls.erase(call_id);
  expect(erased).toMatchObject({ call_id, phone_number_to: 'erased', prompt: null, call_summary: '' });
  const after = await client.calls.get(call_id);
  expect(callDetail.parse(after)).toEqual(after);
  expect(after).toMatchObject({ messages: [], erased_at: erased.erased_at });
});

it('manages workflows', async () => {
  const created = await client.workflows.create({ name: 'Hello', definition: { objective: 'Say hello.' } });
  const changed = await client.workflows.update(created.id, { name: 'Good day', expected_version: 1 });
  expect(changed.version).toBe(2);
  expect((await client.workflows.get(created.id, { version: 1 })).definition.objective).toBe('Say hello.');
  const listed: unknown[] = [];
  for await (const workflow of client.workflows.list()) listed.push(workflow);
  expect(listed).toContainEqual({ id: created.id, name: 'Good day' });
  await client.workflows.delete(created.id);
  await expect(client.workflows.get(created.id)).rejects.toMatchObject({ status: 404, code: 'not_found' });
});

it('manages forms', async () => {
  const created = await client.forms.create({ title: 'Visit', fields: [{ name: 'Day', type: 'text' }] });
  const changed = await client.forms.update(created.id, { title: 'Stay', expected_version: 1 });
  expect(changed).toMatchObject({ version: 2, fields: [{ name: 'Day', type: 'text', required: false }] });
  expect((await client.forms.get(created.id, { version: 1 })).title).toBe('Visit');
  const listed: string[] = [];
  for await (const { id } of client.forms.list()) listed.push(id);
  expect(listed).toContain(created.id);
  await client.forms.delete(created.id);
  await expect(client.forms.get(created.id)).rejects.toMatchObject({ status: 404, code: 'not_found' });
});

it('manages transfer integrations', async () => {
  const { transferIntegrations } = client;
  const created = await transferIntegrations.create({ name: 'Billing', phone_number: '+12025550160' });
  const changed = await transferIntegrations.update(created.id, { mode: 'cold' });
  expect(changed).toMatchObject({ name: 'Billing', mode: 'cold', available: true });
  expect(await transferIntegrations.get(created.id)).toEqual(changed);
  const listed: string[] = [];
  for await (const { id } of transferIntegrations.list()) listed.push(id);
  expect(listed).toContain(created.id);
  await transferIntegrations.delete(created.id);
  await expect(transferIntegrations.get(created.id)).rejects.toMatchObject({ status: 404 });
});

it('verifies the webhook of a workflow call', async () => {
  const received: { body: string; headers: IncomingHttpHeaders }[] = [];
  const receiver = createServer(async (request, response) => {
    received.push({ body: await text(request), headers: request.headers });
    response.writeHead(204).end();
  }).listen(0, '127.0.0.1');
  await once(receiver, 'listening');
  try {
    const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`;
    const webhook = await client.webhooks.create({ name: 'CRM', url });
    const workflow = await client.workflows.create({
      name: 'Hello',
      definition: { objective: 'Say hello.', metadata: { webhooks: [webhook.id] } },
    });
    const { call_id: callId } = await client.calls.trigger({
      recipient_phone: '+12025550143',
      workflow_id: workflow.id,
      recipient_name: 'Jamie Doe',
    });
    const { body, headers } = await eventually('a webhook', () => received[0]);
    const payload = verifyWebhook(body, headers, webhook.secret);
    expect(webhookPayload.strict().parse(payload)).toEqual(payload);
    expect(payload).toMatchObject({
      call_id: callId,
      workflow_id: workflow.id,
      phone_number_to: '+12025550143',
    });
    expect(JSON.parse(payload.context)).toMatchObject({ name: 'Jamie Doe', number: '+12025550143' });
    const deliveries: unknown[] = [];
    for await (const { call_id, kind } of client.webhooks.deliveries(webhook.id))
      deliveries.push({ call_id, kind });
    expect(deliveries).toEqual([{ call_id: payload.call_id, kind: 'webhook' }]);
  } finally {
    receiver.close();
  }
});
