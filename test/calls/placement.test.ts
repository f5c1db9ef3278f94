import {
  CallkiteError,
  type CarrierCall,
  type DialResult,
  type PlaceCallRequest,
  type Storage,
  silentLogger,
} from '@callkite/core';
import { createTenant, type Tenant } from '@callkite/core/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createAttemptTokens } from '../../packages/core/src/channels/phone/attempt-token.ts';
import { createDispatcher } from '../../packages/core/src/channels/phone/dispatcher.ts';
import {
  type PlacementDeps,
  placeClaimed,
  reportOf,
} from '../../packages/core/src/channels/phone/placement.ts';
import { createReconciliation } from '../../packages/core/src/channels/phone/reconciliation.ts';
import { eventually } from '../embedded.ts';
import { testStorage } from '../test-storage.ts';

const away = new CallkiteError('storage_unavailable', 'the store is away', { retryable: true });
const sleep = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

let storage: Storage;
let tenant: Tenant;
/** What the carrier was asked for, and the breaker told. */
let did: string[];
let placed: PlaceCallRequest[];
/** What happens while the carrier creates the call, and what it answers. */
let answer: (sid: string) => Promise<DialResult> | DialResult;

beforeAll(async () => {
  storage = testStorage();
  await storage.start();
});
afterAll(() => storage.stop());
beforeEach(async () => {
  tenant = await createTenant(storage);
  did = [];
  placed = [];
  answer = (providerCallId) => ({ outcome: 'placed', providerCallId });
});

const refused = (over: Partial<Extract<DialResult, { outcome: 'not-placed' }>>): DialResult => ({
  outcome: 'not-placed',
  retry: false,
  scope: 'call',
  reason: 'carrier_rejected',
  tooManyCalls: false,
  providerCode: null,
  ...over,
});

/** The carrier is the test, and the store is real. */
function deps(calls: Partial<Storage['calls']> = {}): PlacementDeps {
  return {
    calls: { ...storage.calls, ...calls },
    telephonyFor: () => ({
      async placeCall(_, request) {
        placed.push(request);
        return answer(`CA-${request.attemptToken}`);
      },
      async endCall(_, providerCallId) {
        did.push(`end ${providerCallId}`);
      },
    }),
    accountOf: () => ({ accountId: 'AC1', secret: 'secret' }),
    tokens: createAttemptTokens((text) => [text]),
    breaker: {
      succeeded: () => did.push('succeeded'),
      failed: () => did.push('failed'),
    },
    logger: silentLogger,
  };
}

/** Claims a call and places it. @param frozenMs how long ago the claim was asked for */
async function place(calls: Partial<Storage['calls']> = {}, frozenMs = 0) {
  const callId = await tenant.accept();
  const claim = await tenant.claim();
  await placeClaimed(deps(calls), claim, performance.now() - frozenMs);
  return { callId, attemptId: claim.attempt.id, call: await tenant.call(callId) };
}

describe('a call that is being placed', () => {
  it('is created once, and bound', async () => {
    const { attemptId, call } = await place();
    expect(placed).toHaveLength(1);
    const [{ attemptToken } = { attemptToken: '' }] = placed;
    const attempt = await storage.calls.getAttempt(attemptId);
    expect(attempt?.providerCallId).toBe(`CA-${attemptToken}`);
    expect(call.state).toBe('dialing');
    expect(did).toEqual(['succeeded']);
  });

  it('and is canceled before the carrier has answered is ended as soon as its id is known', async () => {
    answer = async (providerCallId) => {
      const { items } = await storage.calls.list(tenant, {}, { limit: 1, cursor: null });
      const canceled = await storage.calls.cancel(tenant, items[0]?.id ?? '');
      expect(canceled?.attempt?.providerCallId).toBeNull();
      return { outcome: 'placed', providerCallId };
    };
    await place();
    expect(did).toEqual(['succeeded', `end CA-${placed[0]?.attemptToken}`]);
  });

  it('and was given up meanwhile is ended: somebody else has the call', async () => {
    answer = async (providerCallId) => {
      const { items } = await storage.calls.list(tenant, {}, { limit: 1, cursor: null });
      const canceled = await storage.calls.cancel(tenant, items[0]?.id ?? '');
      await storage.calls.abandonAttempt(canceled?.attempt?.id ?? '', 'internal');
      return { outcome: 'placed', providerCallId };
    };
    const { call } = await place({
      // As on a call of somebody who does not want it to be canceled.
      load: async () => null,
    });
    expect(call.state).toBe('completed');
    expect(did).toEqual(['succeeded', `end CA-${placed[0]?.attemptToken}`]);
  });

  it.each([
    ['is asked for while there is time', 1_000, 1, 'dialing'],
    ['waits for another turn where its process stood still', 2_100, 0, 'queued'],
  ] as const)('%s', async (_, frozenMs, creates, state) => {
    const { call } = await place({}, frozenMs);
    expect(placed).toHaveLength(creates);
    expect(call.state).toBe(state);
  });

  it('waits for another turn also where only the claim took so long', async () => {
    const callId = await tenant.accept();
    let claims = 0;
    const dispatcher = createDispatcher({
      ...deps(),
      calls: {
        ...storage.calls,
        async claimNext(...parameters) {
          const claimed = await storage.calls.claimNext(...parameters);
          if (claimed.result === 'claimed') {
            claims += 1;
            await sleep(2_100);
          }
          return claimed;
        },
      },
      onDialing: () => undefined,
      onSpent: () => undefined,
      defaultDailyMinutes: null,
    });
    dispatcher.start();
    dispatcher.wake(tenant.connectionId);
    await eventually('a claim', () => claims > 0);
    await dispatcher.stop();
    expect(placed).toEqual([]);
    expect((await tenant.call(callId)).state).toBe('queued');
  });

  it('is bound although the store does not answer at first', async () => {
    let tries = 0;
    const { attemptId } = await place({
      async attemptPlaced(...parameters) {
        tries += 1;
        if (tries < 3) throw away;
        return storage.calls.attemptPlaced(...parameters);
      },
    });
    expect((await storage.calls.getAttempt(attemptId))?.state).toBe('placed');
    expect(placed).toHaveLength(1);
  });
});

