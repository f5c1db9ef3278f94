import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import type { WidgetErrorBody } from '@callkite/contract';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { eventually } from '../embedded.ts';
import { testStorage } from '../test-storage.ts';
import { consent, origin, startWebsite, type Website } from './website.ts';

const storage = testStorage();
let website: Website;
const caller = () =>
  ({ organizationId: website.embedded.organizationId, mode: 'live', keyId: 'key_1' }) as const;

beforeAll(async () => {
  website = await startWebsite({
    webCalls: { perAddressAndMinute: 5, callbacksPerNumberAndHour: 1 },
    embedded: { storage },
  });
});

afterAll(() => website.stop());

let addresses = 0;
/** Nobody who came before has this address. */
function newAddress(): string {
  addresses += 1;
  return `198.51.100.${addresses}`;
}

const session = (changes: object = {}, request: object = {}) =>
  website.ask(
    '/widget/sessions',
    { workflow_id: website.workflowId, media: 'text', ...changes },
    { address: newAddress(), ...request },
  );

async function refused(answer: Response, status: number, code: string): Promise<void> {
  const body = (await answer.json()) as WidgetErrorBody;
  expect({ status: answer.status, code: body.code }).toEqual({ status, code });
  expect(body.error).not.toBe('');
}

async function newKey(changes: object = {}) {
  const answer = await website.embedded.request('POST', '/publishable-keys', {
    name: 'Another page',
    mode: 'live',
    allowed_origins: [origin],
    workflow_ids: [website.workflowId],
    ...changes,
  });
  expect(answer.status, await answer.clone().text()).toBe(201);
  return (await answer.json()) as { id: string; key: string; identity_secret: string };
}

