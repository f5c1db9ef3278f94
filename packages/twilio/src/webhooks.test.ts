import { createHmac } from 'node:crypto';
import { CallkiteError, type CarrierEvent, type HttpRequest } from '@callkite/core';
import { describe, expect, it } from 'vitest';
import { twilio } from './twilio.ts';

const secret = 'webhook-auth-token';
const token = 'att_1.c2ln';
const callSid = 'CA00000000000000000000000000000009';

function sign(url: string, form: Record<string, string> = {}): string {
  const parameters = Object.keys(form)
    .sort()
    .map((name) => name + form[name])
    .join('');
  return createHmac('sha1', secret)
    .update(url + parameters)
    .digest('base64');
}

function request(
  target: string,
  form: Record<string, string>,
  signature: string,
  method = 'POST',
): HttpRequest {
  const body = new TextEncoder().encode(new URLSearchParams(form).toString());
  const headers = { 'x-twilio-signature': signature };
  return { method, target, headers, remoteAddress: null, readBody: async () => body };
}

const secretOf = async (attemptToken: string) => (attemptToken === token ? secret : null);

async function receive(path: string, parameters: Record<string, string>, more = '&leg=leg_1&round=2') {
  const telephony = twilio({ publicUrl: 'https://calls.example.com/phone' });
  const target = `/carriers/twilio/${path}?token=${token}${/leg|dial/.test(path) ? more : ''}`;
  const form = { CallSid: callSid, AccountSid: 'AC1', To: '+12025550100', ...parameters };
  const signature = sign(`https://calls.example.com/phone${target}`, form);
  return telephony.receiveWebhook(path, request(target, form, signature), secretOf);
}

