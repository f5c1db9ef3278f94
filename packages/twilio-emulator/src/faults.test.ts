import { afterEach, describe, expect, it } from 'vitest';
import { builtInAccounts } from './accounts.ts';
import { FaultInjector, type Faults } from './faults.ts';
import { eventually, type Stage, stage, twiml } from './testing/application.ts';

const { approved } = builtInAccounts;
const from = '+12025550183';
let on: Stage;
afterEach(() => on?.close());

async function withFaults(faults: Partial<Faults>) {
  on = await stage({ faults });
  on.application.answer('/twiml', () => twiml('<Say>Hello.</Say>'));
}

const allEvents = ['initiated', 'ringing', 'answered', 'completed'];
const create = (to = '+12025550133') =>
  on.client.calls.create({
    to,
    from,
    url: `${on.application.url}/twiml?token=abc`,
    statusCallback: `${on.application.url}/status`,
    statusCallbackEvent: allEvents,
  });
const statuses = () => on.application.to('/status').map((webhook) => webhook.form.CallStatus);

describe('faults of create requests', () => {
  it.each([
    ['createTimeout', null, { code: 'ECONNABORTED' }],
    ['createReset', null, { code: 'ECONNRESET' }],
    ['create5xx', 502, { status: 502 }],
    ['createGarbled', 201, {}],
  ] as const)('%s: the call happens although the answer is lost', async (fault, status, error) => {
    await withFaults({ [fault]: 1 });
    await expect(create()).rejects.toMatchObject(error);
    const [record] = on.emulator.calls();
    expect(record).toMatchObject({ outcome: { status, fault }, faults: [fault], url: '/twiml?token=abc' });
    await on.ended(record?.sid ?? '');
    await eventually(() => statuses().includes('completed') || undefined);
  });

  it('createTrickles: the call happens, and its answer comes a byte a second', async () => {
    await withFaults({ createTrickles: 1 });
    const gone = new AbortController();
    const { sid, authToken } = approved;
    const response = await fetch(`${on.emulator.url}/2010-04-01/Accounts/${sid}/Calls.json`, {
      method: 'POST',
      headers: { authorization: `Basic ${btoa(`${sid}:${authToken}`)}` },
      body: new URLSearchParams({ To: '+12025550133', From: from, Url: `${on.application.url}/twiml` }),
      signal: gone.signal,
    });
    expect(response.status).toBe(201);
    const first = await response.body?.getReader().read();
    expect(Buffer.from(first?.value ?? []).toString()).toBe('{');
    gone.abort();
    const [record] = on.emulator.calls();
    expect(record).toMatchObject({ outcome: { status: 201, fault: 'createTrickles' } });
    await on.ended(record?.sid ?? '');
  });

  it.each([
    ['createRefused5xx', 503, { status: 503 }],
    ['createRefusedReset', null, { code: 'ECONNRESET' }],
    ['createRefusedTimeout', null, { code: 'ECONNABORTED' }],
    ['rateLimited', 429, { status: 429, code: 20429 }],
  ] as const)('%s: there is no call', async (fault, status, error) => {
    await withFaults({ [fault]: 1 });
    await expect(create()).rejects.toMatchObject(error);
    const [record] = on.emulator.calls();
    expect(record?.outcome).toMatchObject({ status, fault });
    expect(record?.sid).toBeUndefined();
    expect(await on.client.calls.list()).toEqual([]);
  });
});

describe('faults of callbacks', () => {
  it('lost: none arrives, and the record says so', async () => {
    await withFaults({ callbacksLost: 1 });
    const record = await on.ended((await create()).sid);
    expect(record.callbacks.map((each) => each.result)).toEqual(['lost', 'lost', 'lost', 'lost']);
    expect(on.application.to('/status')).toEqual([]);
  });

  it('duplicated: each arrives twice', async () => {
    await withFaults({ callbacksDuplicated: 1 });
    await create('+12025550111');
    await eventually(() => statuses().length === 6 || undefined);
    expect(statuses().sort()).toEqual(['busy', 'busy', 'initiated', 'initiated', 'ringing', 'ringing']);
  });

  it('reordered: one is overtaken by the next', async () => {
    await withFaults({ callbacksReordered: 1 });
    await create('+12025550111');
    await eventually(() => statuses().length === 3 || undefined);
    expect(statuses().indexOf('initiated')).toBeGreaterThan(statuses().indexOf('ringing'));
  });

  it('late: they arrive after the time asked for', async () => {
    await withFaults({ callbacksLate: 1, callbacksLateMs: 300 });
    const record = await on.ended((await create('+12025550111')).sid);
    expect(statuses()).not.toContain('busy');
    await eventually(() => statuses().includes('busy') || undefined);
    expect(Date.parse(record.callbacks.at(-1)?.at ?? '')).toBeGreaterThan(
      Date.parse(record.timeline.endedAt ?? ''),
    );
  });
});

