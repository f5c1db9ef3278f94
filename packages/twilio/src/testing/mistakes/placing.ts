import type { CarrierAccount, DialResult, PlaceCallRequest } from '@callkite/core';
import type { CarrierFault } from '@callkite/core/testing';
import { type Break, type Good, type Mistake, surprise, wait } from './mistake.ts';

const rejected = (over: Partial<Extract<DialResult, { outcome: 'not-placed' }>> = {}): DialResult => ({
  outcome: 'not-placed',
  retry: true,
  scope: 'call',
  reason: 'carrier_unavailable',
  tooManyCalls: false,
  providerCode: null,
  ...over,
});

/** An adapter whose placements come out otherwise. */
const placing =
  (
    change: (
      placement: DialResult,
      again: () => Promise<DialResult>,
      good: Good,
    ) => Promise<DialResult> | DialResult,
  ): Break =>
  (good) => ({
    async placeCall(account: CarrierAccount, request: PlaceCallRequest) {
      const again = () => good.placeCall(account, request);
      return change(await again(), again, good);
    },
  });
const placesAgainAfter = (fault: CarrierFault): Break =>
  placing((placement, again, good) => (good.fault() === fault ? again() : placement));
const callsNotPlacedAfter = (fault: CarrierFault): Break =>
  placing((placement, _, good) => (good.fault() === fault ? rejected() : placement));

const doesNotKnow = (what: string) => `does not know after ${what}, and does not ask twice`;
const failed = doesNotKnow('a carrier that fails after it created the call');
const failedBefore = doesNotKnow('a carrier that fails, and created nothing');
const reset = doesNotKnow('a connection that is reset after the call was created');
const resetBefore = doesNotKnow('a connection that is reset before that');
const garbled = doesNotKnow('an answer that nobody can read');
const silent = 'gives up within 10 s on a carrier that does not answer, and does not ask twice';
const noReach = 'knows that nothing was placed when the carrier cannot be reached';

export const placementMistakes: readonly Mistake[] = [
  ['places every call twice', 'places a call, with one request', placing((_, again) => again())],
  ['places again after a 5xx', failed, placesAgainAfter('fails-after-create')],
  ['places again after a 5xx that created nothing', failedBefore, placesAgainAfter('fails-before-create')],
  ['places again after a reset', reset, placesAgainAfter('resets-after-create')],
  ['places again after an early reset', resetBefore, placesAgainAfter('resets-before-create')],
  ['places again after an unreadable answer', garbled, placesAgainAfter('garbles-after-create')],
  [
    'places again after being told to slow down',
    'leaves it to others to try again when too much is asked of the carrier',
    placesAgainAfter('limits-rate'),
  ],
  [
    'gives up for good after being told to slow down',
    'leaves it to others to try again when too much is asked of the carrier',
    placing(() => rejected({ retry: false })),
  ],
  ['calls a 5xx not placed', failed, callsNotPlacedAfter('fails-after-create')],
  ['calls an early 5xx not placed', failedBefore, callsNotPlacedAfter('fails-before-create')],
  ['calls a reset not placed', reset, callsNotPlacedAfter('resets-after-create')],
  ['calls an early reset not placed', resetBefore, callsNotPlacedAfter('resets-before-create')],
  ['calls an unreadable answer not placed', garbled, callsNotPlacedAfter('garbles-after-create')],
  ['calls an unreadable answer placed', garbled, placing(() => ({ outcome: 'placed', providerCallId: '' }))],
  [
    'rejects after a 5xx',
    failed,
    placing((placement) => (placement.outcome === 'unknown' ? surprise() : placement)),
  ],
  [
    'places again when no answer comes',
    silent,
    placing((placement, again) => (placement.outcome === 'unknown' ? again() : placement)),
  ],
  [
    'calls a silent carrier not placed',
    silent,
    placing((placement) => (placement.outcome === 'unknown' ? rejected() : placement)),
  ],
  [
    'takes longer than 10 s',
    silent,
    placing(async (placement) => {
      if (placement.outcome === 'unknown') await wait(4000);
      return placement;
    }),
  ],
  [
    'waits while an answer trickles in',
    silent,
    placing(async (placement, _, good) => {
      while (good.fault() === 'trickles-after-create') await wait(500);
      return placement;
    }),
  ],
  [
    'does not know whether an unreachable carrier was reached',
    noReach,
    placing(() => ({ outcome: 'unknown', providerCode: null })),
  ],
  ['gives up for good on an unreachable carrier', noReach, placing(() => rejected({ retry: false }))],
  ['rejects when the carrier cannot be reached', noReach, placing(surprise)],
  [
    'would try an invalid number again',
    'never places a call to an invalid number',
    placing((placement) => ({ ...placement, retry: true }) as DialResult),
  ],
  [
    'blames a wrong secret on the call',
    'says that the account is refused when the secret is wrong',
    placing((placement) => ({ ...placement, scope: 'call' }) as DialResult),
  ],
];
