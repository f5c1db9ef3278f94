import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Embedded, startEmbedded } from '../embedded.ts';
import { testStorage } from '../test-storage.ts';

const storage = testStorage();
let embedded: Embedded;

beforeAll(async () => {
  embedded = await startEmbedded({ storage });
}, 60_000);

afterAll(() => embedded?.stop());

const call = (phone: string, key = embedded.liveKey) =>
  embedded.request(
    'POST',
    '/call',
    { recipient_phone: phone, workflow_id: embedded.workflowId },
    { authorization: `Bearer ${key}` },
  );

async function entries(query = '') {
  const response = await embedded.request('GET', `/do-not-call${query}`);
  return ((await response.json()) as { entries: Record<string, string | null>[] }).entries;
}

it('adds a number, refuses calls to it, and calls it again once it is lifted', async () => {
  const phone = '+12025550171';
  const added = await embedded.request('POST', '/do-not-call', {
    phone_number: phone,
    reason: 'Asked by mail',
  });
  expect(added.status).toBe(201);
  expect(await added.json()).toMatchObject({ phone_number: phone, source: 'api', reason: 'Asked by mail' });
  const refused = await call(phone);
  expect([refused.status, refused.headers.get('callkite-error-code')]).toEqual([400, 'number_opted_out']);
  expect((await call(phone, embedded.testKey)).status).toBe(200);
  expect(await entries(`?phone_number=${encodeURIComponent(phone)}`)).toMatchObject([
    { phone_number: phone },
  ]);

  for (const path of [`/do-not-call/${encodeURIComponent(phone)}`, `/do-not-call/${phone}`]) {
    const lifted = await embedded.request('DELETE', path);
    expect(lifted.status).toBe(200);
    expect(await lifted.json()).toMatchObject({
      phone_number: phone,
      lifted_by: expect.stringMatching(/^key_/),
    });
    expect((await call(phone)).status).toBe(200);
    expect((await embedded.request('DELETE', path)).status).toBe(404);
    await embedded.request('POST', '/do-not-call', { phone_number: phone });
  }
  expect(await entries('?lifted=true')).toHaveLength(2);
});

it('takes a list and a file, and says which rows are no numbers', async () => {
  const list = await embedded.request('POST', '/do-not-call/import', {
    phone_numbers: ['+12025550172', '+1 (202) 555-0173', '+12025550172', 'Jordan', '2025550174'],
  });
  expect(list.status).toBe(200);
  expect(await list.json()).toMatchObject({
    added: 2,
    already_listed: 1,
    refused_count: 2,
    refused: [
      { row: 4, error: expect.stringContaining('E.164') },
      { row: 5, error: expect.any(String) },
    ],
  });
  const csv = '\uFEFFphone_number;name\r\n"+12025550175";Jordan\r\n+12025550176;Riley\r\nnobody;x\r\n';
  const file = await embedded.request('POST', '/do-not-call/import', { csv, reason: 'Moved over' });
  expect(await file.json()).toEqual({
    added: 2,
    already_listed: 0,
    refused_count: 1,
    refused: [{ row: 4, error: expect.any(String) }],
  });
  expect(await entries('?phone_number=%2B12025550176')).toMatchObject([
    { source: 'import', reason: 'Moved over' },
  ]);
  expect((await call('+12025550175')).status).toBe(400);
  for (const body of [{}, { csv, phone_numbers: ['+12025550177'] }, { phone_numbers: [] }]) {
    expect((await embedded.request('POST', '/do-not-call/import', body)).status).toBe(400);
  }
});

it('takes thousands of numbers in one body', async () => {
  const csv = Array.from({ length: 5_000 }, (_, index) => `+49301${String(index).padStart(6, '0')}`).join(
    '\n',
  );
  const file = await embedded.request('POST', '/do-not-call/import', { csv });
  expect(await file.json()).toMatchObject({ added: 5_000, refused_count: 0 });
});

it('lifts what a callee asked for only with a reason', async () => {
  const phone = '+12025550178';
  const caller = { organizationId: embedded.organizationId, mode: 'live', keyId: 'key_1' } as const;
  const { callId } = await embedded.callkite.calls.trigger(caller, {
    workflowId: embedded.workflowId,
    recipientPhone: '+12025550104',
  });
  await embedded.callkite.calls.cancel(caller, callId);
  const path = `/do-not-call/${encodeURIComponent(phone)}`;
  await storage.doNotCall.add(caller, [{ phoneNumber: phone, numberKey: 'key' }], {
    source: 'callee',
    reason: null,
    callId,
    addedBy: null,
  });
  expect(await entries('?phone_number=%2B12025550178')).toMatchObject([
    { source: 'callee', call_id: callId },
  ]);
  const refused = await embedded.request('DELETE', path);
  expect([refused.status, refused.headers.get('callkite-error-code')]).toEqual([403, 'forbidden']);
  const lifted = await embedded.request('DELETE', `${path}?reason=${encodeURIComponent('They wrote to us')}`);
  expect(await lifted.json()).toMatchObject({ lift_reason: 'They wrote to us', call_id: callId });
});
