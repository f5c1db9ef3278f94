import { CallkiteError } from '@callkite/core';
import { builtInAccounts } from '@callkite/twilio-emulator';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually, startEmbedded } from '../embedded.ts';
import { startReceiver } from '../notifications/receiver.ts';
import { testStorage } from '../test-storage.ts';
import {
  dictates,
  fromWashington,
  heardBy,
  losesPatience,
  message,
  outcomesOf,
  people,
  premiumNumber,
  speed,
  startTransferStage,
  type TransferStage,
} from './stage.ts';

const { asksBack, busy, nobody, pressesOne, pressesTwo, saysNothing, saysYes } = people;
const timeout = 90_000;
const wavHeaderBytes = 44;
/** 8 kHz, 16 bits, the callee and the agent apart. */
const bytesPerRecordedMs = 32;

let stage: TransferStage;
beforeAll(async () => {
  stage = await startTransferStage();
});
afterAll(() => stage.stop());

describe.concurrent('a transfer', { timeout }, () => {
  it('that is cold connects whoever answers', async () => {
    const { call, parent, legs, transfer } = await stage.run({ mode: 'cold' });
    expect(legs.map(({ to, status, from }) => [to, status, from])).toEqual([
      [pressesOne, 'completed', call.phone_number_from],
    ]);
    expect(legs[0]?.documents).toEqual([]);
    expect(heardBy(parent)).toContain("One moment, please. I'm connecting you.");
    expect(transfer).toMatchObject({
      integration: 'Front desk',
      mode: 'cold',
      outcome: 'connected',
      to: pressesOne,
      answered_seconds: expect.any(Number),
      message: null,
    });
    expect(transfer.reason).not.toBe('');
    expect(call).toMatchObject({ call_status: 'success', provider_status: 'completed', reason: null });
    expect(outcomesOf(transfer)).toEqual([[pressesOne, 'static', 'connected']]);
    for (const moment of [transfer.requested_at, transfer.ended_at, transfer.legs[0]?.answered_at]) {
      expect(moment).toMatch(/^\d{4}-.*Z$/);
    }
    expect(parent.notifications).toEqual([]);
  });

  it('ends the recording before anybody else is on the line', async () => {
    const { call, parent } = await stage.run(
      { mode: 'cold', phone_number: nobody, fallback_numbers: [pressesOne] },
      { to: fromWashington, definition: { recording: { mode: 'announce' } } },
    );
    const { recording_url: url } = await eventually('the recording', async () => {
      const found = await stage.call(call.call_id);
      return found.recording_url === null ? null : found;
    });
    const sound = await fetch(url ?? '');
    expect(sound.status).toBe(200);
    const recordedMs = ((await sound.arrayBuffer()).byteLength - wavHeaderBytes) / bytesPerRecordedMs;
    const { answeredAt, endedAt } = parent.timeline;
    const callMs = (Date.parse(endedAt ?? '') - Date.parse(answeredAt ?? '')) * speed;
    // Nobody answered for 10 s, and then people talked for 5.
    expect(recordedMs).toBeGreaterThan(1000);
    expect(recordedMs).toBeLessThan(callMs - 8_000);
  });

  it('goes on when the store is away as the recording is to be ended', async () => {
    const storage = testStorage();
    let refusals = 0;
    const hurry: typeof storage.recordings.hurry = async () => {
      refusals += 1;
      throw new CallkiteError('storage_unavailable', 'the connection was reset', { retryable: true });
    };
    const away = await startTransferStage({
      storage: { ...storage, recordings: { ...storage.recordings, hurry } },
    });
    try {
      const { transfer } = await away.run(
        { mode: 'cold' },
        { to: fromWashington, definition: { recording: { mode: 'announce' } } },
      );
      expect(outcomesOf(transfer)).toEqual([[pressesOne, 'static', 'connected']]);
      expect(refusals).toBe(1);
    } finally {
      await away.stop();
    }
  });

  it.each([
    ['a key', pressesOne],
    ['words', saysYes],
    ['words, after a question back', asksBack],
  ])('that is warm is accepted by %s', async (_how, phone) => {
    const { legs, parent, transfer } = await stage.run({ phone_number: phone });
    expect(transfer).toMatchObject({ mode: 'warm', outcome: 'connected', to: phone });
    const [offer] = heardBy(legs[0]);
    expect(offer).toContain('I have a caller for you. The callee asked to speak to a person.');
    expect(offer).toContain('Press 1 or say yes');
    expect(heardBy(parent).join()).not.toContain('Press 1');
    expect(legs).toHaveLength(1);
  });

  it.each([
    ['refuse', pressesTwo, 'refused'],
    ['pick up and say nothing', saysNothing, 'refused'],
    ['are busy', busy, 'busy'],
    ['do not answer', nobody, 'no_answer'],
  ])(
    'to people who %s brings the callee back, and the agent takes a message',
    async (_what, phone, outcome) => {
      const { call, legs, transfer } = await stage.run({ phone_number: phone });
      expect(legs).toHaveLength(1);
      expect(transfer).toMatchObject({ outcome, to: phone, message });
      const words = call.messages.map(({ content }) => content);
      const transferredAt = words.indexOf('(transfers the call to Front desk)');
      expect(transferredAt).toBeGreaterThan(0);
      const backAt = words.findIndex((each) => each.includes('no one is available to take your call'));
      expect(backAt).toBeGreaterThan(transferredAt);
      expect(words.join()).not.toContain('cut off');
      expect(words).toContain(message);
      expect(call.reason).toBeNull();
    },
  );

  it('tries its fallbacks in order, each once', async () => {
    const { legs, transfer } = await stage.run({
      phone_number: nobody,
      fallback_numbers: [busy, pressesTwo, saysYes, pressesOne],
      ring_seconds: 5,
    });
    expect(legs.map(({ to }) => to)).toEqual([nobody, busy, pressesTwo, saysYes]);
    expect(outcomesOf(transfer)).toEqual([
      [nobody, 'static', 'no_answer'],
      [busy, 'fallback', 'busy'],
      [pressesTwo, 'fallback', 'refused'],
      [saysYes, 'fallback', 'connected'],
    ]);
    expect(transfer).toMatchObject({ outcome: 'connected', to: saysYes, message: null });
  });

  it('leaves no message where none is taken', async () => {
    const callId = await stage.place(await stage.workflow({ phone_number: busy, take_messages: false }));
    const call = await eventually('the return to the agent', async () => {
      const found = await stage.call(callId);
      return found.messages.some(({ content }) => content.includes('no one is available')) ? found : null;
    });
    expect(call.transfers).toMatchObject([{ outcome: 'busy', message: null }]);
    await stage.embedded.request('POST', `/calls/${callId}/cancel`);
    const { messages } = await stage.ended(callId);
    expect(messages.map(({ content }) => content).join()).not.toContain('take a message');
  });

  it('ends with a callee who hangs up meanwhile', async () => {
    const { call, legs, transfer } = await stage.run(
      { phone_number: nobody, ring_seconds: 60 },
      { to: losesPatience },
    );
    expect(transfer).toMatchObject({ outcome: 'call_ended', to: nobody, answered_seconds: null });
    expect(legs).toMatchObject([{ to: nobody, status: 'canceled' }]);
    expect(call.call_status).toBe('success');
  });

  it('ends with a call that is canceled', async () => {
    const callId = await stage.place(await stage.workflow({ phone_number: nobody, ring_seconds: 119 }));
    const parent = await eventually('the call at the carrier', async () => {
      const { phone_number_to: to } = await stage.call(callId);
      return stage.embedded.twilioEmulator.calls().findLast((each) => each.to === to);
    });
    const leg = await eventually('the ringing', () =>
      stage.embedded.twilioEmulator
        .calls()
        .find(({ parentSid, status }) => parentSid === parent.sid && status === 'ringing'),
    );
    await stage.embedded.request('POST', `/calls/${callId}/cancel`);
    const call = await stage.ended(callId);
    expect(call.reason).toBe('canceled_by_request');
    expect(call.transfers).toMatchObject([{ outcome: 'call_ended' }]);
    await eventually('the end of the leg', () => leg.status === 'canceled');
  });

  it('does not appear as such in what webhooks tell', async () => {
    const receiver = await startReceiver();
    try {
      const { id } = await stage.created('/webhooks', { name: 'CRM', url: receiver.url });
      const { call } = await stage.run({ mode: 'cold' }, { definition: { metadata: { webhooks: [id] } } });
      const { body } = await eventually('the webhook', () => receiver.requests[0]);
      expect(JSON.parse(body).call_id).toBe(call.call_id);
      expect(Object.keys(JSON.parse(body)).sort()).toEqual([
        'call_id',
        'call_status',
        'call_summary',
        'context',
        'created_at',
        'messages',
        'phone_number_from',
        'phone_number_to',
        'reason',
        'workflow_id',
        'workflow_name',
      ]);
    } finally {
      receiver.close();
    }
  });
});

