import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { builtInAccounts } from '../accounts.ts';
import { eventually, type Stage, stage, twilioClient } from '../testing/application.ts';

const { trial, upgraded, approved } = builtInAccounts;
const from = '+12025550183';
const to = '+12025550110';
const twiml = '<Response><Pause length="30"/></Response>';
let on: Stage;
beforeEach(async () => {
  on = await stage();
});
afterEach(() => on.close());

async function post(parameters: Record<string, string>, account = approved) {
  const response = await fetch(`${on.emulator.url}/2010-04-01/Accounts/${account.sid}/Calls.json`, {
    method: 'POST',
    headers: { authorization: `Basic ${btoa(`${account.sid}:${account.authToken}`)}` },
    body: new URLSearchParams(parameters),
  });
  return { status: response.status, body: (await response.json()) as { sid: string; code: number } };
}

describe('credentials', () => {
  it('refuses none, wrong ones and those of another account with 20003', async () => {
    const clients = [
      twilioClient(on.emulator, approved.sid, 'wrong'),
      twilioClient(on.emulator, 'AC00000000000000000000000000000009', 'wrong'),
      twilioClient(on.emulator, trial.apiKeys[0]?.sid ?? '', trial.apiKeys[0]?.secret ?? '', approved.sid),
    ];
    for (const client of clients) {
      await expect(client.calls.list({ limit: 1 })).rejects.toMatchObject({ status: 401, code: 20003 });
    }
    const anonymous = await fetch(`${on.emulator.url}/2010-04-01/Accounts/${approved.sid}/Calls.json`);
    expect(anonymous.status).toBe(401);
    expect(anonymous.headers.get('www-authenticate')).toContain('Basic');
  });

  it('accepts an API key', async () => {
    const key = approved.apiKeys[0] ?? { sid: '', secret: '' };
    const client = twilioClient(on.emulator, key.sid, key.secret, approved.sid);
    expect(await client.calls.list({ limit: 1 })).toEqual([]);
    await expect(client.api.v2010.accounts(approved.sid).fetch()).rejects.toMatchObject({ code: 20003 });
  });
});

