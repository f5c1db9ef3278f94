import type { AcceptResult, CallRecord } from '@callkite/core';
import { inCalls, type Mistake, part } from './mistake.ts';

const repeated = 'a repeated key gets the first answer, whatever the rest of the request';
const oneOf25 = 'of 25 concurrent requests with one key one is accepted and 24 replay it';
const scoped = 'keys are scoped to organization and endpoint';
const later = 'a call for later is neither found nor claimed before its time, and is dialed then';
const listed = 'calls are listed newest first, in pages, by filter, and only to their organization';
const refusals = 'refusals come in their order and store nothing';
const erasedNumber = 'a number whose call is erased is not kept, and still not called';

export const acceptingMistakes: readonly Mistake[] = [
  [
    'forgets idempotency keys',
    repeated,
    inCalls(({ accept }) => ({ accept: (input) => accept({ ...input, idempotency: null }) })),
  ],
  [
    'looks for an idempotency key and takes it in two steps',
    oneOf25,
    inCalls(({ accept }, storage) => {
      const keys = new Set<string>();
      return {
        async accept(input) {
          const { idempotency } = input;
          if (idempotency === null) return accept(input);
          const key = `${input.organizationId} ${idempotency.endpoint} ${idempotency.key}`;
          const isTaken = keys.has(key);
          await storage.ping();
          if (isTaken) return accept(input);
          keys.add(key);
          return accept({ ...input, idempotency: null });
        },
      };
    }),
  ],
  [
    'has one set of keys for all endpoints',
    scoped,
    inCalls(({ accept }) => ({
      accept: (input) =>
        accept({ ...input, idempotency: input.idempotency && { ...input.idempotency, endpoint: '' } }),
    })),
  ],
  [
    'keeps keys for ever',
    'an expired key is free again, for exactly one of those who want it',
    inCalls(({ accept }) => ({
      accept: (input) =>
        accept({ ...input, idempotency: input.idempotency && { ...input.idempotency, lifetimeMs: 1e9 } }),
    })),
  ],
  [
    'does not compare what was asked with one key',
    repeated,
    inCalls(({ accept }) => ({
      async accept(input) {
        const result = await accept(input);
        if (result.result !== 'replayed') return result;
        return { ...result, answer: { ...result.answer, fingerprintMatches: true } };
      },
    })),
  ],
  [
    'refuses a repeated request for what changed since the first',
    repeated,
    inCalls(({ accept }, { doNotCall }) => ({
      async accept(input) {
        const result = await accept(input);
        const number = { phoneNumber: input.to, numberKey: input.toKey };
        const isRefused = result.result === 'replayed' && (await doNotCall.find(input, number)) !== null;
        return isRefused ? { result: 'number-opted-out' } : result;
      },
    })),
  ],
  [
    'keeps the refusal as the answer to a key',
    refusals,
    inCalls(({ accept }) => {
      const refused = new Map<string, AcceptResult>();
      return {
        async accept(input) {
          const key = `${input.organizationId} ${input.idempotency?.key}`;
          const result = refused.get(key) ?? (await accept(input));
          if (input.idempotency && result.result !== 'accepted') refused.set(key, result);
          return result;
        },
      };
    }),
  ],
  [
    'says that it accepted a call, and does not store it',
    'an accepted call is queued with what it was given',
    inCalls(() => ({ accept: async () => ({ result: 'accepted', connectionId: 'con_1' }) })),
  ],
  [
    'dials at once what is for later',
    later,
    inCalls(({ accept }) => ({ accept: (input) => accept({ ...input, dialInMs: 0 }) })),
  ],
  [
    'dials past the deadline',
    'a call past its deadline ends, whatever the state of the line',
    inCalls(({ accept }) => ({ accept: (input) => accept({ ...input, deadlineMs: 1e9 }) })),
  ],
  [
    'loses where the result goes',
    'an accepted call is queued with what it was given',
    inCalls(({ accept }) => ({
      accept: (input) => accept({ ...input, callbackUrl: null, sealedCallbackSecret: null }),
    })),
  ],
  [
    'shows calls to other organizations',
    listed,
    inCalls(({ load }) => ({ get: async (_, callId) => (await load(callId))?.call ?? null })),
  ],
  [
    'lists the first page again and again',
    listed,
    inCalls(({ list }) => ({
      list: (scope, filter, page) => list(scope, filter, { ...page, cursor: null }),
    })),
  ],
  [
    'accepts calls to people who asked for none',
    refusals,
    part('doNotCall', () => ({ add: async (_, numbers) => numbers.length })),
  ],
  [
    'accepts calls to people who asked for none and whose number was erased',
    erasedNumber,
    inCalls(({ accept }) => ({ accept: (input) => accept({ ...input, toKey: 'no such key' }) })),
  ],
  [
    'forgets with a call that its callee wants no more',
    erasedNumber,
    inCalls(({ erase }, { doNotCall }) => ({
      async erase(scope, callId, blank) {
        const entries = await doNotCall.list(scope, { lifted: false }, { limit: 100, cursor: null });
        for (const { phoneNumber, callId: from } of entries.items) {
          if (phoneNumber === null || from !== callId) continue;
          const number = { phoneNumber, numberKey: '' };
          await doNotCall.lift(scope, number, { liftedBy: 'nobody', reason: null });
        }
        return erase(scope, callId, blank);
      },
    })),
  ],
  [
    'lets a number be lifted in the other mode',
    'numbers are listed newest first, in their organization and mode only',
    part('doNotCall', ({ lift }) => ({
      async lift(scope, number, by) {
        const mode = scope.mode === 'live' ? 'test' : 'live';
        return (await lift(scope, number, by)) ?? lift({ ...scope, mode }, number, by);
      },
    })),
  ],
  [
    'dials calls that waited when their callee asked for none',
    'an opt-out ends the queued calls to the number, and only those',
    inCalls(({ get }) => {
      const seen = new Map<string, CallRecord>();
      return {
        async get(scope, callId) {
          const call = await get(scope, callId);
          if (call?.reason !== 'blocked_dnc') return call;
          const queued = { state: 'queued', outcome: null, reason: null, endedAt: null } as const;
          seen.set(callId, { ...call, ...queued });
          return seen.get(callId) ?? null;
        },
      };
    }),
  ],
];
