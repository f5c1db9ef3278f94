import type { CallRecord, CallStore } from '@callkite/core';
import { inCalls, type Mistake, orNothing, part, saysDone } from './mistake.ts';

const forward = 'reports move a call forward to its end';
const sealing = 'the record of a call waits for the last words of its conversation';
const finished = 'a call is finished once, with its deliveries';

/** A store that shows a call as it was last reported, and not as it is. */
function goingBackwards({ report, get }: CallStore): Partial<CallStore> {
  const last = new Map<string, CallRecord['state']>();
  const states = { ringing: 'ringing', initiated: 'dialing', 'in-progress': 'in_progress' } as const;
  const shown = (call: CallRecord) => ({ ...call, state: last.get(call.id) ?? call.state });
  return {
    async report(attemptId, told) {
      const result = await report(attemptId, told);
      const { status } = told;
      if (result.result === 'unknown-attempt') return result;
      if (status === 'ringing' || status === 'initiated' || status === 'in-progress') {
        last.set(result.call.id, states[status]);
      } else {
        last.delete(result.call.id);
      }
      return { ...result, call: shown(result.call) };
    },
    async get(scope, callId) {
      const call = await get(scope, callId);
      return call && shown(call);
    },
  };
}

function lastEndCounts({ report, get }: CallStore): Partial<CallStore> {
  const last = new Map<string, CallRecord['outcome']>();
  return {
    async report(attemptId, told) {
      const result = await report(attemptId, told);
      if (result.result !== 'unknown-attempt' && told.status === 'failed') {
        last.set(result.call.id, { callStatus: 'not_picked_up', providerStatus: 'failed' });
      }
      return result;
    },
    async get(scope, callId) {
      const call = await get(scope, callId);
      return call && { ...call, outcome: last.get(callId) ?? call.outcome };
    },
  };
}

/** Whoever lets go of a conversation ends it. */
function releasedByAnybody({ holdConversation, releaseConversation }: CallStore): Partial<CallStore> {
  const holders = new Map<string, string>();
  return {
    async holdConversation(callId, holder, leaseMs) {
      holders.set(callId, holder);
      return holdConversation(callId, holder, leaseMs);
    },
    releaseConversation: (callId) => releaseConversation(callId, holders.get(callId) ?? ''),
  };
}

export const reportMistakes: readonly Mistake[] = [
  ['lets a state go backwards', forward, inCalls(goingBackwards)],
  ['lets the last end count, not the first', forward, inCalls(lastEndCounts)],
  [
    'loses how long a call took',
    forward,
    inCalls(({ report }) => ({
      report: (attemptId, told) => report(attemptId, { ...told, durationSeconds: null }),
    })),
  ],
  [
    'lets carrier calls go on that nobody waits for',
    'a carrier call nobody waits for any more is a ghost',
    inCalls(({ report }) => ({
      async report(attemptId, told) {
        const result = await report(attemptId, told);
        return result.result === 'ghost' ? { result: 'applied', changed: false, call: result.call } : result;
      },
    })),
  ],
  [
    'says of every report that it changed something',
    'the same end reported many times at once is applied once',
    inCalls(({ report }) => ({
      async report(attemptId, told) {
        const result = await report(attemptId, told);
        return result.result === 'applied' ? { ...result, changed: true } : result;
      },
    })),
  ],
  [
    'does not tell machines from people',
    'a machine that answered is voicemail',
    inCalls(({ report }) => ({
      report: (attemptId, told) => report(attemptId, { ...told, answeredBy: null }),
    })),
  ],
  [
    'ends a call without the work that follows',
    forward,
    part('jobs', ({ claim }) => ({
      claim: async (options) => (options.kind === 'finish_call' ? [] : claim(options)),
    })),
  ],
  [
    'loses why a call ended',
    'a noted reason is kept, the first one',
    inCalls(() => ({ noteReason: async () => {} })),
  ],
  [
    'finds no calls without an owner',
    'a call whose work vanished is given it again',
    inCalls(() => ({ adoptOrphans: async () => 0 })),
  ],
];

export const recordMistakes: readonly Mistake[] = [
  [
    'loses the order of the transcript',
    'the transcript keeps its order',
    inCalls(({ transcript }) => ({
      transcript: async (callId) => (await transcript(callId)).toReversed(),
    })),
  ],
  [
    'seals a record while its conversation is being written',
    sealing,
    inCalls(({ seal }) => ({ seal: (callId) => seal(callId, { settle: 0, lease: 0, longest: 0 }) })),
  ],
  [
    'never seals a record',
    sealing,
    inCalls(({ seal }) => ({
      async seal(callId, waitMs) {
        const sealing = await seal(callId, { ...waitMs, settle: 1e9, lease: 1e9, longest: 1e9 });
        return sealing && { sealed: false, againInMs: 1e9 };
      },
    })),
  ],
  [
    'adds to a sealed transcript',
    sealing,
    inCalls(({ appendTranscript }) => ({
      appendTranscript: (callId, entry) => orNothing(appendTranscript(callId, entry), 1),
    })),
  ],
  [
    'adds to the forms of a sealed call',
    'nothing is added to a sealed record, and an erased one is not sealed',
    part('forms', ({ storeAnswer }, { calls }) => ({
      async storeAnswer(callId, formId, answer) {
        const isOver = (await calls.load(callId))?.call.state === 'completed';
        const stored = storeAnswer(callId, formId, answer);
        await (isOver ? orNothing(stored, undefined) : stored);
      },
    })),
  ],
  [
    'lets whoever had a conversation before go on with it',
    sealing,
    inCalls(({ prolongConversations }) => ({
      async prolongConversations(holders, leaseMs) {
        await prolongConversations(holders, leaseMs);
        return holders;
      },
    })),
  ],
  ['lets anybody end a conversation', sealing, inCalls(releasedByAnybody)],
  [
    'begins a conversation on a call that is over',
    sealing,
    inCalls(({ holdConversation }) => ({ holdConversation: saysDone(holdConversation) })),
  ],
  [
    'finishes a call whenever it is asked to',
    finished,
    inCalls(({ finishCall }) => ({ finishCall: saysDone(finishCall) })),
  ],
  [
    'finishes a call without its deliveries',
    finished,
    inCalls(({ finishCall }) => ({ finishCall: (callId, summary) => finishCall(callId, summary, []) })),
  ],
];
