import assert from 'node:assert/strict';
import type { DialResult } from '../../calls/carrier-adapter.ts';
import {
  assertHolds,
  type CarrierFault,
  eventually,
  type FixtureTest,
  place,
  placement,
  type TelephonyFixture,
} from './fixture.ts';

/** What the port promises, and a second for a busy machine. */
const SETTLES_WITHIN_MS = 11_000;

export function placingContract(test: FixtureTest): void {
  test('places a call, with one request', async (fixture) => {
    assert.notEqual(await place(fixture), '');
    assert.equal(fixture.creates(), 1);
  });

  test('never places a call to an invalid number', async (fixture) => {
    const request = { ...placement(fixture), to: fixture.invalidNumber };
    const result = await fixture.telephony.placeCall(fixture.account, request);
    assertHolds(result, { outcome: 'not-placed', retry: false, scope: 'call', reason: 'invalid_number' });
    assert.equal(fixture.creates(), 1);
  });

  test('says that the account is refused when the secret is wrong', async (fixture) => {
    const account = { ...fixture.account, secret: 'not-the-secret' };
    const result = await fixture.telephony.placeCall(account, placement(fixture));
    assertHolds(result, { outcome: 'not-placed', retry: false, scope: 'account' });
  });

  test('knows that nothing was placed when the carrier cannot be reached', async (fixture) => {
    const result = await fixture.unreachable.placeCall(fixture.account, placement(fixture));
    assertHolds(result, {
      outcome: 'not-placed',
      retry: true,
      scope: 'call',
      reason: 'carrier_unavailable',
      tooManyCalls: false,
    });
  });

  test('leaves it to others to try again when too much is asked of the carrier', async (fixture) => {
    fixture.misbehave('limits-rate');
    const result = await fixture.telephony.placeCall(fixture.account, placement(fixture));
    assertHolds(result, {
      outcome: 'not-placed',
      retry: true,
      scope: 'call',
      reason: 'carrier_unavailable',
    });
    assert.equal(fixture.creates(), 1);
  });

  const lost: readonly [CarrierFault, string, 0 | 1][] = [
    ['fails-after-create', 'a carrier that fails after it created the call', 1],
    ['fails-before-create', 'a carrier that fails, and created nothing', 0],
    ['resets-after-create', 'a connection that is reset after the call was created', 1],
    ['resets-before-create', 'a connection that is reset before that', 0],
    ['garbles-after-create', 'an answer that nobody can read', 1],
  ];
  for (const [fault, what, created] of lost) {
    test(`does not know after ${what}, and does not ask twice`, async (fixture) => {
      fixture.misbehave(fault);
      const sinceMs = Date.now();
      assertHolds(await fixture.telephony.placeCall(fixture.account, placement(fixture)), {
        outcome: 'unknown',
      });
      assert.equal(fixture.creates(), 1);
      fixture.misbehave('none');
      const { from, to } = fixture;
      const found = await fixture.telephony.findCalls(fixture.account, { from, to, sinceMs });
      assert.equal(found.length, created);
      assert.equal(fixture.creates(), 1);
    });
  }

  test('gives up within 10 s on a carrier that does not answer, and does not ask twice', async (fixture) => {
    const silences = ['hangs-after-create', 'hangs-before-create', 'trickles-after-create'] as const;
    const results: Promise<DialResult | 'late'>[] = [];
    for (const [index, silence] of silences.entries()) {
      fixture.misbehave(silence);
      results.push(settled(fixture));
      await eventually('the create', async () => (fixture.creates() > index ? true : null));
    }
    for (const result of await Promise.all(results)) {
      assert.ok(result !== 'late', 'the placement took longer than 10 s');
      assertHolds(result, { outcome: 'unknown' });
    }
    assert.equal(fixture.creates(), silences.length);
  });
}

/** What comes of a placement, or `late`. */
async function settled(fixture: TelephonyFixture): Promise<DialResult | 'late'> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<'late'>((resolve) => {
    timer = setTimeout(() => resolve('late'), SETTLES_WITHIN_MS);
  });
  try {
    return await Promise.race([fixture.telephony.placeCall(fixture.account, placement(fixture)), late]);
  } finally {
    clearTimeout(timer);
  }
}
