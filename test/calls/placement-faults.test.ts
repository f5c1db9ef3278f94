import { builtInAccounts, type EmulatorOptions } from '@callkite/twilio-emulator';
import { afterEach, describe, expect, it } from 'vitest';
import { type Embedded, type EmbeddedOptions, eventually, startEmbedded } from '../embedded.ts';
import { fictionalNumber } from '../faults/fictional-number.ts';

let embedded: Embedded;

afterEach(async () => {
  await embedded.stop();
});

type Faults = EmulatorOptions['faults'];
const started = async (faults: Faults, options: EmbeddedOptions = {}) => {
  embedded = await startEmbedded({
    ...options,
    emulator: { ...options.emulator, ...(faults ? { faults } : {}) },
    callkite: { confirmationWindowMs: 6_000, ...options.callkite },
  });
};

async function trigger(to: string): Promise<Response> {
  return embedded.request('POST', '/call', { workflow_id: embedded.workflowId, recipient_phone: to });
}

interface Ended {
  call_status: string;
  provider_status: string;
  reason: string | null;
}

async function ended(to: string, timeoutMs = 25_000): Promise<Ended> {
  return eventually(
    'the end of the call',
    async () => {
      const listed = await embedded.request('GET', `/calls?to=${encodeURIComponent(to)}`);
      const { calls } = (await listed.json()) as { calls: (Ended & { state: string })[] };
      return calls[0]?.state === 'completed' ? calls[0] : null;
    },
    timeoutMs,
  );
}

const createsTo = (to: string) => embedded.twilioEmulator.calls().filter((record) => record.to === to);
const ringsOf = (to: string) => createsTo(to).filter((record) => record.timeline.ringingAt);

describe('a placement whose answer is lost', () => {
  it.each(['createReset', 'create5xx', 'createTimeout'])(
    '(%s) rings once and ends with its true result',
    async (fault) => {
      await started({ [fault]: 1 });
      const to = fictionalNumber(300);
      await trigger(to);
      expect(await ended(to)).toMatchObject({ call_status: 'success', provider_status: 'completed' });
      expect(createsTo(to)).toHaveLength(1);
      expect(ringsOf(to)).toHaveLength(1);
    },
  );

  it('is found by asking when no webhook arrives either', async () => {
    await started({ createReset: 1, callbacksLost: 1 });
    const to = '+12025550111';
    await trigger(to);
    expect(await ended(to)).toMatchObject({ call_status: 'not_picked_up', provider_status: 'busy' });
    expect(createsTo(to)).toHaveLength(1);
  });

  it('is found in a listing that lags', async () => {
    await started({ createReset: 1, callbacksLost: 1, listLagMs: 3_000 });
    const to = '+12025550111';
    await trigger(to);
    expect(await ended(to)).toMatchObject({ provider_status: 'busy', reason: null });
    expect(createsTo(to)).toHaveLength(1);
  });

  it('and that never became a call ends as failed and is not dialed again', async () => {
    await started({ createRefused5xx: 1 });
    const to = fictionalNumber(301);
    await trigger(to);
    expect(await ended(to)).toMatchObject({
      call_status: 'not_picked_up',
      provider_status: 'failed',
      reason: 'placement_unconfirmed',
    });
    expect(createsTo(to)).toHaveLength(1);
  });
});

describe('a placement the carrier refuses', () => {
  it('for its rate is tried again until it is taken', async () => {
    await started({ rateLimited: 1 });
    const to = fictionalNumber(302);
    await trigger(to);
    await eventually('a refusal', () => createsTo(to).length > 0);
    embedded.twilioEmulator.configure({ faults: { rateLimited: 0 } });
    expect(await ended(to)).toMatchObject({ call_status: 'success' });
    expect(ringsOf(to)).toHaveLength(1);
  });

  it('for good ends the call with the reason', async () => {
    const blocked = fictionalNumber(303);
    await started(undefined, {
      emulator: { accounts: [{ ...builtInAccounts.approved, blockedNumbers: [blocked] }] },
    });
    await trigger(blocked);
    expect(await ended(blocked)).toMatchObject({
      call_status: 'not_picked_up',
      provider_status: 'failed',
      reason: 'blocked_destination',
    });
    expect(createsTo(blocked)).toHaveLength(1);
  });
});

describe('a carrier that is down', () => {
  it('is left alone, said so, and used again once it answers', async () => {
    await started({ createRefused5xx: 1, fetchFails: 1 }, { callkite: { confirmationWindowMs: 2_000 } });
    for (let index = 0; index < 5; index += 1) await trigger(fictionalNumber(310 + index));
    const refused = await eventually('the refusal', async () => {
      const response = await trigger(fictionalNumber(320));
      return response.status === 503 ? response : null;
    });
    expect(refused.headers.get('callkite-error-code')).toBe('carrier_unavailable');
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    embedded.twilioEmulator.configure({ faults: { createRefused5xx: 0, fetchFails: 0 } });
    const accepted = await eventually('recovery', async () => {
      const response = await trigger(fictionalNumber(321));
      return response.status === 200 ? response : null;
    });
    expect(accepted.status).toBe(200);
    expect(await ended(fictionalNumber(321))).toMatchObject({ call_status: 'success' });
  });
});

describe('webhooks that misbehave', () => {
  it.each(['callbacksLate', 'callbacksDuplicated', 'callbacksReordered', 'callbacksLost'])(
    '(%s) change nothing about the result',
    async (fault) => {
      await started({ [fault]: 1, callbacksLateMs: 1_500 });
      await trigger('+12025550111');
      await trigger(fictionalNumber(330));
      expect(await ended('+12025550111')).toMatchObject({ provider_status: 'busy' });
      expect(await ended(fictionalNumber(330), 40_000)).toMatchObject({ call_status: 'success' });
    },
    60_000,
  );
});

describe('the limits of an account', () => {
  it('of one call a second hold', async () => {
    const { upgraded } = builtInAccounts;
    await started(undefined, { account: upgraded });
    // The first use of a client prepares it, which delays its first request alone.
    const first = fictionalNumber(339);
    await trigger(first);
    await ended(first);
    const numbers = Array.from({ length: 6 }, (_, index) => fictionalNumber(340 + index));
    await Promise.all(numbers.map((to) => trigger(to)));
    for (const to of numbers) expect(await ended(to)).toMatchObject({ call_status: 'success' });
    const created = embedded.twilioEmulator
      .calls()
      .filter(({ to }) => numbers.includes(to))
      .map((record) => Date.parse(record.receivedAt))
      .sort((one, other) => one - other);
    expect(created).toHaveLength(6);
    // What is late by itself is nearer to the next one. Without the limit they would all come at once.
    const between = created.slice(1).map((at, index) => at - (created[index] ?? 0));
    expect(between.toSorted((one, other) => one - other)[2]).toBeGreaterThanOrEqual(950);
    expect((created.at(-1) ?? 0) - (created[0] ?? 0)).toBeGreaterThanOrEqual(4000);
    // Twilio would have queued or refused what came too early or too many.
    expect(embedded.twilioEmulator.calls().every((record) => record.outcome.status === 201)).toBe(true);
  });
});
