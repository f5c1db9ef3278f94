import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { CarrierAccountFacts } from '../../calls/carrier-adapter.ts';
import type { CarrierConnection } from '../../calls/carrier-connection.ts';
import { CallkiteError } from '../../kernel/errors.ts';
import { silentLogger } from '../../kernel/logger.ts';
import { createCarrierBreaker } from './carrier-breaker.ts';

const connection: CarrierConnection = {
  id: 'con_1',
  organizationId: 'org_1',
  mode: 'live',
  accountId: 'AC1',
  network: 'twilio',
  sealedSecret: 'sealed',
  accountName: 'Acme',
  accountType: 'full',
  businessProfile: 'Profile Approved',
  callsPerSecond: 1,
  maximumConcurrentCalls: null,
  status: 'active',
  downUntil: null,
  createdAt: new Date(0),
};
const facts: CarrierAccountFacts = {
  accountId: 'AC1',
  name: 'Acme',
  type: 'full',
  active: true,
  businessProfile: 'Profile Approved',
};
const away = new CallkiteError('provider_unavailable', 'the carrier is away', { retryable: true });
const probeEveryMs = 5_000;

/** A breaker with a carrier that is away until the test says otherwise. */
function stage() {
  const held: number[] = [];
  const recovered: string[] = [];
  const carrier = { isAway: true, probes: 0 };
  const breaker = createCarrierBreaker({
    calls: {
      async setConnectionDown(_, forMs) {
        held.push(forMs);
      },
    },
    telephonyFor: () => ({
      async describeAccount() {
        carrier.probes += 1;
        if (carrier.isAway) throw away;
        return facts;
      },
    }),
    accountOf: () => ({ accountId: 'AC1', secret: 'secret' }),
    onRecovered: (id) => recovered.push(id),
    logger: silentLogger,
  });
  const fail = (times: number) => {
    for (let time = 0; time < times; time += 1) breaker.failed(connection);
  };
  return { breaker, held, recovered, carrier, fail };
}

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

describe('a carrier that keeps failing', () => {
  it('is left alone after five failures in a row', () => {
    const { breaker, held, fail } = stage();
    fail(4);
    expect(held).toEqual([]);
    breaker.succeeded(connection.id);
    fail(4);
    expect(held).toEqual([]);
    fail(1);
    expect(held).toEqual([30_000]);
    fail(3);
    expect(held, 'one hold is enough').toEqual([30_000]);
    breaker.stop();
  });

  it('is probed until it answers, and stays on hold as long', async () => {
    const { breaker, held, recovered, carrier, fail } = stage();
    fail(5);
    await vi.advanceTimersByTimeAsync(3 * probeEveryMs);
    expect(carrier.probes).toBe(3);
    expect(held).toEqual([30_000, 30_000, 30_000, 30_000]);
    expect(recovered).toEqual([]);
    carrier.isAway = false;
    await vi.advanceTimersByTimeAsync(probeEveryMs);
    expect(held.at(-1)).toBe(0);
    expect(recovered).toEqual([connection.id]);
    await vi.advanceTimersByTimeAsync(10 * probeEveryMs);
    expect(carrier.probes).toBe(4);
    breaker.stop();
  });

  it('is trusted anew once it is back, and left alone again when it fails again', async () => {
    const { breaker, held, carrier, fail } = stage();
    fail(5);
    carrier.isAway = false;
    await vi.advanceTimersByTimeAsync(probeEveryMs);
    expect(held).toEqual([30_000, 0]);
    fail(4);
    expect(held).toEqual([30_000, 0]);
    fail(1);
    expect(held).toEqual([30_000, 0, 30_000]);
    await vi.advanceTimersByTimeAsync(probeEveryMs);
    expect(carrier.probes).toBe(2);
    breaker.stop();
  });

  it('is not probed any more once dialing has stopped, not even after a probe that was under way', async () => {
    const { breaker, carrier, fail } = stage();
    fail(5);
    vi.advanceTimersByTime(probeEveryMs);
    breaker.stop();
    await vi.advanceTimersByTimeAsync(10 * probeEveryMs);
    expect(carrier.probes).toBe(1);
    fail(5);
    await vi.advanceTimersByTimeAsync(10 * probeEveryMs);
    expect(carrier.probes).toBe(1);
  });
});