describe('webhooks', () => {
  const cases: [string, Record<string, string>, CarrierEvent][] = [
    ['answer', { CallStatus: 'in-progress' }, { type: 'instructions-wanted', answeredBy: null }],
    ['answer', { AnsweredBy: 'machine_start' }, { type: 'instructions-wanted', answeredBy: 'machine' }],
    ['fallback', { ErrorCode: '11200' }, { type: 'instructions-wanted', answeredBy: null }],
    [
      'status',
      { CallStatus: 'initiated', SequenceNumber: '0' },
      { type: 'status', status: 'initiated', sequence: 0, durationSeconds: null, answeredBy: null },
    ],
    [
      'status',
      { CallStatus: 'completed', SequenceNumber: '3', CallDuration: '17', AnsweredBy: 'machine_end_beep' },
      { type: 'status', status: 'completed', sequence: 3, durationSeconds: 17, answeredBy: 'machine' },
    ],
    [
      'status',
      { CallStatus: 'busy', SequenceNumber: 'x', CallDuration: '' },
      { type: 'status', status: 'busy', sequence: null, durationSeconds: null, answeredBy: null },
    ],
    [
      'amd',
      { AnsweredBy: 'human' },
      { type: 'answered-by', answeredBy: 'human', greetingEnded: false, beeped: false },
    ],
    [
      'amd',
      { AnsweredBy: 'fax' },
      { type: 'answered-by', answeredBy: 'fax', greetingEnded: false, beeped: false },
    ],
    [
      'amd',
      { AnsweredBy: 'unknown' },
      { type: 'answered-by', answeredBy: 'unknown', greetingEnded: false, beeped: false },
    ],
    [
      'amd',
      { AnsweredBy: 'machine_start' },
      { type: 'answered-by', answeredBy: 'machine', greetingEnded: false, beeped: false },
    ],
    [
      'amd',
      { AnsweredBy: 'machine_end_beep' },
      { type: 'answered-by', answeredBy: 'machine', greetingEnded: true, beeped: true },
    ],
    [
      'amd',
      { AnsweredBy: 'machine_end_other' },
      { type: 'answered-by', answeredBy: 'machine', greetingEnded: true, beeped: false },
    ],
    [
      'amd',
      { AnsweredBy: 'something new' },
      { type: 'answered-by', answeredBy: 'unknown', greetingEnded: false, beeped: false },
    ],
    [
      'relay-ended',
      { SessionStatus: 'completed', CallStatus: 'completed' },
      { type: 'channel-ended', how: 'callee-left' },
    ],
    [
      'relay-ended',
      { SessionStatus: 'ended', CallStatus: 'in-progress' },
      { type: 'channel-ended', how: 'we-ended' },
    ],
    [
      'relay-ended',
      { SessionStatus: 'failed', CallStatus: 'in-progress' },
      { type: 'channel-ended', how: 'lost' },
    ],
    [
      'relay-ended',
      { SessionStatus: 'failed', CallStatus: 'completed' },
      { type: 'channel-ended', how: 'callee-left' },
    ],
    [
      'dial-ended',
      {
        CallStatus: 'in-progress',
        DialCallStatus: 'completed',
        DialCallSid: 'CA2',
        DialCallDuration: '17',
        DialBridged: 'true',
      },
      {
        type: 'dial-ended',
        legId: 'leg_1',
        status: 'completed',
        connected: true,
        durationSeconds: 17,
        providerLegId: 'CA2',
        calleeLeft: false,
      },
    ],
    [
      'dial-ended',
      { CallStatus: 'completed', DialCallStatus: 'answered' },
      {
        type: 'dial-ended',
        legId: 'leg_1',
        status: 'completed',
        connected: null,
        durationSeconds: null,
        providerLegId: null,
        calleeLeft: true,
      },
    ],
    [
      'leg-status',
      { CallStatus: 'completed', CallDuration: '12' },
      { type: 'leg', legId: 'leg_1', event: { type: 'status', status: 'completed', durationSeconds: 12 } },
    ],
    [
      'leg-answered',
      { CallStatus: 'in-progress' },
      { type: 'leg', legId: 'leg_1', event: { type: 'picked-up' } },
    ],
    [
      'leg-reply',
      { Digits: '1' },
      { type: 'leg', legId: 'leg_1', event: { type: 'replied', digit: '1', words: null, round: 2 } },
    ],
    [
      'leg-reply',
      { SpeechResult: 'Yes.', Confidence: '0.9' },
      { type: 'leg', legId: 'leg_1', event: { type: 'replied', digit: null, words: 'Yes.', round: 2 } },
    ],
  ];

  it.each(cases)('%s %o', async (path, form, event) => {
    expect(await receive(path, form)).toEqual({ attemptToken: token, providerCallId: callSid, event });
  });

  it('refuses an unknown path and a GET', async () => {
    expect(await receive('voice', {})).toBeNull();
    const telephony = twilio({ publicUrl: 'https://calls.example.com' });
    const target = `/carriers/twilio/status?token=${token}`;
    const get = request(target, {}, sign(`https://calls.example.com${target}`), 'GET');
    expect(await telephony.receiveWebhook('status', get, secretOf)).toBeNull();
  });

  it('does not accept a signed webhook that it cannot read', async () => {
    for (const form of [{ CallStatus: 'dancing' }, { CallStatus: 'ringing', CallSid: '' }]) {
      const error = await receive('status', form).catch((thrown: unknown) => thrown);
      expect(CallkiteError.isInstance(error) && error.code).toBe('malformed_request');
    }
    for (const [path, form, more] of [
      ['dial-ended', { CallStatus: 'in-progress', DialCallStatus: 'dancing' }, undefined],
      ['leg-answered', { CallStatus: 'in-progress' }, ''],
    ] as const) {
      const error = await receive(path, form, more).catch((thrown: unknown) => thrown);
      expect(CallkiteError.isInstance(error) && error.code).toBe('malformed_request');
    }
  });

  it('verifies repeated and hostile parameters', async () => {
    const telephony = twilio({ publicUrl: 'https://calls.example.com' });
    const target = `/carriers/twilio/status?token=${token}`;
    const body = `CallSid=${callSid}&CallStatus=ringing&b=2&b=1&b=2&__proto__=x&empty=`;
    const signed = `https://calls.example.com${target}CallSid${callSid}CallStatusringing__proto__xb1b2empty`;
    const signature = createHmac('sha1', secret).update(signed).digest('base64');
    const incoming = {
      ...request(target, {}, signature),
      readBody: async () => new TextEncoder().encode(body),
    };
    expect(await telephony.receiveWebhook('status', incoming, secretOf)).toMatchObject({
      providerCallId: callSid,
    });
  });

  it('lets a failure to look up the secret pass', async () => {
    const telephony = twilio({ publicUrl: 'https://calls.example.com' });
    const incoming = request(`/carriers/twilio/status?token=${token}`, {}, 'c2ln');
    const outage = new CallkiteError('storage_unavailable', 'down', { retryable: true });
    await expect(telephony.receiveWebhook('status', incoming, () => Promise.reject(outage))).rejects.toBe(
      outage,
    );
  });
});