describe('creating a call', () => {
  it('answers 201, queued, without dates', async () => {
    const { status, body } = await post({ To: to, From: from, Twiml: twiml });
    expect(status).toBe(201);
    expect(body).toMatchObject({
      sid: expect.stringMatching(/^CA[0-9a-f]{32}$/),
      account_sid: approved.sid,
      status: 'queued',
      direction: 'outbound-api',
      to,
      to_formatted: '(202) 555-0110',
      from,
      date_created: null,
      start_time: null,
      duration: null,
      answered_by: null,
      api_version: '2010-04-01',
      uri: `/2010-04-01/Accounts/${approved.sid}/Calls/${body.sid}.json`,
    });
  });

  it('ignores parameters it does not know', async () => {
    expect(await post({ To: to, From: from, Twiml: twiml, Surprise: '1' })).toMatchObject({ status: 201 });
  });

  const valid = { To: to, From: from, Twiml: twiml };
  const url = 'https://calls.example.test/x';
  it.each<[string, Record<string, string>, number]>([
    ['no To', { From: from, Twiml: twiml }, 21201],
    ['no From', { To: to, Twiml: twiml }, 21213],
    ['a To that is no number', { ...valid, To: '2025550110' }, 21211],
    ['a To with an impossible area code', { ...valid, To: '+11025550110' }, 21211],
    ['a From that is no number', { ...valid, From: 'Example' }, 21212],
    ['a From of somebody else', { ...valid, From: '+12025550180' }, 21210],
    ['a To that nobody answers', { ...valid, To: '+12025559999' }, 21214],
    ['a To in a country that is switched off', { ...valid, To: '+442079460123' }, 21215],
    ['a Caribbean To that looks like US', { ...valid, To: '+17675550100' }, 21215],
    ['the magic invalid To', { ...valid, To: '+15005550001' }, 21217],
    ['the magic unroutable To', { ...valid, To: '+15005550002' }, 21214],
    ['the magic international To', { ...valid, To: '+15005550003' }, 21215],
    ['the magic blocked To', { ...valid, To: '+15005550004' }, 21216],
    ['the magic invalid From', { ...valid, From: '+15005550001' }, 21212],
    ['another magic From', { ...valid, From: '+15005550007' }, 21210],
    ['no instruction', { To: to, From: from }, 21205],
    ['a relative Url', { To: to, From: from, Url: '/twiml' }, 21205],
    ['an insecure Url elsewhere', { To: to, From: from, Url: 'http://calls.example.test/x' }, 21205],
    ['an application', { To: to, From: from, ApplicationSid: `AP${'0'.repeat(32)}` }, 21218],
    ['Twiml of more than 4000 characters', { ...valid, Twiml: 'x'.repeat(4001) }, 21200],
    ['a StatusCallback that is no URL', { ...valid, StatusCallback: 'status' }, 21609],
    ['an underscore in the host', { ...valid, StatusCallback: 'https://my_host.example.test/' }, 21609],
    ['a Method that does not exist', { ...valid, Url: url, Method: 'PUT' }, 21209],
    ['a Timeout of more than 600', { ...valid, Timeout: '601' }, 21208],
    ['a TimeLimit that is no number', { ...valid, TimeLimit: 'long' }, 21200],
    ['SendDigits with letters', { ...valid, SendDigits: '12x' }, 21206],
    ['a MachineDetection that does not exist', { ...valid, MachineDetection: 'enable' }, 21207],
    ['a MachineDetectionTimeout of 60', { ...valid, MachineDetectionTimeout: '60' }, 21207],
    ['a speech threshold of 999', { ...valid, MachineDetectionSpeechThreshold: '999' }, 21207],
    ['a speech end threshold of 5001', { ...valid, MachineDetectionSpeechEndThreshold: '5001' }, 21207],
    ['a silence timeout of 1999', { ...valid, MachineDetectionSilenceTimeout: '1999' }, 21207],
    ['an AsyncAmd that is no boolean', { ...valid, AsyncAmd: 'yes' }, 21207],
  ])('refuses %s', async (_what, parameters, code) => {
    const { status, body } = await post(parameters);
    expect({ status, code: body.code }).toEqual({ status: 400, code });
    expect(body).toEqual({
      code,
      message: expect.any(String),
      more_info: `https://www.twilio.com/docs/errors/${code}`,
      status: 400,
    });
    const [record] = on.emulator.calls();
    expect(record?.outcome).toEqual({ status: 400, code });
    expect(record?.sid).toBeUndefined();
  });

  it('accepts the magic caller and blocked numbers are refused per account', async () => {
    expect(await post({ ...valid, From: '+15005550006' })).toMatchObject({ status: 201 });
    await on.close();
    on = await stage({ accounts: [{ ...approved, blockedNumbers: [to] }] });
    expect((await post(valid)).body.code).toBe(21216);
  });

  it('lets a trial account call verified numbers only', async () => {
    const parameters = { To: '+12025550102', From: '+12025550180', Twiml: twiml };
    expect((await post(parameters, trial)).body.code).toBe(21219);
    expect((await post({ ...parameters, To: '+12025550110' }, trial)).status).toBe(201);
  });

  it('refuses the call over the limit of calls at once with 10004', async () => {
    const parameters = { To: to, From: '+12025550181', Twiml: twiml };
    for (let count = 0; count < 4; count += 1) expect((await post(parameters, upgraded)).status).toBe(201);
    expect((await post(parameters, upgraded)).body.code).toBe(10004);
  });

  it('refuses a suspended account with 10001', async () => {
    await on.close();
    on = await stage({ accounts: [{ ...approved, status: 'suspended' }] });
    expect(await post(valid)).toMatchObject({ status: 403, body: { code: 10001 } });
  });

  it('refuses insecure addresses of this machine unless they are allowed', async () => {
    await on.close();
    on = await stage({ allowInsecureLoopback: false });
    const { body } = await post({ To: to, From: from, Url: 'http://127.0.0.1:8080/x' });
    expect(body.code).toBe(21205);
  });

  it('warns about status events that do not exist', async () => {
    const { body } = await post({ ...valid, StatusCallback: url, StatusCallbackEvent: 'hung-up' });
    expect(on.emulator.call(body.sid)?.notifications).toMatchObject([{ code: 21626 }]);
  });
});

describe('the queue', () => {
  it('lets calls out at the rate of the account and tells how long each one waited', async () => {
    await on.close();
    on = await stage({ accounts: [{ ...approved, callsPerSecond: 10 }] });
    const created = await Promise.all([1, 2, 3, 4].map(() => post({ To: to, From: from, Twiml: twiml })));
    const records = created.map(({ body }) => on.emulator.call(body.sid));
    await eventually(() => records.every((record) => record?.timeline.dequeuedAt) || undefined);
    const startTimes = records.map((record) => Date.parse(record?.timeline.dequeuedAt ?? '')).sort();
    const [first = 0, ...others] = startTimes;
    for (const [index, time] of others.entries()) {
      expect(time - first).toBeGreaterThanOrEqual(100 * (index + 1) - 25);
    }
    const last = records.find(
      (record) => Date.parse(record?.timeline.dequeuedAt ?? '') === startTimes.at(-1),
    );
    const { queueTime, startTime } = await on.client.calls(last?.sid ?? '').fetch();
    expect(Number(queueTime)).toBeGreaterThan(250);
    expect(startTime).toBeInstanceOf(Date);
  });

  it('gives no turn to a call that was canceled while it waited', async () => {
    await on.close();
    on = await stage({ accounts: [{ ...approved, callsPerSecond: 2 }] });
    const created: { sid: string }[] = [];
    for (let count = 0; count < 3; count += 1)
      created.push((await post({ To: to, From: from, Twiml: twiml })).body);
    const canceled = await on.client.calls(created[1]?.sid ?? '').update({ status: 'canceled' });
    expect(canceled.status).toBe('canceled');
    await eventually(() => on.emulator.call(created[2]?.sid ?? '')?.timeline.dequeuedAt);
    expect(on.emulator.call(created[1]?.sid ?? '')?.timeline.dequeuedAt).toBeUndefined();
  });
});

