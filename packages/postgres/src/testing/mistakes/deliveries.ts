import type { DeliveryStore, RecordingStore, TransferStore, WebCallStore } from '@callkite/core';
import { type Mistake, part } from './mistake.ts';

const callback = 'a callback is begun once; interrupted, its outcome is unknown';
const toldAgain = 'a number is told again until the carrier has told of it, and the next one after it';
const taken = 'the callee is taken back once, and can be transferred again';
const oneOwner = 'who takes a web call over is its only owner';
const begunOnce = 'a web call begins with its token, once, as an answered call of nobody’s line';
const secrets = 'every secret that is sealed is listed, and replaced unless it changed meanwhile';

function begunTwice({ beginAttempt }: DeliveryStore): Partial<DeliveryStore> {
  const begun = new Map<string, Awaited<ReturnType<typeof beginAttempt>>>();
  return {
    async beginAttempt(id) {
      const attempt = await beginAttempt(id);
      if (!begun.has(id)) begun.set(id, attempt);
      return attempt ?? begun.get(id) ?? null;
    },
  };
}

function webCallBegunTwice({ begin }: WebCallStore): Partial<WebCallStore> {
  const begun = new Map<string, Awaited<ReturnType<typeof begin>>>();
  return {
    async begin(callId, options) {
      const result = await begin(callId, options);
      if (result.result === 'begun') begun.set(callId, result);
      return begun.get(callId) ?? result;
    },
  };
}

function takenBackAgain({ takeBack }: TransferStore): Partial<TransferStore> {
  const back = new Map<string, Awaited<ReturnType<typeof takeBack>>>();
  return {
    async takeBack(callId) {
      const transfer = await takeBack(callId);
      if (transfer) back.set(callId, transfer);
      return back.get(callId) ?? transfer;
    },
  };
}

/** Rings the next number while the one before still rings. */
const ringsOn = ({ proceed, report }: TransferStore): Partial<TransferStore> => ({
  async proceed(callId, keyOf, minutes) {
    const step = await proceed(callId, keyOf, minutes);
    if (step.step !== 'under-way') return step;
    await report(step.leg.id, {
      providerCallId: null,
      progress: 'ended',
      outcome: 'no_answer',
      seconds: null,
    });
    return proceed(callId, keyOf, minutes);
  },
});

const unsaidRefusals = ({ ofCalls, want }: RecordingStore): Partial<RecordingStore> => ({
  want: async (callId, recording) => (await want(callId, recording)) || (await ofCalls([callId])).length > 0,
});

export const deliveryMistakes: readonly Mistake[] = [
  [
    'sends a delivered webhook once more',
    'a webhook is attempted until it is delivered',
    part('deliveries', ({ finishAttempt }) => ({
      finishAttempt: (id, number, outcome) => finishAttempt(id, number, { ...outcome, status: 'pending' }),
    })),
  ],
  ['begins a callback twice', callback, part('deliveries', begunTwice)],
  [
    'lets a late attempt undo a later one',
    'an attempt that comes back late does not undo a later one',
    part('deliveries', ({ finishAttempt, load }) => ({
      async finishAttempt(id, _, outcome) {
        await finishAttempt(id, (await load(id))?.attempts ?? 1, outcome);
      },
    })),
  ],
  [
    'sends a callback again when it is asked to',
    'a finished webhook is sent again with the same bytes',
    part('deliveries', ({ resend, load }) => ({
      resend: (scope, id) => resend(scope, id).catch(() => load(id)),
    })),
  ],
  [
    'runs a tool twice',
    'a use of a tool is recorded before it runs, once',
    part('toolCalls', ({ begin }) => ({
      async begin(callId, use) {
        await begin(callId, use);
        return null;
      },
    })),
  ],
  ['begins a web call twice with one token', begunOnce, part('webCalls', webCallBegunTwice)],
  ['lets a web call have two owners', oneOwner, part('webCalls', () => ({ keepAlive: async () => 'held' }))],
  [
    'begins more web calls than a key may in a day',
    'the day of a key is exact, however many begin at once',
    part('webCalls', ({ createKey }) => ({
      createKey: (key) => createKey({ ...key, dailyCalls: key.dailyCalls + 1 }),
    })),
  ],
  ['rings a second number while the first still rings', toldAgain, part('transfers', ringsOn)],
  ['takes a callee back twice', taken, part('transfers', takenBackAgain)],
  [
    'puts callees through to people who asked for no calls',
    'nobody is put through to a number that was erased',
    part('transfers', ({ proceed }) => ({
      proceed: (callId, keyOf, minutes) =>
        proceed(callId, (to) => (keyOf(to) === null ? null : 'no such key'), minutes),
    })),
  ],
  [
    'records although it was refused',
    'a refusal is for good, and what was recorded before is left to a job',
    part('recordings', unsaidRefusals),
  ],
  [
    'overlooks secrets when keys are changed',
    secrets,
    part('secrets', ({ list }) => ({
      list: async () => (await list()).filter(({ place }) => place !== 'former_webhook'),
    })),
  ],
  [
    'puts an old secret back in place of a new one',
    secrets,
    part('secrets', ({ list, replace }) => ({
      async replace(secret, sealed) {
        const now = (await list()).find(({ id, place }) => id === secret.id && place === secret.place);
        await replace(now ?? secret, sealed);
      },
    })),
  ],
];
