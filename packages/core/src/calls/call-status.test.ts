import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { callOutcome, isTerminal, movesForward, type SealedCall, sealedEnd, stateOf } from './call-status.ts';
import type { CarrierCallStatus } from './carrier-adapter.ts';

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

describe('a sealed call', () => {
  const call: SealedCall = {
    outcome: { callStatus: 'success', providerStatus: 'completed' },
    reason: null,
    conversation: 'lost',
    conversationOver: false,
    wasTransferred: false,
    agentWasHeard: true,
    durationSeconds: 60,
  };
  const endOf = (changes: Partial<SealedCall>) => {
    const { outcome, reason } = sealedEnd({ ...call, ...changes });
    return `${outcome.callStatus}/${outcome.providerStatus} ${reason}`;
  };

  it('whose conversation was lost is no success, and says so', () => {
    expect(endOf({})).toBe('not_picked_up/failed connection_lost');
    expect(endOf({ conversationOver: true })).toBe('success/completed connection_lost');
    expect(endOf({ outcome: { callStatus: 'voicemail', providerStatus: 'completed' } })).toBe(
      'voicemail/completed connection_lost',
    );
  });

  it('that was answered, and in which no agent came, neither', () => {
    const alone = { conversation: 'none', agentWasHeard: false } as const;
    expect(endOf(alone)).toBe('not_picked_up/failed agent_unavailable');
    expect(endOf({ ...alone, durationSeconds: 2 })).toBe('success/completed null');
    expect(endOf({ ...alone, agentWasHeard: true })).toBe('success/completed null');
  });

  it('stays as it is otherwise', () => {
    expect(endOf({ conversation: 'ended', agentWasHeard: false })).toBe('success/completed null');
    expect(endOf({ reason: 'opted_out' })).toBe('success/completed opted_out');
    expect(endOf({ wasTransferred: true })).toBe('success/completed null');
    const busy = { callStatus: 'not_picked_up', providerStatus: 'busy' } as const;
    expect(endOf({ outcome: busy, conversation: 'none' })).toBe('not_picked_up/busy null');
  });
});
