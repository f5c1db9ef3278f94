import { workflowDefinition } from '@callkite/contract';
import { describe, expect, it } from 'vitest';
import { call as anyCall } from '../../agent/testing/stage.ts';
import type { CallRecord } from '../../calls/call-store.ts';
import type { LegEvent } from '../../calls/carrier-adapter.ts';
import { createTransferController } from './transfer-controller.ts';
import type { TransferLeg, TransferLegReport, TransferRecord } from './transfer-store.ts';

const leg: TransferLeg = {
  id: 'leg_1',
  to: '+12025550160',
  source: 'static',
  outcome: null,
  providerCallId: 'CA-leg',
  dialedAt: new Date(1000),
  answeredAt: null,
  endedAt: null,
  seconds: null,
};
const transfer: TransferRecord = {
  id: 'trf_1',
  callId: anyCall.id,
  integrationId: 'tri_1',
  name: 'Billing',
  mode: 'warm',
  ringSeconds: 25,
  takeMessages: true,
  reason: 'Wants a person',
  summary: 'It is about invoice 7.',
  legs: [leg],
  outcome: null,
  message: null,
  requestedAt: new Date(0),
  endedAt: null,
};

/** A call with one number that was rung. */
function stage(
  over: { call?: Partial<CallRecord>; transfer?: Partial<TransferRecord>; leg?: Partial<TransferLeg> } = {},
) {
  const did: string[] = [];
  const record = { ...transfer, legs: [{ ...leg, ...over.leg }], ...over.transfer };
  const on = {
    call: { ...anyCall, ...over.call },
    definition: workflowDefinition.parse({ objective: 'Help.', abilities: { transfer: ['tri_1'] } }),
    attemptToken: 'token',
  };
  const handover = createTransferController({
    transfers: {
      ofCall: async () => [record],
      async report(_legId, { progress, outcome, seconds }: TransferLegReport) {
        did.push(`${progress} ${outcome} ${seconds}`);
        return { ...record, outcome };
      },
      async proceed() {
        did.push('proceed');
        return { step: 'return' };
      },
    },
    defaultDailyMinutes: null,
    onDial: () => undefined,
    keysFor: async () => (phone) => phone,
    organizationName: async () => 'Acme',
  });
  const tell = (event: LegEvent, providerCallId = 'CA-leg') =>
    handover.leg(on, { legId: leg.id, providerCallId, event });
  const dialEnded = (event: Partial<Parameters<typeof handover.dialEnded>[1]> = {}) =>
    handover.dialEnded(on, {
      type: 'dial-ended',
      legId: leg.id,
      providerLegId: 'CA-leg',
      status: 'no-answer',
      connected: null,
      calleeLeft: false,
      durationSeconds: 9,
      ...event,
    });
  return { did, tell, dialEnded, resume: () => handover.resume(on) };
}

const pickedUp: LegEvent = { type: 'picked-up' };
const replied = (words: string, round = 1): LegEvent => ({ type: 'replied', digit: null, words, round });
const hangUp = { type: 'hang-up' };

describe('somebody who picks up', () => {
  it('is asked, and put through after a yes', async () => {
    const { did, tell } = stage();
    expect(await tell(pickedUp)).toMatchObject({ type: 'ask', round: 1 });
    expect(await tell(replied('yes'))).toEqual({ type: 'connect' });
    expect(did).toEqual(['answered null null', 'connected null null']);
  });

  it.each([
    ['after their number was given up', { leg: { endedAt: new Date(2000), outcome: 'no_answer' } }],
    ['for a call that was canceled', { call: { cancelRequested: true } }],
    ['for a call that is over', { call: { state: 'completed' } }],
  ] as const)('too late, %s, is neither asked nor put through', async (_, over) => {
    const { did, tell } = stage(over);
    expect(await tell(pickedUp)).toEqual(hangUp);
    expect(await tell(replied('yes'))).toEqual(hangUp);
    expect(did).toEqual([]);
  });

  it('and cannot be understood three times does not take the call', async () => {
    const { did, tell } = stage();
    expect(await tell(replied('uhm', 1))).toMatchObject({ type: 'ask', round: 2, text: '' });
    expect(await tell(replied('uhm', 2))).toMatchObject({ type: 'ask', round: 3 });
    expect(await tell(replied('uhm', 3))).toEqual(hangUp);
    expect(did).toEqual([]);
  });

  it('and says yes again while they are connected stays so', async () => {
    const { tell } = stage({ leg: { outcome: 'connected' } });
    expect(await tell(replied('uhm', 3))).toEqual({ type: 'connect' });
  });

  it('on another line than the one that was rung is refused', async () => {
    const { did, tell } = stage();
    expect(await tell(pickedUp, 'CA-other')).toBe('refused');
    expect(await tell({ type: 'status', status: 'in-progress', durationSeconds: null }, 'CA-other')).toBe(
      'refused',
    );
    expect(did).toEqual([]);
  });
});

describe('a number that was rung in vain', () => {
  it.each([
    ['busy', 'warm', null, 'ended busy null'],
    ['no-answer', 'warm', null, 'ended no_answer null'],
    ['failed', 'warm', null, 'ended failed null'],
    ['completed', 'warm', null, 'ended refused 9'],
    ['completed', 'cold', null, 'ended connected 9'],
    ['completed', 'warm', true, 'ended connected 9'],
    ['completed', 'cold', false, 'ended failed null'],
  ] as const)(
    'with %s (%s, connected: %s) is put down as "%s"',
    async (status, mode, connected, expected) => {
      const { did, dialEnded } = stage({ transfer: { mode } });
      const next = await dialEnded({ status, connected });
      expect(did[0]).toBe(expected);
      expect(next).toEqual(expected.includes(' connected') ? hangUp : 'agent');
    },
  );

  it.each([
    ['left', { calleeLeft: true }, {}],
    ['is on a call that was canceled', {}, { call: { cancelRequested: true } }],
  ] as const)('is the last one where the callee %s', async (_, event, over) => {
    const { did, dialEnded } = stage(over);
    expect(await dialEnded(event)).toEqual(hangUp);
    expect(did).not.toContain('proceed');
  });

  it('is not rung again when the carrier did not get the answer to its end', async () => {
    const { did, resume } = stage();
    expect(await resume()).toBe('agent');
    expect(did).toEqual(['ended failed null', 'proceed']);
  });

  it('and whose talk is over ends the call when the carrier asks again', async () => {
    const { did, resume } = stage({ leg: { outcome: 'connected' } });
    expect(await resume()).toEqual(hangUp);
    expect(did).not.toContain('proceed');
  });
});
