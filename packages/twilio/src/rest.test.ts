import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { CallkiteError } from '@callkite/core';
import { builtInAccounts, startTwilioEmulator } from '@callkite/twilio-emulator';
import { afterEach, describe, expect, it } from 'vitest';
import { twilio } from './twilio.ts';

const account = { accountId: 'AC00000000000000000000000000000009', secret: 'rest-auth-token' };
const cleanUps: (() => void)[] = [];

afterEach(() => {
  for (const cleanUp of cleanUps.splice(0)) cleanUp();
});

type Reply = { status: number; body: object | string };

/** A REST API that answers as `reply` says, and keeps the paths it was asked for. */
async function restApi(reply: (url: URL, method: string) => Reply) {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '', 'http://127.0.0.1');
    asked.push(`${url.pathname}${url.search}`);
    const { status, body } = reply(url, request.method ?? '');
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(typeof body === 'string' ? body : JSON.stringify(body));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  cleanUps.push(() => {
    server.closeAllConnections();
    server.close();
  });
  const apiBaseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { asked, telephony: twilio({ publicUrl: 'https://calls.example.com', apiBaseUrl }) };
}

const refusal = (status: number, code: number): Reply => ({
  status,
  body: { code, status, message: 'about +12025550100', more_info: '' },
});

async function failureOf(promise: Promise<unknown>): Promise<CallkiteError> {
  const error = await promise.catch((thrown: unknown) => thrown);
  if (!CallkiteError.isInstance(error)) throw new Error(`not a CallkiteError: ${error}`);
  expect(`${error.message} ${JSON.stringify(error)} ${error.cause}`).not.toMatch(
    /2025550100|rest-auth-token/,
  );
  return error;
}

const rfc2822 = (ms: number) => new Date(ms).toUTCString().replace('GMT', '+0000');

function callResource(over: object = {}) {
  return {
    sid: 'CA00000000000000000000000000000001',
    status: 'completed',
    from: '+12025550183',
    to: '+12025550100',
    date_created: rfc2822(1_790_000_000_000),
    answered_by: 'machine_end_beep',
    duration: '17',
    queue_time: '1500',
    ...over,
  };
}

describe('fetching a call', () => {
  it('reads what Twilio knows', async () => {
    const { telephony } = await restApi(() => ({ status: 200, body: callResource() }));
    expect(await telephony.fetchCall(account, 'CA1')).toEqual({
      providerCallId: 'CA00000000000000000000000000000001',
      status: 'completed',
      from: '+12025550183',
      to: '+12025550100',
      createdAtMs: 1_790_000_000_000,
      answeredBy: 'machine',
      durationSeconds: 17,
      queueMs: 1500,
    });
  });

  it('leaves open what Twilio does not know yet', async () => {
    const nothing = {
      status: 'queued',
      date_created: null,
      answered_by: null,
      duration: null,
      queue_time: null,
    };
    const { telephony } = await restApi(() => ({ status: 200, body: callResource(nothing) }));
    expect(await telephony.fetchCall(account, 'CA1')).toMatchObject({
      status: 'queued',
      createdAtMs: null,
      answeredBy: null,
      durationSeconds: null,
      queueMs: null,
    });
  });

  it.each<[Reply, string]>([
    [refusal(401, 20003), 'provider_rejected'],
    [refusal(400, 20001), 'provider_rejected'],
    [refusal(429, 20429), 'provider_unavailable'],
    [refusal(500, 20500), 'provider_unavailable'],
    [{ status: 502, body: '<html>' }, 'provider_unavailable'],
    [{ status: 200, body: '<html>' }, 'provider_unavailable'],
    [{ status: 200, body: { sid: 'CA1' } }, 'provider_unavailable'],
  ])('fails on %j', async (reply, code) => {
    const { telephony } = await restApi(() => reply);
    const error = await failureOf(telephony.fetchCall(account, 'CA1'));
    expect(error).toMatchObject({ code, retryable: code === 'provider_unavailable' });
  });
});

