import { inCalls, type Mistake, orNothing, part, saysDone } from './mistake.ts';

const erasedOnce = 'a call is erased once it is over, by its organization, and once';
const nothingLate = 'nothing that comes late brings content back';
const noContent = 'an erased call has no content left, and keeps what it is counted by';

export const erasureMistakes: readonly Mistake[] = [
  [
    'erases for other organizations',
    erasedOnce,
    inCalls(({ erase, load }) => ({
      async erase(_, callId, blank) {
        const loaded = await load(callId);
        return loaded && erase(loaded.call, callId, blank);
      },
    })),
  ],
  [
    'only says that it erased',
    noContent,
    inCalls(({ get }) => ({ erase: (scope, callId) => get(scope, callId) })),
  ],
  [
    'erases a call that goes on',
    erasedOnce,
    inCalls(({ erase, get }) => ({
      erase: (scope, callId, blank) => erase(scope, callId, blank).catch(() => get(scope, callId)),
    })),
  ],
  [
    'shows the words of an erased call',
    noContent,
    inCalls(({ appendTranscript, transcript }) => {
      const spoken = new Map<string, Awaited<ReturnType<typeof transcript>>>();
      return {
        async appendTranscript(callId, entry) {
          const number = await appendTranscript(callId, entry);
          spoken.set(callId, await transcript(callId));
          return number;
        },
        transcript: async (callId) => spoken.get(callId) ?? transcript(callId),
      };
    }),
  ],
  [
    'takes words in for an erased call',
    nothingLate,
    inCalls(({ appendTranscript }) => ({
      appendTranscript: (callId, entry) => orNothing(appendTranscript(callId, entry), 1),
    })),
  ],
  [
    'finishes an erased call',
    nothingLate,
    inCalls(({ finishCall }) => ({ finishCall: saysDone(finishCall) })),
  ],
  [
    'keeps what notifications of an erased call say',
    'of an erased call pending deliveries are canceled, and nothing is sent again',
    part('deliveries', ({ load, beginAttempt }) => {
      const bodies = new Map<string, string>();
      return {
        async load(id) {
          const delivery = await load(id);
          return delivery && { ...delivery, body: delivery.body || (bodies.get(id) ?? '') };
        },
        async beginAttempt(id) {
          const begun = await beginAttempt(id);
          if (begun) bodies.set(id, begun.body);
          return begun;
        },
      };
    }),
  ],
  [
    'sends what is left of an erased call',
    'of an erased call pending deliveries are canceled, and nothing is sent again',
    part('deliveries', ({ beginAttempt, load }) => ({
      async beginAttempt(id) {
        const begun = await beginAttempt(id);
        if (begun !== null) return begun;
        return (await load(id))?.status === 'canceled' ? { number: 1, body: '' } : null;
      },
    })),
  ],
  [
    'seals an erased call',
    'nothing is added to a sealed record, and an erased one is not sealed',
    inCalls(({ seal, load }) => ({
      async seal(callId, waitMs) {
        const sealing = await seal(callId, waitMs);
        return sealing ?? ((await load(callId))?.call.erasedAt ? { sealed: true } : null);
      },
    })),
  ],
];
