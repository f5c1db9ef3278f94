import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { CarrierCallStatus } from '../ports/telephony.ts';
import { callOutcome, isTerminal, movesForward, stateOf } from './call-status.ts';

const statuses: CarrierCallStatus[] = [
  'queued',
  'initiated',
  'ringing',
  'in-progress',
  'completed',
  'busy',
  'no-answer',
  'failed',
  'canceled',
];

describe('call status', () => {
  it('knows the six ways a call ends and no other', () => {
    const pairs = new Set<string>();
    for (const status of statuses.filter(isTerminal)) {
      for (const answeredBy of ['human', 'machine', 'fax', 'unknown', null] as const) {
        for (const agentFailed of [false, true]) {
          const { callStatus, providerStatus } = callOutcome(status, answeredBy, agentFailed);
          pairs.add(`${callStatus}/${providerStatus}`);
        }
      }
    }
    expect([...pairs].sort()).toEqual([
      'not_picked_up/busy',
      'not_picked_up/canceled',
      'not_picked_up/failed',
      'not_picked_up/no-answer',
      'success/completed',
      'voicemail/completed',
    ]);
  });

  it('refuses to name an outcome for a call that goes on', () => {
    for (const status of statuses.filter((each) => !isTerminal(each))) {
      expect(() => callOutcome(status, null, false)).toThrow(TypeError);
    }
  });

  it('only moves forward and never leaves the end, whatever arrives in whatever order', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...statuses), { maxLength: 30 }), (events) => {
        let state = stateOf('queued');
        let ended = false;
        for (const event of events) {
          const next = stateOf(event);
          if (!movesForward(state, next)) continue;
          expect(ended).toBe(false);
          state = next;
          ended = state === 'completed';
        }
        expect(ended).toBe(events.some(isTerminal));
      }),
      { numRuns: 10_000 },
    );
  });

  it('leaves the unknown as soon as the carrier confirms the call', () => {
    expect(movesForward('unknown', 'dialing')).toBe(true);
    expect(movesForward('dialing', 'unknown')).toBe(false);
  });
});