describe('the signed URL', () => {
  const path = `relay/${token}`;
  const target = `/carriers/twilio/${path}`;

  it.each([
    ['https://calls.example.com', 'wss://calls.example.com'],
    ['https://calls.example.com', 'wss://calls.example.com:443'],
    ['https://calls.example.com:443/', 'wss://calls.example.com'],
    ['https://calls.example.com:8443', 'wss://calls.example.com:8443'],
    ['https://calls.example.com:8443', 'wss://calls.example.com'],
    ['https://Calls.example.com/phone/', 'wss://calls.example.com/phone'],
  ])('below %s may be signed as %s', async (publicUrl, signedBase) => {
    const telephony = twilio({ publicUrl });
    const incoming = request(target, {}, sign(signedBase + target), 'GET');
    expect((await telephony.receiveUpgrade(path, incoming, secretOf))?.attemptToken).toBe(token);
  });

  it.each([
    ['https://calls.example.com', 'https://calls.example.com'],
    ['https://calls.example.com', 'ws://calls.example.com'],
    ['https://calls.example.com', 'wss://other.example.com'],
    ['https://calls.example.com/phone', 'wss://calls.example.com'],
    ['https://calls.example.com', 'wss://calls.example.com:8443'],
  ])('below %s may not be signed as %s', async (publicUrl, signedBase) => {
    const telephony = twilio({ publicUrl });
    const incoming = request(target, {}, sign(signedBase + target), 'GET');
    expect(await telephony.receiveUpgrade(path, incoming, secretOf)).toBeNull();
  });

  it('is not looked for in targets and paths that make no sense', async () => {
    const telephony = twilio({ publicUrl: 'https://calls.example.com' });
    for (const [odd, oddTarget] of [
      ['relay/', '/carriers/twilio/relay/'],
      ['relay/%E0%A4%A', '/carriers/twilio/relay/%E0%A4%A'],
      ['other', '/carriers/twilio/other'],
      [path, 'https://calls.example.com/carriers/twilio/relay'],
      [path, '*'],
    ] as const) {
      const incoming = request(oddTarget, {}, sign(`wss://calls.example.com${oddTarget}`), 'GET');
      expect(await telephony.receiveUpgrade(odd, incoming, secretOf)).toBeNull();
    }
  });
});

describe('publicUrl', () => {
  it.each(['calls.example.com', 'http://calls.example.com', 'https://calls.example.com/?a=1', 'ftp://x'])(
    'may not be %s',
    (publicUrl) => {
      expect(() => twilio({ publicUrl, allowInsecure: true })).toThrow(TypeError);
    },
  );

  it('may be plain HTTP only on this machine and on request', () => {
    expect(() => twilio({ publicUrl: 'http://127.0.0.1:3000' })).toThrow('https://');
    expect(() => twilio({ publicUrl: 'http://127.0.0.1:3000', allowInsecure: true })).not.toThrow();
  });
});