describe('faults of reading', () => {
  it('listLagMs: a new call is missing from listings, not from fetches', async () => {
    await withFaults({ listLagMs: 300 });
    const { sid } = await create('+12025550110');
    expect(await on.client.calls.list({ to: '+12025550110' })).toEqual([]);
    expect((await on.client.calls(sid).fetch()).sid).toBe(sid);
    await new Promise((resolve) => setTimeout(resolve, 350));
    expect(await on.client.calls.list({ to: '+12025550110' })).toHaveLength(1);
  });

  it('listSlowMs: a listing takes its time', async () => {
    await withFaults({ listSlowMs: 200 });
    const startedAt = Date.now();
    await on.client.calls.list();
    expect(Date.now() - startedAt).toBeGreaterThanOrEqual(195);
  });

  it('fetchFails: reading is answered with 500', async () => {
    await withFaults({ fetchFails: 1 });
    const { sid } = await create('+12025550110');
    await expect(on.client.calls(sid).fetch()).rejects.toMatchObject({ status: 500 });
    await expect(on.client.calls.list()).rejects.toMatchObject({ status: 500 });
  });
});

describe('faults of live calls', () => {
  it('stuckInProgress: the end is never told and updates change nothing', async () => {
    await withFaults({ stuckInProgress: 1 });
    const { sid } = await create();
    expect(await on.ended(sid)).toMatchObject({ status: 'completed', faults: ['stuckInProgress'] });
    const fetched = await on.client.calls(sid).fetch();
    expect(fetched).toMatchObject({ status: 'in-progress', endTime: null, duration: null });
    expect((await on.client.calls(sid).update({ status: 'completed' })).status).toBe('in-progress');
    expect(statuses()).not.toContain('completed');
  });

  it('answerNeverFetched: the callee hears nothing until new instructions come', async () => {
    await withFaults({ answerNeverFetched: 1 });
    const { sid } = await create();
    await eventually(() => on.emulator.call(sid)?.faults[0]);
    expect(on.application.to('/twiml')).toEqual([]);
    await on.client.calls(sid).update({ twiml: '<Response><Say>At last.</Say></Response>' });
    expect((await on.ended(sid)).transcript).toMatchObject([{ text: 'At last.' }]);
  });

  it('socketDrop: the relay socket breaks once in a call', async () => {
    await withFaults({ socketDrop: 1 });
    const { application } = on;
    const noun = `<ConversationRelay url="${application.socketUrl}/relay"/>`;
    application.answer('/twiml', () => twiml(`<Connect action="/twiml">${noun}</Connect>`));
    const { sid } = await create();
    const second = await eventually(() => application.sockets[1]);
    expect(application.sockets[0]?.closed).toMatchObject({ code: 1006 });
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(second.closed).toBeUndefined();
    expect(on.emulator.call(sid)?.faults).toEqual(['socketDrop']);
  });
});

describe('configuring faults', () => {
  it('works at run time over HTTP, one by one', async () => {
    await withFaults({});
    const post = (faults: unknown) =>
      fetch(`${on.emulator.url}/_emulator/faults`, { method: 'POST', body: JSON.stringify(faults) });
    expect(await (await post({ rateLimited: 1 })).json()).toMatchObject({ rateLimited: 1, listLagMs: 0 });
    await expect(create()).rejects.toMatchObject({ code: 20429 });
    expect(await (await post({ listLagMs: 5 })).json()).toMatchObject({ rateLimited: 1, listLagMs: 5 });
    expect((await post({ rateLimited: 2 })).status).toBe(400);
    expect((await post({ unknownFault: 1 })).status).toBe(400);
    expect((await post('rateLimited')).status).toBe(400);
    on.emulator.configure({ faults: { rateLimited: 0 } });
    expect((await create()).status).toBe('queued');
  });

  it('is fair and repeatable by seed', () => {
    const rolls = (seed: number) => {
      const faults = new FaultInjector({ rateLimited: 0.25 }, seed);
      return Array.from({ length: 2000 }, () => faults.happens('rateLimited'));
    };
    expect(rolls(7)).toEqual(rolls(7));
    expect(rolls(7)).not.toEqual(rolls(8));
    const share = rolls(7).filter(Boolean).length / 2000;
    expect(share).toBeGreaterThan(0.2);
    expect(share).toBeLessThan(0.3);
  });

  it('leaves the account usable: the client never sees a fault that is off', async () => {
    await withFaults({});
    expect(on.emulator.accounts.map((account) => account.sid)).toContain(approved.sid);
    expect((await create()).status).toBe('queued');
  });
});