describe('a session', () => {
  it('tells the page where to go on', async () => {
    const answer = await session();
    expect(answer.status).toBe(201);
    expect(answer.headers.get('access-control-allow-origin')).toBe(origin);
    expect(answer.headers.get('access-control-allow-credentials')).toBeNull();
    expect(answer.headers.get('vary')).toBe('Origin');
    expect(await answer.json()).toEqual({
      call_id: expect.stringMatching(/^call_/),
      token: expect.any(String),
      expires_in_seconds: 60,
      url: `${website.embedded.url.replace('http', 'ws')}/widget/socket`,
      transport: 'text',
      codecs: [],
      language: 'en-US',
      agent_name: null,
    });
    expect(await (await session({ media: 'audio' })).json()).toMatchObject({
      transport: 'audio',
      codecs: ['mulaw/8000'],
    });
  });

  it('is for pages of the origins of the key only', async () => {
    for (const wrong of ['https://www.example.org', 'http://www.example.com', 'null', null]) {
      await refused(await session({}, { origin: wrong }), 403, 'origin_not_allowed');
    }
    const { key } = await newKey({ allowed_origins: ['https://*.example.org:8443'] });
    for (const right of ['https://a.example.org:8443', 'https://a.b.example.org:8443']) {
      expect((await session({}, { key, origin: right })).status).toBe(201);
    }
    for (const wrong of [
      'https://example.org:8443',
      'https://a.example.org',
      'https://a.example.org.evil.example:8443',
      'https://evil.example/.example.org:8443',
    ]) {
      await refused(await session({}, { key, origin: wrong }), 403, 'origin_not_allowed');
    }
  });

  it('is for the workflows of the key only', async () => {
    await refused(await session({ workflow_id: website.embedded.workflowId }), 403, 'workflow_disabled');
    const { callkite, organizationId } = website.embedded;
    const { id } = await callkite.workflows.create(
      { organizationId, mode: 'live' },
      {
        name: 'Short-lived',
        definition: { objective: 'x' },
      },
    );
    const { key } = await newKey({ workflow_ids: [id] });
    await callkite.workflows.delete({ organizationId, mode: 'live' }, id);
    await refused(await session({ workflow_id: id }, { key }), 403, 'workflow_disabled');
  });

  it('is refused to unknown and revoked keys at once', async () => {
    await refused(await session({}, { key: 'ck_pub_unknown' }), 401, 'unauthenticated');
    await refused(await session({}, { key: website.embedded.liveKey }), 401, 'unauthenticated');
    const { id, key } = await newKey();
    const admitted = await session({}, { key });
    expect(admitted.status).toBe(201);
    expect((await website.embedded.request('DELETE', `/publishable-keys/${id}`)).status).toBe(200);
    await refused(await session({}, { key }), 401, 'unauthenticated');
    const { token, url } = (await admitted.json()) as { token: string; url: string };
    const socket = new WebSocket(url, ['call.v1', `token.${token}`], { origin });
    expect((await once(socket, 'close'))[0]).toBe(4401);
  });

  it('is refused when there are too many from one address', async () => {
    const address = newAddress();
    for (let count = 0; count < 5; count += 1) expect((await session({}, { address })).status).toBe(201);
    const answer = await session({}, { address });
    expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(answer.headers.get('access-control-expose-headers')).toContain('retry-after');
    await refused(answer, 429, 'rate_limited');
    expect((await session()).status).toBe(201);
  });

  it('is refused when the day of the key is spent, also to those who were admitted before', async () => {
    const { key } = await newKey({ daily_calls: 1 });
    const tokens = [];
    for (let count = 0; count < 2; count += 1) {
      tokens.push((await (await session({}, { key })).json()) as { token: string; url: string });
    }
    const codes: number[] = [];
    const sockets = tokens.map(({ token, url }) => {
      const socket = new WebSocket(url, ['call.v1', `token.${token}`], { origin });
      socket.on('open', () => socket.send(JSON.stringify({ type: 'start', resume: null, media: 'text' })));
      socket.on('close', (code) => codes.push(code));
      return socket;
    });
    await eventually('a refusal', () => codes.length === 1);
    expect(codes).toEqual([4429]);
    const answer = await session({}, { key });
    expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
    await refused(answer, 429, 'rate_limited');
    for (const socket of sockets) socket.close();
  });

  it('knows users for whom the organization vouches', async () => {
    const { key, identity_secret } = await newKey();
    const hash = createHmac('sha256', identity_secret).update('user-1').digest('hex');
    expect((await session({ user: { id: 'user-1', hash } }, { key })).status).toBe(201);
    expect((await session({ user: { id: 'user-2' } }, { key })).status).toBe(201);
    await refused(await session({ user: { id: 'user-2', hash } }, { key }), 403, 'forbidden');
  });

  it('is asked for in a body that fits', async () => {
    const answer = await session({ workflow_id: 7, page: 'no url' });
    const body = (await answer.json()) as WidgetErrorBody;
    expect(answer.status).toBe(400);
    expect(body.code).toBe('validation_failed');
    expect(Object.keys(body.details ?? {})).toEqual(['workflow_id', 'page']);
  });
});

describe('a preflight', () => {
  const preflight = (path: string) =>
    fetch(website.embedded.url + path, {
      method: 'OPTIONS',
      headers: { origin, 'access-control-request-method': 'POST' },
    });

  it('lets pages ask the widget’s endpoints, and nothing else', async () => {
    const answer = await preflight('/widget/sessions');
    expect(answer.status).toBe(204);
    expect(answer.headers.get('access-control-allow-origin')).toBe(origin);
    expect(answer.headers.get('access-control-allow-headers')).toBe('authorization, content-type');
    expect(answer.headers.get('access-control-allow-methods')).toBe('POST');
    for (const path of ['/call', '/publishable-keys', '/widget/unheard-of']) {
      const other = await preflight(path);
      expect([404, 405]).toContain(other.status);
      if (!path.startsWith('/widget')) {
        expect(other.headers.get('access-control-allow-origin')).toBeNull();
      }
    }
  });
});

