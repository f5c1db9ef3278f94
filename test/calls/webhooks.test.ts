import { once } from 'node:events';
import { builtInAccounts, twilioSignature } from '@callkite/twilio-emulator';
import { afterEach, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { type Embedded, eventually, startEmbedded } from '../embedded.ts';
import { testStorage } from '../test-storage.ts';

let embedded: Embedded;
afterEach(() => embedded.stop());

/** Rings for twelve seconds of the call before it answers. */
const slow = '+12025550101';
const busy = '+12025550111';
const alsoSlow = '+12025550110';
const voicemail = '+12025550120';
/** Picks up after the greeting of a mailbox has begun. */
const late = '+12025550137';

interface CallResource {
  call_id: string;
  state: string;
  call_status: string | null;
  provider_status: string | null;
  reason: string | null;
  answered_by: string | null;
  messages: { role: string; content: string }[];
}

async function trigger(to: string): Promise<string> {
  await embedded.request('POST', '/call', { workflow_id: embedded.workflowId, recipient_phone: to });
  const listed = await embedded.request('GET', `/calls?to=${encodeURIComponent(to)}`);
  const { calls } = (await listed.json()) as { calls: CallResource[] };
  return calls[0]?.call_id ?? '';
}

async function resource(callId: string): Promise<CallResource> {
  return (await (await embedded.request('GET', `/calls/${callId}`)).json()) as CallResource;
}

const atCarrier = async (to: string) =>
  eventually('the call at the carrier', () =>
    embedded.twilioEmulator.calls().find((record) => record.to === to && record.sid !== undefined),
  );

/** The token is in the URL that the carrier was given for its status callbacks. */
async function sendWebhook(to: string, path: string, parameters: Record<string, string>): Promise<Response> {
  const record = await atCarrier(to);
  const status = await eventually('a callback', () =>
    record.callbacks.find(({ url }) => url.includes('token=')),
  );
  const url = status.url.replace(/#.*$/, '').replace(/\/twilio\/[\w-]+\?/, `/twilio/${path}?`);
  const form = { CallSid: record.sid ?? '', ...parameters };
  return fetch(url, {
    method: 'POST',
    headers: {
      'content-type': 'application/x-www-form-urlencoded',
      'x-twilio-signature': twilioSignature(builtInAccounts.approved.authToken, url, form),
    },
    body: new URLSearchParams(form).toString(),
  });
}

it('a verdict that is told again leaves the message once', async () => {
  embedded = await startEmbedded({ emulator: { speed: 8 } });
  const callId = await trigger(voicemail);
  const record = await atCarrier(voicemail);
  await eventually('the verdict', () =>
    record.callbacks.find(({ event, result }) => event === 'amd' && result),
  );
  const repeated = await Promise.all(
    [1, 2].map(() => sendWebhook(voicemail, 'amd', { AnsweredBy: 'machine_end_beep' })),
  );
  expect(repeated.map(({ status }) => status)).toEqual([204, 204]);
  const ended = await eventually('the end', async () => {
    const call = await resource(callId);
    return call.state === 'completed' ? call : null;
  });
  expect(ended).toMatchObject({ call_status: 'voicemail', provider_status: 'completed' });
  const messages = ended.messages.filter(({ content }) => content.includes('reminder of your appointment'));
  expect(messages).toHaveLength(1);
  const spoken = record.transcript.filter(({ text }) => text.includes('reminder of your appointment'));
  expect(spoken).toHaveLength(1);
});

it('a verdict on a greeting is withdrawn when a person has come on', async () => {
  embedded = await startEmbedded();
  const callId = await trigger(late);
  await eventually('the person', async () => (await resource(callId)).answered_by === 'human');
  const verdict = await sendWebhook(late, 'amd', { AnsweredBy: 'machine_end_beep' });
  expect(verdict.status).toBe(204);
  const ended = await eventually('the end', async () => {
    const call = await resource(callId);
    return call.state === 'completed' ? call : null;
  });
  expect(ended).toMatchObject({
    call_status: 'success',
    provider_status: 'completed',
    answered_by: 'human',
    reason: null,
  });
  const record = await atCarrier(late);
  expect(record.transcript.some(({ text }) => text.includes('reminder of your appointment'))).toBe(false);
});

it('a call canceled before its carrier id was known is ended by the webhook that tells it', async () => {
  embedded = await startEmbedded({
    emulator: {
      speed: 1,
      faults: { createReset: 1, fetchFails: 1, callbacksLate: 1, callbacksLateMs: 1_500 },
    },
  });
  const callId = await trigger(slow);
  await eventually('the lost answer', async () => (await resource(callId)).state === 'unknown');
  expect((await embedded.request('POST', `/calls/${callId}/cancel`)).status).toBe(200);
  const record = await atCarrier(slow);
  await eventually('the end at the carrier', () => record.status === 'canceled');
  expect(record.timeline.answeredAt).toBeUndefined();
  const ended = await eventually('the end', async () => {
    const call = await resource(callId);
    return call.state === 'completed' ? call : null;
  });
  expect(ended).toMatchObject({ provider_status: 'canceled', reason: 'canceled_by_request' });
  expect((await embedded.request('POST', `/calls/${callId}/cancel`)).status).toBe(200);
});

it('a ghost is ended while it rings, and its call stays as it was told', async () => {
  embedded = await startEmbedded({
    emulator: {
      speed: 1,
      faults: { createReset: 1, listLagMs: 60_000, callbacksLate: 1, callbacksLateMs: 4_000 },
    },
    callkite: { confirmationWindowMs: 2_000 },
  });
  const callId = await trigger(slow);
  const ended = await eventually('the end', async () => {
    const call = await resource(callId);
    return call.state === 'completed' ? call : null;
  });
  expect(ended.reason).toBe('placement_unconfirmed');
  const record = await atCarrier(slow);
  await eventually('the end at the carrier', () => record.status === 'canceled');
  expect(record.timeline.answeredAt).toBeUndefined();
  expect(embedded.twilioEmulator.calls()).toHaveLength(1);
  expect((await resource(callId)).provider_status).toBe('failed');
});

it('a call that was given up is ended by the first webhook that shows it alive', async () => {
  const storage = testStorage();
  embedded = await startEmbedded({ storage, emulator: { speed: 1 } });
  const callId = await trigger(slow);
  const record = await atCarrier(slow);
  await eventually('the ringing', () =>
    record.callbacks.some(({ event, result }) => event === 'ringing' && result),
  );
  const token = new URL(record.callbacks[0]?.url ?? '').searchParams.get('token') ?? '';
  await storage.calls.abandonAttempt(token.split('.')[0] ?? '', 'internal');
  expect((await sendWebhook(slow, 'status', { CallStatus: 'ringing' })).status).toBe(204);
  await eventually('the end at the carrier', () => record.status === 'canceled');
  expect(await resource(callId)).toMatchObject({ provider_status: 'failed', reason: 'internal' });
});

/** The address of a socket of this call, as the carrier was given it. */
async function openSocket(to: string, kind: 'relay' | 'media'): Promise<WebSocket> {
  const record = await atCarrier(to);
  const token = new URL(record.url ?? '', embedded.url).searchParams.get('token') ?? '';
  const url = `${embedded.url.replace('http', 'ws')}/carriers/twilio/${kind}/${encodeURIComponent(token)}`;
  const signature = twilioSignature(builtInAccounts.approved.authToken, url, {});
  const socket = new WebSocket(url, { headers: { 'x-twilio-signature': signature } });
  await once(socket, 'open');
  return socket;
}

const setups = {
  relay: (callSid: string) => ({ type: 'setup', sessionId: 'VX1', callSid, customParameters: {} }),
  media: (callSid: string) => ({ event: 'start', streamSid: 'MZ1', start: { callSid, streamSid: 'MZ1' } }),
};

it('a signed webhook that names the call of another is refused, and harms neither', async () => {
  embedded = await startEmbedded({ emulator: { speed: 1 } });
  const own = await trigger(slow);
  const other = await trigger(alsoSlow);
  await eventually('both', async () => {
    const states = await Promise.all([own, other].map(resource));
    return states.every(({ state }) => state === 'ringing');
  });
  const { sid } = await atCarrier(alsoSlow);
  const named = { CallSid: sid ?? '', RecordingSid: 'RE1', RecordingStatus: 'completed' };
  for (const [path, more] of [
    ['status', { CallStatus: 'ringing', SequenceNumber: '9' }],
    ['status', { CallStatus: 'completed', SequenceNumber: '9', CallDuration: '1' }],
    ['answer', {}],
    ['amd', { AnsweredBy: 'machine_start' }],
    ['relay-ended', { SessionStatus: 'ended', CallStatus: 'in-progress' }],
    ['recording', {}],
  ] as const) {
    const answer = await sendWebhook(slow, path, { ...named, ...more });
    expect([path, answer.status]).toEqual([path, 403]);
  }
  for (const to of [slow, alsoSlow]) expect((await atCarrier(to)).status).toBe('ringing');
  for (const callId of [own, other]) expect((await resource(callId)).state).toBe('ringing');
});

it.each(['relay', 'media'] as const)('a %s socket that names the call of another is closed', async (kind) => {
  embedded = await startEmbedded({ emulator: { speed: 1 } });
  const own = await trigger(slow);
  await trigger(alsoSlow);
  await eventually('the call', async () => (await resource(own)).state === 'ringing');
  const { sid } = await atCarrier(alsoSlow);
  const socket = await openSocket(slow, kind);
  const closed = once(socket, 'close');
  socket.send(JSON.stringify(setups[kind](sid ?? '')));
  await closed;
  expect((await resource(own)).messages).toEqual([]);
  expect(embedded.events.filter(({ type }) => type === 'call.spoken')).toEqual([]);
});

it.each(['relay', 'media'] as const)('a %s socket of a call that is over is refused', async (kind) => {
  embedded = await startEmbedded();
  const callId = await trigger(busy);
  await eventually('the end', async () => (await resource(callId)).state === 'completed');
  await expect(openSocket(busy, kind)).rejects.toThrow('410');
});

it('a socket binds the call it names where the answer to the placement is still out', async () => {
  embedded = await startEmbedded({ emulator: { speed: 1, faults: { createTimeout: 1, callbacksLost: 1 } } });
  const callId = await trigger(slow);
  const { sid } = await atCarrier(slow);
  expect((await resource(callId)).state).toBe('dialing');
  const socket = await openSocket(slow, 'relay');
  const first = once(socket, 'message');
  socket.send(JSON.stringify(setups.relay(sid ?? '')));
  const [greeting] = await first;
  expect(JSON.parse(String(greeting))).toMatchObject({ type: 'text' });
  expect((await resource(callId)).state).toBe('in_progress');
  const second = await openSocket(slow, 'relay');
  const closed = once(second, 'close');
  second.send(JSON.stringify(setups.relay('CA00000000000000000000000000000abc')));
  await closed;
  expect(socket.readyState).toBe(WebSocket.OPEN);
  socket.close();
});