describe('whom a call is transferred to', { timeout }, () => {
  it('is never for the callee to say', async () => {
    const { legs, transfer } = await stage.run({}, { to: dictates });
    expect(transfer).toMatchObject({ outcome: 'connected', to: pressesOne });
    expect(legs.map(({ to }) => to)).toEqual([pressesOne]);
    expect(stage.embedded.twilioEmulator.calls().some(({ to }) => to === premiumNumber)).toBe(false);
  });

  it('is checked again before it is rung', async () => {
    const wantsNoCalls = '+12025550134';
    await stage.ended(await stage.place(stage.embedded.workflowId, wantsNoCalls));
    const { legs, transfer } = await stage.run({ phone_number: wantsNoCalls, fallback_numbers: [saysYes] });
    expect(outcomesOf(transfer)).toEqual([
      [wantsNoCalls, 'static', 'not_allowed'],
      [saysYes, 'fallback', 'connected'],
    ]);
    expect(legs.map(({ to }) => to)).toEqual([saysYes]);
  });

  it('is checked when it is configured', async () => {
    const strict = await startEmbedded({ callkite: { allowPrivateCallbacks: false } });
    try {
      const refused = await strict.request('POST', '/transfer-integrations', {
        name: 'Front desk',
        phone_number: premiumNumber,
        fallback_numbers: [saysYes, '+447700900123', saysYes, '202 555 0160'],
        transfer_url: 'https://127.0.0.1/who',
      });
      expect(refused.status).toBe(400);
      const { details } = (await refused.json()) as { details: Record<string, string[]> };
      expect(Object.keys(details).sort()).toEqual([
        'fallback_numbers.1',
        'fallback_numbers.2',
        'fallback_numbers.3',
        'phone_number',
        'transfer_url',
      ]);
    } finally {
      await strict.stop();
    }
  });
});