describe('a call that the carrier does not place', () => {
  it('for sure comes back, or ends with the reason', async () => {
    answer = () => refused({ retry: true, reason: 'carrier_unavailable' });
    expect((await place()).call.state).toBe('queued');
    expect(did).toEqual(['failed']);
    answer = () => refused({ reason: 'invalid_number' });
    expect((await place()).call).toMatchObject({ state: 'completed', reason: 'invalid_number' });
    expect(did).toEqual(['failed']);
  });

  it('because of its account comes back, and the account is on hold', async () => {
    answer = () => refused({ scope: 'account' });
    expect((await place()).call.state).toBe('queued');
    const connection = await storage.organizations.getConnection(tenant, tenant.connectionId);
    expect(connection?.status).toBe('paused');
  });

  it('because there are too many comes back, and fewer are begun at once', async () => {
    answer = () => refused({ retry: true, tooManyCalls: true, reason: 'carrier_unavailable' });
    const { call } = await place({
      async reduceConcurrency(connectionId) {
        did.push(`fewer on ${connectionId}`);
      },
    });
    expect(call.state).toBe('queued');
    expect(did, 'a carrier that is busy is not down').toEqual([`fewer on ${tenant.connectionId}`]);
  });

  it('as far as can be told is looked for, and not placed again', async () => {
    answer = () => ({ outcome: 'unknown', providerCode: null });
    const { call, attemptId } = await place();
    expect(call.state).toBe('unknown');
    expect(did).toEqual(['failed']);
    const asked: number[] = [];
    const watch = createReconciliation({
      calls: storage.calls,
      carrierOf: async () => ({
        telephony: {
          async findCalls(_, { sinceMs }): Promise<readonly CarrierCall[]> {
            asked.push(sinceMs);
            return [];
          },
          fetchCall: async () => null,
          endCall: async () => undefined,
        },
        account: { accountId: 'AC1', secret: 'secret' },
      }),
      isTalking: () => false,
      onReport: () => undefined,
      confirmationWindowMs: 60_000,
      logger: silentLogger,
    });
    const job = { id: 'job_1', kind: 'watch_attempt', tries: 1, leaseToken: 'none' } as const;
    const { organizationId } = tenant;
    const result = await watch.run(
      { ...job, organizationId, subjectId: attemptId },
      new AbortController().signal,
    );
    expect(result).toMatchObject({ resetTries: true });
    const { intentAt } = (await storage.calls.getAttempt(attemptId)) ?? {};
    // The carrier's clock may be behind ours.
    expect((intentAt?.getTime() ?? 0) - (asked[0] ?? 0)).toBe(5_000);
    expect((await tenant.call(call.id)).state).toBe('unknown');
    expect(placed).toHaveLength(1);
  });
});

it('of an organization whose minutes are used up is told of, so that its end is worked on at once', async () => {
  const busy = await createTenant(storage, { dailyCallMinutes: 1 });
  // The first one holds the only minute.
  await busy.accept();
  const second = await busy.accept();
  const spent: string[] = [];
  const dispatcher = createDispatcher({
    ...deps(),
    calls: storage.calls,
    onDialing: () => undefined,
    onSpent: (organizationId) => spent.push(organizationId),
    defaultDailyMinutes: null,
  });
  dispatcher.start();
  dispatcher.wake(busy.connectionId);
  await eventually('word of it', () => spent.length > 0);
  await dispatcher.stop();
  expect(spent).toEqual([busy.organizationId]);
  expect(await busy.call(second)).toMatchObject({ state: 'completed', reason: 'spending_limit' });
});

it('leaves to its webhook who answered a live call, and believes the record of one that is over', () => {
  const record = { providerCallId: 'CA1', answeredBy: 'machine', durationSeconds: null } as const;
  expect(reportOf({ ...record, status: 'in-progress' }).answeredBy).toBeNull();
  expect(reportOf({ ...record, status: 'completed' }).answeredBy).toBe('machine');
});