describe('a token', () => {
  it('opens one call, and its socket for pages of its origin only', async () => {
    const visitor = await website.admit();
    await visitor.open({ origin: 'https://www.example.org' });
    expect(await visitor.closed()).toBe(4403);
    await visitor.open();
    visitor.send({ type: 'text', id: 1, text: 'Hello?' });
    expect(await visitor.closed()).toBe(4400);
    await visitor.start();
    visitor.hangUp();
    await visitor.closed();
    await website.finished(visitor.session.call_id);
    const again = await website.admit();
    await again.start();
    const socket = new WebSocket(again.session.url, ['call.v1', `token.${again.session.token}`], { origin });
    socket.on('open', () => socket.send(JSON.stringify({ type: 'start', resume: null, media: 'text' })));
    expect((await once(socket, 'close'))[0]).toBe(4401);
    again.type('Can you repeat that?');
    await again.agentLines(2);
    again.hangUp();
    expect(await again.closed()).toBe(1000);
  });

  it('must be known', async () => {
    const visitor = await website.admit();
    await visitor.open({ protocols: ['call.v1', 'token.unknown'] });
    expect(await visitor.closed()).toBe(4401);
    await visitor.open({ protocols: ['call.v1'] });
    expect(await visitor.closed()).toBe(4401);
    const socket = new WebSocket(visitor.session.url, ['other', `token.${visitor.session.token}`], {
      origin,
    });
    const refusal = await new Promise((resolve) => {
      socket.on('unexpected-response', (_request, { statusCode }) => resolve(statusCode));
    });
    expect(refusal).toBe(400);
  });
});

