import type { CallStore, ClaimResult, OrganizationStore } from '@callkite/core';
import { type Break, inCalls, type Mistake, part, saysDone } from './mistake.ts';

const concurrency = 'open attempts stay within the concurrency limit, and an end frees a place';
const blocked = 'lines with due calls are found, unless paused or down';
const bound = 'a placed attempt is bound to its carrier call, once';
const watched = 'an unknown attempt is looked after, and can still turn out placed';
const oneDoes = 'of several who resolve one attempt at once, one does';
const requeued = 'an attempt that rang nobody gives the call back to the queue';

type Line = Parameters<OrganizationStore['saveConnection']>[0];

/** A store that takes no notice of some limit of its connections. */
const withLines = (change: (line: Line) => Partial<Line>): Break =>
  part('organizations', ({ saveConnection }) => ({
    saveConnection: (line) => saveConnection({ ...line, ...change(line) }),
  }));

/** A claim that is handed out again and again. */
function claimedAgain({ claimNext }: CallStore): Partial<CallStore> {
  const claims = new Map<string, ClaimResult>();
  return {
    async claimNext(connectionId, attemptId, minutes) {
      const claimed = await claimNext(connectionId, attemptId, minutes);
      if (claimed.result === 'claimed') claims.set(connectionId, claimed);
      return claims.get(connectionId) ?? claimed;
    },
  };
}

/** Calls whose number the store does not know while it looks for open ones to the same number. */
function withHiddenNumbers({ accept, claimNext }: CallStore): Partial<CallStore> {
  const numbers = new Map<string, string>();
  return {
    accept(input) {
      numbers.set(input.callId, input.to);
      return accept({ ...input, to: `+1${numbers.size}`.padEnd(12, '5') });
    },
    async claimNext(connectionId, attemptId, minutes) {
      const claimed = await claimNext(connectionId, attemptId, minutes);
      if (claimed.result !== 'claimed') return claimed;
      const { call, attempt } = claimed.claim;
      const to = numbers.get(call.id) ?? call.to;
      return { ...claimed, claim: { ...claimed.claim, call: { ...call, to }, attempt: { ...attempt, to } } };
    },
  };
}

export const dialingMistakes: readonly Mistake[] = [
  [
    'hands a call out to be dialed twice',
    'the call that waited longest is claimed, with an intent on disk',
    inCalls(claimedAgain),
  ],
  [
    'dials a number that is on the line already',
    'a number that is being called is not called a second time',
    inCalls(withHiddenNumbers),
  ],
  ['has no limit on open calls', concurrency, withLines(() => ({ maximumConcurrentCalls: null }))],
  [
    'begins one call more than it may',
    concurrency,
    withLines(({ maximumConcurrentCalls: limit }) => ({ maximumConcurrentCalls: limit && limit + 1 })),
  ],
  [
    'does not wait between calls',
    'the next start is waited for',
    withLines(() => ({ callsPerSecond: 1000 })),
  ],
  [
    'frees the place of an attempt about which nothing is known',
    'an unknown attempt keeps its place',
    inCalls(({ attemptUnknown, abandonAttempt }) => ({
      async attemptUnknown(attemptId, lookInMs) {
        const isUnknown = await attemptUnknown(attemptId, lookInMs);
        await abandonAttempt(attemptId, 'internal');
        return isUnknown;
      },
    })),
  ],
  ['dials on a line that is down', blocked, inCalls(() => ({ setConnectionDown: async () => {} }))],
  ['dials on a paused line', blocked, inCalls(() => ({ pauseConnection: async () => {} }))],
  [
    'does not lower the concurrency that was refused',
    'a refused concurrency is halved',
    inCalls(() => ({ reduceConcurrency: async () => {} })),
  ],
  [
    'dials beyond the minutes of the day',
    'no call begins beyond the limit: due ones end, and what has begun goes on',
    part('organizations', ({ create }) => ({
      create: (organization) => create({ ...organization, dailyCallMinutes: null }),
    })),
  ],
  [
    'dials what was canceled',
    'a queued call is canceled at once',
    inCalls(({ get }) => ({
      async cancel(scope, callId) {
        const call = await get(scope, callId);
        const outcome = { callStatus: 'not_picked_up', providerStatus: 'canceled' } as const;
        const reason = 'canceled_by_request';
        const canceled = { state: 'completed', outcome, reason, cancelRequested: true } as const;
        return call && { call: { ...call, ...canceled }, attempt: null };
      },
    })),
  ],
  [
    'cancels calls of other organizations',
    'a queued call is canceled at once',
    inCalls(({ cancel, load }) => ({
      async cancel(_, callId) {
        const loaded = await load(callId);
        return loaded && cancel(loaded.call, callId);
      },
    })),
  ],
  [
    'does not say which attempt is to be ended',
    'a live call is marked and its attempt returned',
    inCalls(({ cancel }) => ({
      async cancel(scope, callId) {
        const canceled = await cancel(scope, callId);
        return canceled && { ...canceled, attempt: null };
      },
    })),
  ],
  [
    'dials again what was canceled while it was being placed',
    'a canceled call is not dialed again',
    inCalls(({ get, cancel }) => ({
      async cancel(scope, callId) {
        const call = await get(scope, callId);
        if (call?.state !== 'dialing') return cancel(scope, callId);
        return { call, attempt: { id: '' } as never };
      },
    })),
  ],
  [
    'takes a late answer for the placement of an attempt that was given up',
    bound,
    inCalls(({ attemptPlaced }) => ({ attemptPlaced: saysDone(attemptPlaced) })),
  ],
  [
    'takes an attempt that was placed for one that rang nobody',
    bound,
    inCalls(({ attemptNotPlaced }) => ({ attemptNotPlaced: saysDone(attemptNotPlaced) })),
  ],
  ['does not know which carrier calls are bound', bound, inCalls(() => ({ isBound: async () => false }))],
  [
    'binds one carrier call to two attempts',
    'one carrier call is not bound to two attempts',
    inCalls(({ attemptPlaced, isBound }) => ({
      attemptPlaced: async (attemptId, id) =>
        (await attemptPlaced(attemptId, id)) || ((await isBound(id)) && attemptPlaced(attemptId, `${id}-2`)),
    })),
  ],
  [
    'never looks after an unknown attempt',
    watched,
    inCalls(({ attemptUnknown }) => ({
      attemptUnknown: (attemptId) => attemptUnknown(attemptId, 1e9),
    })),
  ],
  [
    'looks after an unknown attempt too early',
    'an unknown attempt is not looked after before its time',
    inCalls(({ attemptUnknown }) => ({ attemptUnknown: (attemptId) => attemptUnknown(attemptId, 0) })),
  ],
  [
    'leaves a call that rang nobody without an owner',
    requeued,
    inCalls(() => ({ attemptNotPlaced: async () => true })),
  ],
  [
    'dials a call that rang nobody again at once',
    requeued,
    inCalls(({ attemptNotPlaced }) => ({
      attemptNotPlaced: (attemptId, next) =>
        attemptNotPlaced(attemptId, 'retryInMs' in next ? { retryInMs: 0 } : next),
    })),
  ],
  [
    'lets everybody resolve an attempt',
    oneDoes,
    inCalls(({ attemptPlaced, attemptNotPlaced }) => ({
      attemptPlaced: saysDone(attemptPlaced),
      attemptNotPlaced: saysDone(attemptNotPlaced),
    })),
  ],
  ['counts no fruitless looks', watched, inCalls(() => ({ countFruitlessLook: async () => 1 }))],
];
