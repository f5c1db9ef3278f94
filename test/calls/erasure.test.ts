import { inspect } from 'node:util';
import { type CallDetail, type CallList, callDetail, workflowDefinition } from '@callkite/contract';
import { createId, type LanguageModel, type Logger } from '@callkite/core';
import { createTenant } from '@callkite/core/testing';
import { postgres } from '@callkite/postgres';
import { builtInAccounts } from '@callkite/twilio-emulator';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { createFinishWork } from '../../packages/core/src/features/calls/call-work.ts';
import { type Embedded, eventually, startEmbedded } from '../embedded.ts';
import { type Receiver, startReceiver } from '../notifications/receiver.ts';
import { startPostgres, type TestPostgres } from '../postgres/start-postgres.ts';
import { testStorage } from '../test-storage.ts';

// Calls take their time, and so does the carrier with recordings.
vi.setConfig({ testTimeout: 120_000 });

/** Tells everything at once. */
const talkative = '+12025550104';
const person = {
  recipient_name: 'Zebulon Quintrell',
  recipient_email: 'zebulon.quintrell@example.com',
  recipient_context: 'Owns an ocelot named Marmaduke.',
};
const told = { name: 'Jordan Avery', email: 'jordan.avery@example.com' };

let database: TestPostgres;
let client: pg.Client;
let embedded: Embedded;
let receiver: Receiver;
const logged: string[] = [];

const log = (fields: object, message: string) =>
  void logged.push(`${message} ${inspect(fields, { depth: 9 })}`);
const logger: Logger = { debug: log, info: log, warn: log, error: log };

beforeAll(async () => {
  database = await startPostgres();
  client = new pg.Client({ connectionString: database.url });
  await client.connect();
  embedded = await startEmbedded({
    storage: postgres({ connectionString: database.url }),
    callkite: { logger },
  });
});

afterAll(async () => {
  await client.end();
  await embedded.stop();
  await database.stop();
});

beforeEach(async () => {
  receiver = await startReceiver();
});

afterEach(() => receiver.close());

/** Every row of every table, as text. */
async function dump(): Promise<string> {
  const { rows: tables } = await client.query<{ name: string }>(
    `select format('%I.%I', table_schema, table_name) as name from information_schema.tables
     where table_schema = 'callkite' and table_type = 'BASE TABLE'`,
  );
  expect(tables.length).toBeGreaterThan(20);
  let text = '';
  for (const { name } of tables) {
    const { rows } = await client.query<{ row: string }>(`select to_jsonb(t)::text as row from ${name} t`);
    text += rows.map(({ row }) => `${name} ${row}\n`).join('');
  }
  return text;
}