describe('a call-back', () => {
  const callBack = (changes: object = {}, request: object = {}) =>
    website.ask(
      '/widget/callbacks',
      { workflow_id: website.workflowId, phone: '+12025550142', name: 'Jamie Doe', consent, ...changes },
      { address: newAddress(), ...request },
    );

  const stateOf = (callId: string, token: string) =>
    fetch(`${website.embedded.url}/widget/callbacks/${callId}`, {
      headers: { authorization: `Bearer ${token}` },
    });

  it('calls the visitor, and keeps what he agreed to', async () => {
    const answer = await callBack({ page: `${origin}/contact` }, { address: '198.51.100.200' });
    expect(answer.status, await answer.clone().text()).toBe(202);
    const { call_id: callId, token } = (await answer.json()) as { call_id: string; token: string };
    expect(await (await stateOf(callId, token)).json()).toEqual({
      call_id: callId,
      state: expect.any(String),
      result: null,
    });
    expect((await stateOf(callId, `${token}x`)).status).toBe(401);
    const call = await website.finished(callId);
    expect(call).toMatchObject({
      call_status: 'success',
      phone_number_to: '+12025550142',
      recipient_name: 'Jamie Doe',
      visit: {
        kind: 'callback',
        origin,
        remote_address: '198.51.100.200',
        page: `${origin}/contact`,
        consent,
      },
    });
    expect(await (await stateOf(callId, token)).json()).toMatchObject({
      state: 'completed',
      result: 'reached',
    });
    // To this number once an hour, whoever asks.
    await refused(await callBack(), 429, 'rate_limited');
  });

  it('tells a page where its key calls back, and the visitor can cancel what is to come', async () => {
    const settings = await website.ask('/widget/settings', {}, { address: newAddress() });
    expect(await settings.json()).toEqual({ callback_countries: ['US'] });
    const when = new Date(Date.now() + 3_600_000).toISOString();
    const answer = await callBack({ phone: '+12025550157', when });
    expect(answer.status, await answer.clone().text()).toBe(202);
    const { call_id: callId, token } = (await answer.json()) as { call_id: string; token: string };
    const cancel = (authorization: string) =>
      fetch(`${website.embedded.url}/widget/callbacks/${callId}`, {
        method: 'DELETE',
        headers: { authorization: `Bearer ${authorization}` },
      });
    await refused(await cancel(`${token}x`), 401, 'unauthenticated');
    for (const _again of [1, 2]) {
      expect(await (await cancel(token)).json()).toEqual({
        call_id: callId,
        state: 'completed',
        result: 'canceled',
      });
    }
    expect(await website.finished(callId)).toMatchObject({ provider_status: 'canceled' });
  });

  it('calls at the time that was asked for, and not before', async () => {
    const when = new Date(Date.now() + 3000);
    const answer = await callBack({ phone: '+12025550151', when: when.toISOString() });
    expect(answer.status, await answer.clone().text()).toBe(202);
    const { call_id: callId, token } = (await answer.json()) as { call_id: string; token: string };
    const { state } = (await (await stateOf(callId, token)).json()) as { state: string };
    if (Date.now() < when.getTime()) expect(state).toBe('queued');
    expect(await website.finished(callId)).toMatchObject({ call_status: 'success' });
    const dialed = website.embedded.twilioEmulator.calls().filter(({ to }) => to === '+12025550151');
    expect(dialed).toHaveLength(1);
    expect(Date.parse(dialed[0]?.receivedAt ?? '')).toBeGreaterThanOrEqual(when.getTime());
  });

  it('is not dialed when the number was opted out, or the call canceled, before its time', async () => {
    const when = new Date(Date.now() + 3000).toISOString();
    const ask = async (phone: string) =>
      ((await (await callBack({ phone, when })).json()) as { call_id: string }).call_id;
    const optedOut = await ask('+12025550152');
    const canceled = await ask('+12025550153');
    await website.embedded.callkite.doNotCall.add(caller(), { phoneNumber: '+12025550152' });
    expect((await website.embedded.request('POST', `/calls/${canceled}/cancel`)).status).toBe(200);
    expect(await website.finished(optedOut)).toMatchObject({ reason: 'blocked_dnc' });
    expect(await website.finished(canceled)).toMatchObject({ reason: 'canceled_by_request' });
    const dialed = website.embedded.twilioEmulator.calls().map(({ to }) => to);
    expect(dialed).not.toContain('+12025550152');
    expect(dialed).not.toContain('+12025550153');
  });

  it.each([
    ['a time that has passed', -60_000, 'future'],
    ['more than seven days ahead', 7 * 24 * 3_600_000 + 60_000, 'seven days'],
  ])('is not taken for %s', async (_what, fromNowMs, words) => {
    const answer = await callBack({
      phone: '+12025550154',
      when: new Date(Date.now() + fromNowMs).toISOString(),
    });
    const body = (await answer.json()) as WidgetErrorBody;
    expect(answer.status).toBe(400);
    expect(body).toMatchObject({
      code: 'validation_failed',
      details: { when: [expect.stringContaining(words)] },
    });
  });

  it('is not saved up for one number', async () => {
    const later = () => new Date(Date.now() + 3_600_000).toISOString();
    expect((await callBack({ phone: '+12025550155', when: later() })).status).toBe(202);
    await refused(await callBack({ phone: '+12025550155', when: later() }), 429, 'rate_limited');
  });

  it('is refused without consent, and to numbers that may not be called', async () => {
    const without = await callBack({ consent: undefined });
    expect(Object.keys(((await without.json()) as WidgetErrorBody).details ?? {})).toEqual(['consent']);
    await refused(await callBack({ phone: '12025550143' }), 400, 'invalid_phone_number');
    await refused(await callBack({ phone: '+442079460123' }), 400, 'destination_not_allowed');
    await refused(await callBack({ phone: '+16135550143' }), 400, 'destination_not_allowed');
    await refused(await callBack({}, { origin: 'https://www.example.org' }), 403, 'origin_not_allowed');
    const { key } = await newKey();
    await refused(await callBack({ phone: '+12025550144' }, { key }), 400, 'destination_not_allowed');
  });

  it('is refused to those who wanted no more calls, and leaves nothing', async () => {
    const { key } = await newKey({ callback_countries: ['US'], daily_calls: 1 });
    await website.embedded.callkite.doNotCall.add(caller(), { phoneNumber: '+12025550166' });
    await refused(await callBack({ phone: '+12025550166' }, { key }), 400, 'number_opted_out');
    expect((await callBack({ phone: '+12025550147' }, { key })).status).toBe(202);
  });

  it('counts towards the day of the key', async () => {
    const { key } = await newKey({ callback_countries: ['US'], daily_calls: 1 });
    expect((await callBack({ phone: '+12025550145' }, { key })).status).toBe(202);
    await refused(await callBack({ phone: '+12025550146' }, { key }), 429, 'rate_limited');
    await refused(await session({}, { key }), 429, 'rate_limited');
  });
});
