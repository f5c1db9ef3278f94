import type { CarrierCallStatus, Storage } from '@callkite/core';
import { createTenant, type Tenant } from '@callkite/core/testing';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { testStorage } from '../../../../test/test-storage.ts';

let storage: Storage;
let tenant: Tenant;

beforeAll(async () => {
  storage = testStorage();
  await storage.start();
  tenant = await createTenant(storage, { callsPerSecond: 1_000_000 });
});

afterAll(() => storage.stop());

const ranks: Record<CarrierCallStatus, number> = {
  queued: 1,
  initiated: 1,
  ringing: 2,
  'in-progress': 3,
  completed: 4,
  busy: 4,
  'no-answer': 4,
  failed: 4,
  canceled: 4,
};
const states = ['queued', 'dialing', 'ringing', 'in_progress', 'completed'] as const;

type Step =
  | { readonly does: 'report'; readonly status: CarrierCallStatus; readonly machine: boolean }
  | { readonly does: 'cancel' | 'place' | 'lose' | 'haunt' };

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      does: fc.constant('report' as const),
      status: fc.constantFrom(...(Object.keys(ranks) as CarrierCallStatus[])),
      machine: fc.boolean(),
    }),
  },
  { weight: 1, arbitrary: fc.record({ does: fc.constantFrom('cancel', 'place', 'lose', 'haunt') }) },
);

it('whatever is reported in whatever order, a call moves forward and ends once, as first reported', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 12 }), async (steps) => {
      await tenant.accept();
      const { attempt } = await tenant.claim();
      const { id: attemptId, callId } = attempt;
      let rank = 1;
      let first: CarrierCallStatus | null = null;
      let machine = false;
      let canceled = false;
      let answered = false;
      for (const next of steps) {
        switch (next.does) {
          case 'cancel':
            await storage.calls.cancel(tenant, callId);
            canceled ||= first === null;
            break;
          case 'place':
            await storage.calls.attemptPlaced(attemptId, `CA-${attemptId}`);
            break;
          case 'lose':
            await storage.calls.attemptUnknown(attemptId, 60_000);
            break;
          case 'haunt':
            // Another carrier call for the attempt, once it has one: never mistaken for it.
            if ((await storage.calls.getAttempt(attemptId))?.providerCallId !== null) {
              const haunted = await storage.calls.report(attemptId, {
                providerCallId: `CA-ghost-${attemptId}`,
                status: 'completed',
                answeredBy: null,
                durationSeconds: 1,
              });
              expect(haunted.result).toBe('ghost');
            }
            break;
          case 'report': {
            await storage.calls.report(attemptId, {
              providerCallId: `CA-${attemptId}`,
              status: next.status,
              answeredBy: next.machine ? 'machine' : null,
              durationSeconds: null,
            });
            if (first !== null) break;
            machine ||= next.machine;
            if (ranks[next.status] === 4) first = next.status;
            answered ||= next.status === 'in-progress' || next.status === 'completed';
            rank = Math.max(rank, ranks[next.status]);
          }
        }
        const { state } = await tenant.call(callId);
        expect(state === 'unknown' ? 'dialing' : state).toBe(states[rank]);
      }

      const call = await tenant.call(callId);
      expect(await finishJobs(callId)).toBe(first === null ? 0 : 1);
      if (first === null) {
        expect(call.outcome).toBeNull();
      } else if (first === 'completed') {
        expect(call.outcome).toEqual({
          callStatus: machine ? 'voicemail' : 'success',
          providerStatus: 'completed',
        });
      } else {
        const endedByUs = canceled && !answered && (first === 'no-answer' || first === 'canceled');
        expect(call.outcome).toEqual({
          callStatus: 'not_picked_up',
          providerStatus: endedByUs ? 'canceled' : first,
        });
      }
      expect(await storage.calls.adoptOrphans()).toBe(0);
      await storage.calls.abandonAttempt(attemptId, 'internal');
    }),
    { numRuns: 60 },
  );
});

async function finishJobs(callId: string): Promise<number> {
  const jobs = await tenant.jobs('finish_call');
  return jobs.filter((job) => job.subjectId === callId).length;
}