/** As it is, however deep in JSON. */
const plain = (text: string) => text.toLowerCase().replace(/[\\"]/g, '');

function foundIn(text: string, markers: readonly string[]): readonly string[] {
  const searched = plain(text);
  return markers.filter((marker) => searched.includes(plain(marker)));
}

async function created(path: string, body: object): Promise<string> {
  const response = await embedded.request('POST', path, body);
  expect(response.status, await response.clone().text()).toBe(201);
  return ((await response.json()) as { id: string }).id;
}

async function get(callId: string): Promise<CallDetail> {
  return callDetail.parse(await (await embedded.request('GET', `/calls/${callId}`)).json());
}

const over = (callId: string) =>
  eventually(
    'the end of the call',
    async () => {
      const call = await get(callId);
      return call.state === 'completed' ? call : null;
    },
    60_000,
  );
const finished = (callId: string) =>
  eventually(
    'the result',
    async () => {
      const call = await get(callId);
      return call.call_summary === null ? null : call;
    },
    60_000,
  );

const erase = (callId: string) => embedded.request('DELETE', `/calls/${callId}`);

/** What the callee said, as far as nobody else says the like. */
const wordsOf = ({ messages }: CallDetail) =>
  messages.flatMap(({ role, content }) => (role === 'user' && content.length > 20 ? [content] : []));

async function recordingsAtCarrier(): Promise<unknown[]> {
  const { sid, authToken } = builtInAccounts.approved;
  const response = await fetch(`${embedded.twilioEmulator.url}/2010-04-01/Accounts/${sid}/Recordings.json`, {
    headers: { authorization: `Basic ${btoa(`${sid}:${authToken}`)}` },
  });
  return ((await response.json()) as { recordings: unknown[] }).recordings;
}

const deliveriesOf = async (callId: string) => {
  const response = await embedded.request('GET', `/deliveries?call_id=${callId}`);
  return ((await response.json()) as { deliveries: { id: string; status: string; url: string }[] })
    .deliveries;
};

/** Places a call of a workflow with a form, a recording and a webhook. */
async function placeCall(): Promise<{ callId: string; webhookId: string }> {
  const webhookId = await created('/webhooks', { name: 'CRM', url: receiver.url });
  const formId = await created('/forms', {
    title: 'Contact details',
    fields: [
      { name: 'Full name', type: 'text', required: true, ask: 'May I have your full name?' },
      { name: 'E-mail', type: 'email', required: true },
    ],
  });
  const workflowId = await created('/workflows', {
    name: 'Contact',
    definition: {
      objective: 'Learn how to reach the person.',
      steps: [{ title: 'Wrap up', instruction: 'Thank them and say goodbye.' }],
      forms: [formId],
      recording: { mode: 'announce' },
      metadata: { webhooks: [webhookId] },
    },
  });
  const placed = await embedded.request('POST', '/call', {
    workflow_id: workflowId,
    recipient_phone: talkative,
    ...person,
    idempotency_key: keyOf(workflowId),
  });
  expect(placed.status, await placed.clone().text()).toBe(200);
  return { callId: placed.headers.get('callkite-call-id') ?? '', webhookId };
}

/** As people choose them who have not thought about it. */
const keyOf = (workflowId: string) => `${person.recipient_email} ${workflowId}`;

describe('erasing a call', () => {
  it('leaves nothing of what was said and who it was with, anywhere', async () => {
    receiver.answer({ status: 500 });
    const { callId, webhookId } = await placeCall();
    const call = await finished(callId);
    expect(call.form_fills).toEqual([
      { title: 'Contact details', values: { 'Full name': told.name, 'E-mail': told.email } },
    ]);
    const recordingUrl = await eventually(
      'the recording',
      async () => (await get(callId)).recording_url,
      60_000,
    );
    await eventually('the attempt to deliver', () => receiver.requests.length > 0);
    const markers = [
      ...Object.values(person),
      ...Object.values(told),
      talkative,
      talkative.slice(1),
      call.call_summary ?? '',
      ...wordsOf(call),
    ];
    expect(markers.length).toBeGreaterThan(8);
    expect(foundIn(await dump(), markers)).toEqual(markers);

    const answer = await erase(callId);
    expect(answer.status, await answer.clone().text()).toBe(200);
    const erased = await answer.json();
    const after = await get(callId);
    expect(after).toEqual({
      ...call,
      phone_number_to: 'erased',
      recipient_name: null,
      recipient_email: null,
      recipient_context: null,
      call_summary: '',
      recording_url: null,
      recording_consent: 'withdrawn',
      messages: [],
      form_fills: [{ title: 'Contact details', values: { 'Full name': null, 'E-mail': null } }],
      form_answers: [],
      erased_at: expect.any(String),
    });
    expect(after).toMatchObject(erased as object);
    expect(await (await erase(callId)).json()).toEqual(erased);
    expect(foundIn(await dump(), markers)).toEqual([]);

    expect((await fetch(recordingUrl)).status).toBe(404);
    await eventually('the deletion', async () => (await recordingsAtCarrier()).length === 0, 60_000);
    const isFollowed = `select from callkite.jobs where kind = 'follow_recording' and subject_id = $1`;
    await eventually(
      'the end of the job',
      async () => (await client.query(isFollowed, [callId])).rowCount === 0,
      60_000,
    );

    const deliveries = await deliveriesOf(callId);
    expect(deliveries).toMatchObject([{ status: 'canceled', url: receiver.url }]);
    const resent = await embedded.request('POST', `/deliveries/${deliveries[0]?.id}/resend`);
    expect(resent.status).toBe(409);
    expect(await resent.json()).toEqual({ error: expect.stringContaining('erased') });
    const before = receiver.requests.length;
    receiver.answer({ status: 204 });
    await embedded.request('POST', `/webhooks/${webhookId}/test`);
    await eventually('the sample', () => receiver.requests.some(({ body }) => body.includes('test_')));
    const since = receiver.requests.slice(before);
    expect(since.filter(({ body }) => body.includes(callId))).toEqual([]);

    expect(foundIn(await dump(), markers)).toEqual([]);
    expect(foundIn(logged.join('\n'), markers)).toEqual([]);
    expect(embedded.events).toContainEqual({ type: 'call.erased', callId });
  });

  it('holds for a call whose result is not written yet', async () => {
    const { callId } = await placeCall();
    const call = await over(callId);
    expect((await erase(callId)).status).toBe(200);
    const isOpen = `select from callkite.jobs where kind in ('finish_call', 'deliver', 'follow_recording')
      and (subject_id = $1 or subject_id in (select id from callkite.deliveries where call_id = $1))`;
    await eventually(
      'the end of its jobs',
      async () => (await client.query(isOpen, [callId])).rowCount === 0,
      60_000,
    );
    const after = await get(callId);
    expect(after).toMatchObject({ call_summary: '', messages: [], form_answers: [], recording_url: null });
    const markers = [...Object.values(person), ...Object.values(told), talkative, ...wordsOf(call)];
    expect(foundIn(await dump(), markers)).toEqual([]);
    expect(foundIn(logged.join('\n'), markers)).toEqual([]);
    expect(await recordingsAtCarrier()).toEqual([]);
  });

  it('takes the prompt, its workflow and a callback that is being sent along', async () => {
    receiver.answer('never');
    const words = 'Remind Peregrine Oakenshield of the tuba lesson tomorrow at 10 am.';
    const placed = await embedded.request('POST', '/call-prompt', {
      prompt: words,
      recipient_phone: talkative,
      callback_url: `${receiver.url}?of=peregrine`,
      callback_secret: 'a secret between us',
    });
    const { call_id: callId, workflow_id: workflowId } = (await placed.json()) as {
      call_id: string;
      workflow_id: string;
    };
    const call = await finished(callId);
    await eventually('the callback', () => receiver.requests.some(({ body }) => body.includes(callId)));
    const markers = [
      'Peregrine',
      'Oakenshield',
      'tuba',
      talkative,
      call.call_summary ?? '',
      ...wordsOf(call),
    ];
    expect(foundIn(await dump(), markers)).toEqual(markers);
    const answer = await erase(callId);
    expect(answer.status).toBe(200);
    expect(await answer.json()).toMatchObject({
      prompt: null,
      workflow_id: workflowId,
      workflow_name: 'Erased',
    });
    expect(await deliveriesOf(callId)).toMatchObject([
      { status: 'unknown', url: receiver.url.replace(/\/hook$/, '') },
    ]);
    expect(foundIn(await dump(), markers)).toEqual([]);
    expect((await embedded.request('GET', `/workflows/${workflowId}`)).status).toBe(404);
    receiver.close();
    const { rows } = await client.query(
      'select body, sealed_bearer from callkite.deliveries where call_id = $1',
      [callId],
    );
    expect(rows).toEqual([{ body: '', sealed_bearer: null }]);
    expect(receiver.requests.filter(({ body }) => body.includes(callId))).toHaveLength(1);
  });

  it('leaves no idempotency key, and whoever sends it again is answered and rings nobody', async () => {
    const { callId } = await placeCall();
    const call = await over(callId);
    const again = () =>
      embedded.request('POST', '/call', {
        workflow_id: call.workflow_id,
        recipient_phone: talkative,
        ...person,
        idempotency_key: keyOf(call.workflow_id),
      });
    const key = [keyOf(call.workflow_id)];
    expect(foundIn(await dump(), key)).toEqual(key);
    expect((await erase(callId)).status).toBe(200);
    expect(foundIn(await dump(), key)).toEqual([]);
    const replayed = await again();
    expect(replayed.status).toBe(200);
    expect(replayed.headers.get('callkite-call-id')).toBe(callId);
    expect(replayed.headers.get('idempotent-replayed')).toBe('true');
    expect(replayed.headers.has('idempotent-body-mismatch')).toBe(false);
    const listed = await embedded.request('GET', `/calls?workflow_id=${call.workflow_id}`);
    expect(((await listed.json()) as CallList).calls).toHaveLength(1);
  });

  it('is refused while the call is not over, and for calls of others', async () => {
    const { callkite, organizationId, workflowId } = embedded;
    const caller = { organizationId, mode: 'live', keyId: 'none' } as const;
    const queued = await callkite.calls.trigger(caller, {
      workflowId,
      recipientPhone: talkative,
      dialInMs: 3_600_000,
    });
    const callId = queued.callId ?? '';
    const refused = await erase(callId);
    expect(refused.status).toBe(409);
    expect(await refused.json()).toEqual({ error: expect.stringContaining('Cancel it first') });
    const asTest = { authorization: `Bearer ${embedded.testKey}` };
    const notTheirs = await embedded.request('DELETE', `/calls/${callId}`, undefined, asTest);
    expect(notTheirs.status).toBe(404);
    expect((await erase('call_unknown')).status).toBe(404);
    expect(await get(callId)).toMatchObject({ state: 'queued', erased_at: null });
    await embedded.request('POST', `/calls/${callId}/cancel`);
    expect((await erase(callId)).status).toBe(200);
  });
});

it('numbers of visitors who were called back are counted without being told', async () => {
  const { key } = (await (
    await embedded.request('POST', '/publishable-keys', {
      name: 'Website',
      mode: 'live',
      allowed_origins: ['https://www.example.com'],
      workflow_ids: [embedded.workflowId],
      callback_countries: ['US'],
    })
  ).json()) as { key: string };
  const phone = '+12025550177';
  const name = 'Ottoline Featherstone';
  const requested = await fetch(`${embedded.url}/widget/callbacks`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${key}`,
      origin: 'https://www.example.com',
      'content-type': 'application/json',
    },
    body: JSON.stringify({
      workflow_id: embedded.workflowId,
      phone,
      name,
      when: new Date(Date.now() + 3_600_000).toISOString(),
      consent: { text: `Call me, ${name}, at ${phone}.`, version: '1', time: new Date().toISOString() },
    }),
  });
  expect(requested.status, await requested.clone().text()).toBe(202);
  const { call_id: callId } = (await requested.json()) as { call_id: string };
  expect(foundIn(await dump(), [phone, name])).toEqual([phone, name]);
  await embedded.request('POST', `/calls/${callId}/cancel`);
  await finished(callId);
  expect((await erase(callId)).status).toBe(200);
  expect(foundIn(await dump(), [phone, name])).toEqual([]);
  expect((await get(callId)).visit).toMatchObject({ kind: 'callback', consent: null, remote_address: null });
});

it('a summary that is being written when its call is erased is thrown away, with what it would have sent', async () => {
  const storage = testStorage();
  await storage.start();
  const tenant = await createTenant(storage);
  const { organizationId } = tenant;
  const { callId, attemptId, providerCallId } = await tenant.placed();
  await storage.calls.appendTranscript(callId, { role: 'user', content: 'It is me.', interrupted: false });
  const report = { providerCallId, status: 'failed', answeredBy: null, durationSeconds: null } as const;
  await storage.calls.report(attemptId, report);
  const blank = { name: 'Blank', definition: workflowDefinition.parse({ objective: 'None.' }) };
  const model: LanguageModel = {
    streamTurn() {
      throw new Error('the call is over');
    },
    async generateObject({ schema }) {
      await storage.calls.erase({ organizationId, mode: 'live' }, callId, blank);
      return schema.parse({ summary: 'It was them.' });
    },
  };
  const events: unknown[] = [];
  const deliveryId = createId('dlv');
  const work = createFinishWork({
    storage,
    languageModelFor: () => model,
    organizationName: async () => 'Example',
    buildDeliveries: async (_call, _definition, _transcript, body) => [
      {
        id: deliveryId,
        organizationId,
        mode: 'live',
        callId,
        kind: 'webhook',
        integrationId: null,
        url: 'https://example.com/hook',
        sealedBearer: null,
        body,
      },
    ],
    onDue: () => undefined,
    onDeliveries: () => undefined,
    emit: (event) => events.push(event),
  });
  const [job] = await tenant.jobs('finish_call');
  if (!job) throw new Error('nothing finishes the call');
  const signal = new AbortController().signal;
  expect(await work.run(job, signal)).toEqual({ done: true });
  expect(await tenant.call(callId)).toMatchObject({ summary: '', erasedAt: expect.any(Date) });
  expect(await storage.deliveries.load(deliveryId)).toBeNull();
  expect(events).toEqual([]);
  expect(await work.run(job, signal)).toEqual({ done: true });
  await work.giveUp?.(job);
  expect(events).toEqual([]);
  await storage.stop();
});
