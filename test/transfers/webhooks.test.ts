import { builtInAccounts, type CallRecord, twilioSignature } from '@callkite/twilio-emulator';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually, nodeMount } from '../embedded.ts';
import {
  documentUrl,
  losingAnswers,
  outcomesOf,
  people,
  startTransferStage,
  type TransferStage,
} from './stage.ts';

const { busy, nobody, saysYes } = people;
const timeout = 90_000;

let stage: TransferStage;
beforeAll(async () => {
  stage = await startTransferStage();
});
afterAll(() => stage.stop());

/** Sends what the carrier sent or could send, signed as it signs. */
async function send(url: string, form: Record<string, string>, signature?: string): Promise<Response> {
  return fetch(url, {
    method: 'POST',
    headers: {
      'content-type': 'application/x-www-form-urlencoded',
      'x-twilio-signature': signature ?? twilioSignature(builtInAccounts.approved.authToken, url, form),
    },
    body: new URLSearchParams(form).toString(),
  });
}

const live = (record: CallRecord | undefined) => ({
  CallSid: record?.sid ?? '',
  CallStatus: 'in-progress',
});

describe('a webhook that comes again', { timeout }, () => {
  it('after the transfer rings nobody, and changes nothing', async () => {
    const { call, parent, legs, transfer } = await stage.run({
      phone_number: busy,
      fallback_numbers: [saysYes],
    });
    for (const [url, form] of [
      [documentUrl(parent, 'relay-ended'), { ...live(parent), SessionStatus: 'ended' }],
      [documentUrl(parent, 'dial-ended'), { ...live(parent), DialCallStatus: 'busy', DialBridged: 'false' }],
      [documentUrl(legs[1], 'leg-answered'), live(legs[1])],
      [documentUrl(legs[1], 'leg-reply'), { ...live(legs[1]), Digits: '1' }],
    ] as const) {
      expect(await (await send(url, form)).text(), url).toContain('<Hangup/>');
    }
    const rung = stage.embedded.twilioEmulator.calls().filter(({ parentSid }) => parentSid === parent.sid);
    expect(rung).toHaveLength(2);
    expect((await stage.call(call.call_id)).transfers).toEqual([transfer]);
  });

  it('while the phone rings does not make it ring again', async () => {
    const callId = await stage.place(
      await stage.workflow({ phone_number: nobody, ring_seconds: 60, fallback_numbers: [saysYes] }),
    );
    const leg = await eventually('the ringing', () =>
      stage.embedded.twilioEmulator
        .calls()
        .findLast(
          ({ to, callbacks }) =>
            to === nobody && callbacks.some(({ event, result }) => event === 'ringing' && result === 204),
        ),
    );
    const parent = stage.embedded.twilioEmulator.call(leg.parentSid ?? '');
    const form = { ...live(parent), SessionStatus: 'ended' };
    const repeated = await Promise.all([1, 2].map(() => send(documentUrl(parent, 'relay-ended'), form)));
    for (const answer of repeated) expect(await answer.text()).not.toContain('<Dial');
    const { transfers } = await stage.ended(callId);
    expect(transfers.map(outcomesOf)).toEqual([
      [
        [nobody, 'static', 'no_answer'],
        [saysYes, 'fallback', 'connected'],
      ],
    ]);
  });

  it('is refused when it is forged', async () => {
    const { legs } = await stage.run({});
    const url = documentUrl(legs[0], 'leg-reply');
    expect((await send(url, { ...live(legs[0]), Digits: '1' }, 'c2ln')).status).toBe(403);
    const other = url.replace(/leg=\w+/, 'leg=leg_0');
    expect(await (await send(other, { ...live(legs[0]), Digits: '1' })).text()).toContain('<Hangup/>');
  });
});

describe('a transfer', { timeout }, () => {
  it.each(['before', 'after'] as const)(
    'goes on when the process dies at any step, %s it is on record',
    async (when) => {
      const losses = ['relay-ended', 'dial-ended', 'leg-answered', 'leg-reply'].map((webhook) => ({
        webhook,
        when,
        times: 1,
      }));
      const faulty = await startTransferStage({
        mount: (callkite, port) => nodeMount(losingAnswers(callkite, losses), port),
      });
      try {
        const { legs, transfer } = await faulty.run({ phone_number: busy, fallback_numbers: [saysYes] });
        expect(losses.map(({ times }) => times)).toEqual([0, 0, 0, 0]);
        expect(legs.map(({ to }) => to)).toEqual([busy, saysYes]);
        expect(outcomesOf(transfer)).toEqual([
          [busy, 'static', 'busy'],
          [saysYes, 'fallback', 'connected'],
        ]);
      } finally {
        await faulty.stop();
      }
    },
  );

  it('does not ring a number again whose end nobody heard of', async () => {
    const losses = [
      { webhook: 'dial-ended', when: 'before' as const, times: 3 },
      { webhook: 'leg-status', when: 'before' as const, times: 100 },
    ];
    const faulty = await startTransferStage({
      mount: (callkite, port) => nodeMount(losingAnswers(callkite, losses), port),
    });
    try {
      const { legs, transfer } = await faulty.run({ phone_number: busy, fallback_numbers: [saysYes] });
      expect(legs.map(({ to }) => to)).toEqual([busy, saysYes]);
      expect(outcomesOf(transfer)).toEqual([
        [busy, 'static', 'failed'],
        [saysYes, 'fallback', 'connected'],
      ]);
    } finally {
      await faulty.stop();
    }
  });
});