describe('finding calls', () => {
  const query = { from: '+12025550183', to: '+12025550100', sinceMs: 1_790_000_000_700 };
  const listing = (calls: object[], nextPage: number | null): Reply => {
    const next =
      nextPage === null ? null : `/2010-04-01/Accounts/${account.accountId}/Calls.json?Page=${nextPage}`;
    return { status: 200, body: { calls, next_page_uri: next } };
  };
  const at = (sid: string, createdAtMs: number | null) =>
    callResource({ sid, date_created: createdAtMs === null ? null : rfc2822(createdAtMs) });

  it('reads newest pages until they are older than asked for', async () => {
    const pages = [
      listing([at('CA1', null), at('CA2', 1_790_000_009_000)], 1),
      listing([at('CA3', 1_790_000_001_000), at('CA4', 1_790_000_000_000), at('CA5', 1_789_999_999_000)], 2),
      listing([at('CA6', null)], null),
    ];
    const { asked, telephony } = await restApi(
      (url) => pages[Number(url.searchParams.get('Page') ?? 0)] ?? refusal(404, 20404),
    );
    const found = await telephony.findCalls(account, query);
    // CA4 was created in the second of `sinceMs`: Twilio's dates are no finer.
    expect(found.map((call) => call.providerCallId)).toEqual(['CA1', 'CA2', 'CA3', 'CA4']);
    expect(asked).toHaveLength(2);
    expect(asked[0]).toContain('To=%2B12025550100&From=%2B12025550183');
    expect(asked.join()).not.toContain('StartTime');
  });

  it('ends with the last page', async () => {
    const { asked, telephony } = await restApi(() => listing([at('CA1', null)], null));
    expect(await telephony.findCalls(account, query)).toHaveLength(1);
    expect(asked).toHaveLength(1);
  });

  it('fails as a whole when one page does', async () => {
    const { telephony } = await restApi((url) =>
      url.searchParams.has('Page') ? refusal(500, 20500) : listing([at('CA1', null)], 1),
    );
    expect((await failureOf(telephony.findCalls(account, query))).code).toBe('provider_unavailable');
  });
});

describe('ending and redirecting a call', () => {
  it.each([refusal(400, 21220), refusal(404, 20404)])('is done when the call is over: %j', async (reply) => {
    const { telephony } = await restApi(() => reply);
    await telephony.endCall(account, 'CA1');
    await telephony.redirectCall(account, 'CA1', { type: 'hang-up' });
  });

  it('reports other refusals', async () => {
    const { telephony } = await restApi(() => refusal(500, 20500));
    expect((await failureOf(telephony.endCall(account, 'CA1'))).code).toBe('provider_unavailable');
  });
});

describe('an account', () => {
  it.each([
    ['approved', 'full', 'Profile Approved'],
    ['upgraded', 'full', 'Profile In Review'],
    ['trial', 'trial', 'No Profile'],
  ] as const)('like the %s one of the emulator is described', async (name, type, businessProfile) => {
    const emulator = await startTwilioEmulator({ allowInsecureLoopback: true });
    cleanUps.push(() => void emulator.close());
    const { sid, authToken, name: accountName, phoneNumbers } = builtInAccounts[name];
    const telephony = twilio({ publicUrl: 'https://calls.example.com', apiBaseUrl: emulator.url });
    const own = { accountId: sid, secret: authToken };
    expect(await telephony.describeAccount(own)).toEqual({
      accountId: sid,
      name: accountName,
      type,
      active: true,
      businessProfile,
    });
    const numbers = await telephony.listNumbers(own);
    expect(numbers.map((number) => number.phoneNumber).sort()).toEqual([...phoneNumbers].sort());
    expect(numbers[0]).toMatchObject({ canCall: true, canText: true });
  });

  const profiles = (...statuses: string[]): Reply => ({
    status: 200,
    body: { results: statuses.map((status) => ({ sid: 'BU1', status })), meta: { key: 'results' } },
  });
  const described: Reply = {
    status: 200,
    body: {
      sid: account.accountId,
      friendly_name: 'Name',
      type: 'Full',
      status: 'suspended',
      auth_token: 'x',
    },
  };

  it.each([
    [profiles('draft', 'twilio-rejected', 'twilio-approved', 'in-review'), 'Profile Approved'],
    [profiles('twilio-rejected', 'in-review'), 'Profile In Review'],
    [profiles('draft', 'pending-review'), 'Profile Pending'],
    [profiles('twilio-rejected', 'draft'), 'Profile Draft'],
    [profiles('twilio-rejected'), 'Profile Rejected'],
    [profiles('something-new'), 'Profile Error'],
    [profiles(), 'No Profile'],
    [refusal(403, 20403), 'Profile Error'],
    [refusal(500, 20500), 'Profile Error'],
  ] as const)('with %j has the profile status %s', async (reply, businessProfile) => {
    const { telephony } = await restApi((url) => (url.pathname.startsWith('/v1/') ? reply : described));
    const facts = await telephony.describeAccount(account);
    expect(facts).toEqual({
      accountId: account.accountId,
      name: 'Name',
      type: 'full',
      active: false,
      businessProfile,
    });
  });

  it('is refused with advice when the credentials are wrong', async () => {
    const { telephony } = await restApi(() => refusal(401, 20003));
    const error = await failureOf(telephony.describeAccount(account));
    expect(error.code).toBe('provider_rejected');
    expect(error.message).toContain('Auth Token');
    const keyOnly = { ...account, accountId: 'SK1' };
    for (const promise of [telephony.describeAccount(keyOnly), telephony.endCall(keyOnly, 'CA1')]) {
      expect((await failureOf(promise)).code).toBe('provider_rejected');
    }
  });
});