describe('an account whose business profile is not approved', { timeout }, () => {
  it('cannot configure transfers, and is told why', async () => {
    const other = await startEmbedded({ account: builtInAccounts.upgraded });
    try {
      const settings = { name: 'Front desk', phone_number: pressesOne };
      const refused = await other.request('POST', '/transfer-integrations', settings);
      expect(refused.status).toBe(403);
      expect(refused.headers.get('callkite-error-code')).toBe('business_profile_required');
      expect(((await refused.json()) as { error: string }).error).toContain('approved business profile');
    } finally {
      await other.stop();
    }
  });

  it('loses the ability when the approval is gone, and agents do not offer it', async () => {
    const storage = testStorage();
    const other = await startTransferStage({ storage });
    try {
      const { organizationId, connectionId, request, twilioEmulator } = other.embedded;
      const workflowId = await other.workflow({});
      const connection = await storage.organizations.getConnection(
        { organizationId, mode: 'live' },
        connectionId,
      );
      if (!connection) throw new Error('there is no connection');
      await storage.organizations.saveConnection({ ...connection, businessProfile: 'Profile Rejected' });
      const listed = await request('GET', '/transfer-integrations');
      expect(await listed.json()).toMatchObject({ transfer_integrations: [{ available: false }] });
      const callId = await other.place(workflowId);
      const words = await eventually('an answer to the wish', async () => {
        const { messages } = await other.call(callId);
        return messages.some(({ content }) => content.includes("can't connect you")) ? messages : null;
      });
      expect(words.map(({ content }) => content).join()).not.toContain('I am connecting you');
      expect((await other.call(callId)).transfers).toEqual([]);
      expect(twilioEmulator.calls().filter(({ parentSid }) => parentSid)).toEqual([]);
    } finally {
      await other.stop();
    }
  });
});