describe('reading calls', () => {
  it('fetches one and knows no other', async () => {
    const { body } = await post({ To: to, From: from, Twiml: twiml });
    const call = await on.client.calls(body.sid).fetch();
    expect(call).toMatchObject({ sid: body.sid, to, from });
    expect(call.dateCreated).toBeInstanceOf(Date);
    await expect(on.client.calls(`CA${'0'.repeat(32)}`).fetch()).rejects.toMatchObject({
      status: 404,
      code: 20404,
    });
  });

  it('pages through a listing, the newest first', async () => {
    const sids: string[] = [];
    for (let count = 0; count < 5; count += 1) {
      sids.unshift((await post({ To: to, From: from, Twiml: twiml })).body.sid);
    }
    const first = await on.client.calls.page({ pageSize: 2 });
    expect(first.instances.map((call) => call.sid)).toEqual(sids.slice(0, 2));
    await post({ To: to, From: from, Twiml: twiml });
    const second = await first.nextPage();
    expect(second?.instances.map((call) => call.sid)).toEqual(sids.slice(2, 4));
    const all = await on.client.calls.list({ pageSize: 2 });
    expect(all).toHaveLength(6);
  });

  it('filters by number, status, parent and start time', async () => {
    const { body } = await post({ To: to, From: from, Twiml: twiml });
    await post({ To: '+12025550111', From: '+12025550184', Twiml: twiml });
    await eventually(() => on.emulator.call(body.sid)?.timeline.ringingAt);
    const sids = async (filter: Parameters<typeof on.client.calls.list>[0]) =>
      (await on.client.calls.list({ ...filter, limit: 20 })).map((call) => call.sid);
    const minute = 60_000;
    expect(await sids({ to })).toEqual([body.sid]);
    expect(await sids({ from })).toEqual([body.sid]);
    expect(await sids({ status: 'ringing' })).toEqual([body.sid]);
    expect(await sids({ parentCallSid: body.sid })).toEqual([]);
    expect(await sids({ to, startTimeAfter: new Date(Date.now() - minute) })).toEqual([body.sid]);
    expect(await sids({ to, startTimeAfter: new Date(Date.now() + minute) })).toEqual([]);
    expect(await sids({ to, startTimeBefore: new Date(Date.now() + minute) })).toEqual([body.sid]);
    expect(await sids({ to, startTimeBefore: new Date(Date.now() - minute) })).toEqual([]);
  });
});

describe('updating a call', () => {
  it('cancels a ringing call, and refuses anything afterwards with 21220', async () => {
    const { body } = await post({ To: to, From: from, Twiml: twiml });
    await eventually(() => on.emulator.call(body.sid)?.timeline.ringingAt);
    await expect(on.client.calls(body.sid).update({ twiml })).rejects.toMatchObject({ code: 21220 });
    expect((await on.client.calls(body.sid).update({ status: 'canceled' })).status).toBe('canceled');
    await expect(on.client.calls(body.sid).update({ status: 'completed' })).rejects.toMatchObject({
      status: 400,
      code: 21220,
    });
  });

  it('hangs up an answered call, which canceled does not', async () => {
    const { body } = await post({ To: '+12025550133', From: from, Twiml: twiml });
    await eventually(() => on.emulator.call(body.sid)?.timeline.answeredAt);
    expect((await on.client.calls(body.sid).update({ status: 'canceled' })).status).toBe('in-progress');
    const ended = await on.client.calls(body.sid).update({ status: 'completed' });
    expect(ended.status).toBe('completed');
    expect(Number(ended.duration)).toBeGreaterThanOrEqual(1);
    expect(ended.endTime).toBeInstanceOf(Date);
  });

  it('replaces the running instructions', async () => {
    const { body } = await post({ To: '+12025550133', From: from, Twiml: twiml });
    await eventually(() => on.emulator.call(body.sid)?.documents[0]);
    await on.client.calls(body.sid).update({ twiml: '<Response><Say>Something else</Say></Response>' });
    const record = await on.ended(body.sid);
    expect(record.transcript).toMatchObject([{ speaker: 'agent', text: 'Something else' }]);
  });

  it('refuses another status and two instructions', async () => {
    const { body } = await post({ To: to, From: from, Twiml: twiml });
    const update = on.client.calls(body.sid);
    await expect(update.update({ status: 'busy' as 'completed' })).rejects.toMatchObject({ code: 21200 });
    await expect(update.update({ twiml, url: 'https://calls.example.test/x' })).rejects.toMatchObject({
      code: 21200,
    });
  });
});
