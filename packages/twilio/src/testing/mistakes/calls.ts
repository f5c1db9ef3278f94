import type { CarrierAdapter } from '@callkite/core';
import { type Mistake, surprise, wait } from './mistake.ts';

const retryable = 'does not take a carrier that fails for one that has no such call';
const found = 'finds a call that was just placed, by its two numbers';
const since = 'finds calls from a point in time on, as exactly as the carrier dates them';
export const callMistakes: readonly Mistake[] = [
  [
    'mixes up who is called and who calls',
    'fetches a call',
    (good) => ({
      async fetchCall(account, id) {
        const call = await good.fetchCall(account, id);
        return call && { ...call, from: call.to, to: call.from };
      },
    }),
  ],
  ['fails for a call that never was', 'does not know a call that never was', () => ({ fetchCall: surprise })],
  [
    'ignores since',
    since,
    (good) => ({
      findCalls: (account, query) => good.findCalls(account, { ...query, sinceMs: 0 }),
    }),
  ],
  [
    'takes dates of whole seconds for exact',
    since,
    (good) => ({
      async findCalls(account, query) {
        const listed = await good.findCalls(account, query);
        return listed.filter((call) => (call.createdAtMs ?? query.sinceMs) >= query.sinceMs);
      },
    }),
  ],
  [
    'finds calls by one number only',
    found,
    (good) => ({
      async findCalls(account, query) {
        const { to, answering } = good.fixture;
        const lists = [to, answering].map((each) => good.findCalls(account, { ...query, to: each }));
        return (await Promise.all(lists)).flat();
      },
    }),
  ],
  [
    'ignores the number that calls',
    found,
    (good) => ({
      findCalls: (account, query) => good.findCalls(account, { ...query, from: good.fixture.from }),
    }),
  ],
  [
    'leaves out what waits in the queue',
    'finds calls that wait in the queue of the carrier',
    (good) => ({
      async findCalls(account, query) {
        return (await good.findCalls(account, query)).filter(({ status }) => status !== 'queued');
      },
    }),
  ],
  [
    'reads one page',
    'finds all of very many calls',
    (good) => ({
      findCalls: async (account, query) => (await good.findCalls(account, query)).slice(0, 50),
    }),
  ],
  [
    'lists calls at the edge of a page twice',
    'finds all of very many calls',
    (good) => ({
      async findCalls(account, query) {
        const listed = await good.findCalls(account, query);
        return [...listed, ...listed.slice(50, 51)];
      },
    }),
  ],
  [
    'remembers what it was once told',
    'finds a call that the carrier lists late, once it does',
    (good) => {
      let first: ReturnType<CarrierAdapter['findCalls']> | undefined;
      return {
        findCalls(account, query) {
          first ??= good.findCalls(account, query);
          return first;
        },
      };
    },
  ],
  [
    'takes a failing list for an empty one',
    retryable,
    (good) => ({
      findCalls: (account, query) => good.findCalls(account, query).catch(() => []),
    }),
  ],
  [
    'takes a failing carrier for one without the call',
    retryable,
    (good) => ({
      fetchCall: (account, id) => good.fetchCall(account, id).catch(() => null),
    }),
  ],
  [
    'takes an unreachable carrier for one without the call',
    'reports an unreachable carrier as retryable',
    (good) => ({
      fetchCall: (account, id) => good.fetchCall(account, id).catch(() => null),
    }),
  ],
  ['does not end a call', 'ends a call, and may be told so again', () => ({ endCall: async () => {} })],
  [
    'fails to end a call that is over',
    'ends a call, and may be told so again',
    (good) => {
      const ended = new Set<string>();
      return {
        endCall(account, id) {
          if (ended.has(id)) return surprise();
          ended.add(id);
          return good.endCall(account, id);
        },
      };
    },
  ],
  [
    'fails to redirect a call that is over',
    'leaves a call that is over alone when it is redirected',
    () => ({
      redirectCall: surprise,
    }),
  ],
  [
    'does not redirect',
    'hangs up on a live call that is redirected to its end',
    () => ({
      redirectCall: async () => {},
    }),
  ],
];

const recordingLost = 'does not lose a recording to a carrier that cannot be reached';
const records = 'records a live call, and deletes what it recorded';
export const recordingMistakes: readonly Mistake[] = [
  ['does not record', records, () => ({ startRecording: async () => {} })],
  ['does not delete', records, () => ({ deleteRecording: async () => {} })],
  [
    'deletes what it is to end',
    'ends a recording, and keeps it',
    (good) => ({
      async stopRecording(account, callId, id) {
        await good.stopRecording(account, callId, id);
        for (;;) {
          const deleted = await good.deleteRecording(account, callId, id).then(
            () => true,
            () => false,
          );
          if (deleted) return;
          await wait(50);
        }
      },
    }),
  ],
  [
    'fails to record a call that is over',
    'leaves a call that is over alone when it is to be recorded',
    () => ({
      startRecording: surprise,
    }),
  ],
  [
    'invents recordings',
    'has no recordings of a call that never was',
    () => ({
      findRecordings: async () => [{ providerRecordingId: 'RE1', status: 'completed', durationSeconds: 1 }],
    }),
  ],
  [
    'takes a failing carrier for one without recordings',
    recordingLost,
    (good) => ({
      findRecordings: (account, id) => good.findRecordings(account, id).catch(() => []),
    }),
  ],
  [
    'takes a failing carrier for one that deleted',
    recordingLost,
    (good) => ({
      deleteRecording: (account, call, id) => good.deleteRecording(account, call, id).catch(() => {}),
    }),
  ],
];

export const accountMistakes: readonly Mistake[] = [
  [
    'describes another account',
    'describes an account',
    (good) => ({
      describeAccount: async (account) => ({ ...(await good.describeAccount(account)), accountId: 'AC1' }),
    }),
  ],
  [
    'describes an account whose secret it did not try',
    'refuses to describe an account whose secret is wrong',
    (good) => ({
      describeAccount: (account) => good.describeAccount({ ...account, secret: good.fixture.account.secret }),
    }),
  ],
  [
    'does not see which numbers can call',
    'lists the numbers of an account',
    (good) => ({
      async listNumbers(account) {
        return (await good.listNumbers(account)).map((number) => ({ ...number, canCall: false }));
      },
    }),
  ],
  ['has a name that is no path segment', 'has a name that fits into a path', () => ({ name: 'My Carrier' })],
];
