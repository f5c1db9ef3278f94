import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type CarrierAccount, type CarrierAdapter, type Storage, silentLogger } from '@callkite/core';
import { createTenant, type Tenant } from '@callkite/core/testing';
import { postgres } from '@callkite/postgres';
import { twilio } from '@callkite/twilio';
import { builtInAccounts, startTwilioEmulator, type TwilioEmulator } from '@callkite/twilio-emulator';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createAttemptTokens } from '../../packages/core/src/channels/phone/attempt-token.ts';
import { placeClaimed } from '../../packages/core/src/channels/phone/placement.ts';
import { createReconciliation } from '../../packages/core/src/channels/phone/reconciliation.ts';
import type { JobHandler } from '../../packages/core/src/kernel/jobs/job-runner.ts';
import { eventually } from '../embedded.ts';
import { startPostgres, type TestPostgres } from '../postgres/start-postgres.ts';

/** Rings for twelve seconds before it answers. */
const slow = '+12025550101';
const busy = '+12025550111';
const cooperative = '+12025550100';
const confirmationWindowMs = 60_000;

let database: TestPostgres;
let client: pg.Client;
let storage: Storage;
/** Takes every webhook and tells nobody: the carrier can only be asked. */
let deafServer: Server;
let emulator: TwilioEmulator;
let telephony: CarrierAdapter;
let account: CarrierAccount;
let tenant: Tenant;

beforeAll(async () => {
  database = await startPostgres();
  storage = postgres({ connectionString: database.url });
  await storage.start();
  client = new pg.Client({ connectionString: database.url });
  await client.connect();
  deafServer = createServer((_request, response) => {
    response.setHeader('content-type', 'text/xml').end('<Response><Pause length="60"/></Response>');
  });
  await new Promise<void>((resolve) => deafServer.listen(0, '127.0.0.1', resolve));
});

afterAll(async () => {
  await client.end();
  await storage.stop();
  await database.stop();
  deafServer.closeAllConnections();
  await new Promise((resolve) => deafServer.close(resolve));
});

beforeEach(async () => {
  tenant = await createTenant(storage);
  const emulated = { ...builtInAccounts.approved, phoneNumbers: [tenant.from] };
  emulator = await startTwilioEmulator({ accounts: [emulated], allowInsecureLoopback: true });
  account = { accountId: emulated.sid, secret: emulated.authToken };
  telephony = twilio({
    publicUrl: `http://127.0.0.1:${(deafServer.address() as AddressInfo).port}`,
    apiBaseUrl: emulator.url,
    allowInsecure: true,
  });
});

afterEach(() => emulator.close());

const request = (to: string) => ({
  to,
  from: tenant.from,
  attemptToken: 'token',
  ringSeconds: 60,
  maximumDurationSeconds: 600,
  detectMachine: false,
});

/** @param isTalking whether this process holds the conversations of calls */
function watch(over: Partial<CarrierAdapter> = {}, isTalking = false): JobHandler {
  return createReconciliation({
    calls: storage.calls,
    carrierOf: async () => ({ telephony: { ...telephony, ...over }, account }),
    isTalking: () => isTalking,
    onReport: () => undefined,
    confirmationWindowMs,
    logger: silentLogger,
  });
}

const job = (attemptId: string, tries = 1) => ({
  id: `watch_attempt:${attemptId}`,
  kind: 'watch_attempt' as const,
  organizationId: tenant.organizationId,
  subjectId: attemptId,
  tries,
  leaseToken: 'none',
});
const look = (attemptId: string, over?: Partial<CarrierAdapter>, isTalking?: boolean) =>
  watch(over, isTalking).run(job(attemptId), new AbortController().signal);

async function claimed(to: string) {
  const callId = await tenant.accept({ to });
  const claim = await tenant.claim();
  return { callId, attemptId: claim.attempt.id, claim };
}

async function placed(to: string, providerCallId?: string) {
  const call = await claimed(to);
  const sid = providerCallId ?? (await placeAtCarrier(to));
  expect(await storage.calls.attemptPlaced(call.attemptId, sid)).toBe(true);
  return { ...call, sid };
}

async function placeAtCarrier(to: string): Promise<string> {
  const placement = await telephony.placeCall(account, request(to));
  if (placement.outcome !== 'placed') throw new Error(placement.outcome);
  return placement.providerCallId;
}

const age = (attemptId: string, ms: number) =>
  client.query(`update callkite.attempts set intent_at = intent_at - $2 * interval '1 ms' where id = $1`, [
    attemptId,
    ms,
  ]);
const carrierStatus = async (sid: string) => (await telephony.fetchCall(account, sid))?.status;
const isWatched = async (attemptId: string) =>
  (
    await client.query(`select from callkite.jobs where kind = 'watch_attempt' and subject_id = $1`, [
      attemptId,
    ])
  ).rowCount === 1;

describe('an attempt that was placed', () => {
  it('and that the carrier has no record of is given up at the third look', async () => {
    const { callId, attemptId } = await placed(busy, `CA${'0'.repeat(32)}`);
    expect(await look(attemptId)).toMatchObject({ resetTries: true });
    expect(await look(attemptId)).toMatchObject({ resetTries: true });
    expect((await tenant.call(callId)).outcome).toBeNull();
    expect(await look(attemptId)).toEqual({ done: true });
    expect(await tenant.call(callId)).toMatchObject({
      outcome: { callStatus: 'not_picked_up', providerStatus: 'failed' },
      reason: 'carrier_record_missing',
    });
  });

  it('and never ends at the carrier is ended there, then given up, which frees its place', async () => {
    emulator.configure({ faults: { stuckInProgress: 1 } });
    const { callId, attemptId, sid } = await placed(cooperative);
    await eventually('the answer', async () => (await carrierStatus(sid)) === 'in-progress');
    await telephony.endCall(account, sid);
    expect(await look(attemptId)).toMatchObject({ resetTries: true });
    expect((await tenant.call(callId)).state).toBe('in_progress');
    await age(attemptId, 24 * 3_600_000);
    for (let looks = 1; looks < 3; looks += 1) {
      expect(await look(attemptId)).toMatchObject({ resetTries: true });
    }
    expect(await look(attemptId)).toEqual({ done: true });
    expect(await tenant.call(callId)).toMatchObject({ state: 'completed', reason: 'carrier_record_stuck' });
    expect((await storage.calls.getAttempt(attemptId))?.state).toBe('ended');
  });

  it('and answered is not asked about while it is known to talk', async () => {
    const { attemptId, sid, callId } = await placed(cooperative);
    await eventually('the answer', async () => (await carrierStatus(sid)) === 'in-progress');
    let asked = 0;
    const fetchCall: CarrierAdapter['fetchCall'] = (...about) => {
      asked += 1;
      return telephony.fetchCall(...about);
    };
    const againInMs = async (isTalking: boolean) => {
      const result = await look(attemptId, { fetchCall }, isTalking);
      return 'againInMs' in result ? result.againInMs : 0;
    };
    // Nothing was told of it so far.
    expect(await againInMs(true)).toBe(60_000);
    expect(asked).toBe(1);
    expect((await tenant.call(callId)).state).toBe('in_progress');
    expect(await againInMs(true)).toBe(60_000);
    expect(asked).toBe(1);
    expect(await againInMs(false)).toBe(60_000);
    expect(asked).toBe(2);
    await age(attemptId, 24 * 3_600_000);
    await againInMs(true);
    expect(asked).toBe(3);
  });

  it('is looked after for as long as the carrier cannot be asked', async () => {
    const { callId, attemptId } = await placed(busy);
    emulator.configure({ faults: { fetchFails: 1 } });
    for (let tries = 1; tries <= 6; tries += 1) {
      const result = await watch().run(job(attemptId, tries), new AbortController().signal);
      expect(result).toMatchObject({ resetTries: true });
    }
    emulator.configure({ faults: { fetchFails: 0 } });
    await eventually('the end', async () => {
      await look(attemptId);
      return (await tenant.call(callId)).state === 'completed';
    });
    expect((await tenant.call(callId)).outcome).toMatchObject({ providerStatus: 'busy' });
  });

  it.each([
    ['rings', slow, false],
    ['talks in this process', cooperative, true],
  ] as const)(
    'that %s and was canceled is ended at the carrier with the next look',
    async (_, to, isTalking) => {
      const { callId, attemptId, sid } = await placed(to);
      const wanted = isTalking ? 'in-progress' : 'ringing';
      await eventually(wanted, async () => (await carrierStatus(sid)) === wanted);
      await look(attemptId);
      expect((await tenant.call(callId)).state).toBe(isTalking ? 'in_progress' : 'ringing');
      // The request that canceled it did not get through to the carrier.
      await storage.calls.cancel(tenant, callId);
      await look(attemptId, {}, isTalking);
      const over = isTalking ? 'completed' : 'canceled';
      await eventually('the end at the carrier', async () => (await carrierStatus(sid)) === over);
    },
  );

  it('ends as canceled when it was canceled and the carrier lost its record', async () => {
    const { callId, attemptId } = await placed(busy, `CA${'1'.repeat(32)}`);
    await storage.calls.cancel(tenant, callId);
    for (let looks = 0; looks < 3; looks += 1) await look(attemptId);
    expect(await tenant.call(callId)).toMatchObject({
      outcome: { providerStatus: 'canceled' },
      reason: 'canceled_by_request',
    });
  });

  it('of which nothing can be known ends its call when the watch is given up', async () => {
    const { callId, attemptId } = await placed(slow);
    await watch().giveUp?.(job(attemptId, 5));
    expect(await tenant.call(callId)).toMatchObject({ state: 'completed', reason: 'internal' });
  });
});

describe('an attempt whose placement is unknown', () => {
  const unknown = async (to: string) => {
    const call = await claimed(to);
    expect(await storage.calls.attemptUnknown(call.attemptId, 0)).toBe(true);
    return call;
  };

  it('with two candidates waits for one to name it, and is not placed again', async () => {
    const { callId, attemptId } = await unknown(slow);
    const [, ours] = [await placeAtCarrier(slow), await placeAtCarrier(slow)];
    await age(attemptId, confirmationWindowMs + 1_000);
    // Listed calls must not be older than the attempt.
    expect(await look(attemptId)).toMatchObject({ resetTries: true });
    expect((await tenant.call(callId)).state).toBe('unknown');
    const report = {
      providerCallId: ours,
      status: 'ringing',
      answeredBy: null,
      durationSeconds: null,
    } as const;
    expect(await storage.calls.report(attemptId, report)).toMatchObject({ result: 'applied' });
    expect(await storage.calls.getAttempt(attemptId)).toMatchObject({
      state: 'placed',
      providerCallId: ours,
    });
    expect(emulator.calls()).toHaveLength(2);
  });

  it('is not taken for the call of another attempt to the same number', async () => {
    const earlier = await placed(busy);
    await eventually('the end at the carrier', async () => (await carrierStatus(earlier.sid)) === 'busy');
    await look(earlier.attemptId);
    expect((await tenant.call(earlier.callId)).state).toBe('completed');
    // Begun within the seconds by which the carrier's clock may be behind.
    const { callId, attemptId } = await unknown(busy);
    await look(attemptId);
    expect((await storage.calls.getAttempt(attemptId))?.providerCallId).toBeNull();
    expect((await tenant.call(callId)).state).toBe('unknown');
    const ours = await placeAtCarrier(busy);
    await look(attemptId);
    expect((await storage.calls.getAttempt(attemptId))?.providerCallId).toBe(ours);
  });

  it('and that was canceled meanwhile is ended as soon as it is found', async () => {
    const { callId, attemptId } = await unknown(slow);
    const sid = await placeAtCarrier(slow);
    const canceled = await storage.calls.cancel(tenant, callId);
    expect(canceled?.attempt?.providerCallId).toBeNull();
    await look(attemptId);
    await eventually('the end at the carrier', async () => (await carrierStatus(sid)) === 'canceled');
    await look(attemptId);
    expect(await tenant.call(callId)).toMatchObject({
      outcome: { callStatus: 'not_picked_up', providerStatus: 'canceled' },
      reason: 'canceled_by_request',
    });
  });

  it('keeps its watch when it turns out placed while the listing says otherwise', async () => {
    const { attemptId } = await unknown(slow);
    const sid = await placeAtCarrier(slow);
    await age(attemptId, confirmationWindowMs + 1_000);
    const result = await look(attemptId, {
      async findCalls() {
        await storage.calls.attemptPlaced(attemptId, sid);
        return [];
      },
    });
    expect(result).not.toEqual({ done: true });
    expect((await storage.calls.getAttempt(attemptId))?.state).toBe('placed');
  });

  it('keeps its watch when another call turns out to be the one found', async () => {
    const { attemptId } = await unknown(busy);
    await placeAtCarrier(busy);
    const ours = `CA${'2'.repeat(32)}`;
    const found = await eventually('the end at the carrier', async () => {
      const calls = await telephony.findCalls(account, { from: tenant.from, to: busy, sinceMs: 0 });
      return calls[0]?.status === 'busy' ? calls : null;
    });
    const result = await look(attemptId, {
      async findCalls() {
        await storage.calls.attemptPlaced(attemptId, ours);
        return found;
      },
    });
    expect(result).not.toEqual({ done: true });
    expect((await storage.calls.getAttempt(attemptId))?.state).toBe('placed');
  });

  it('is not given up while the carrier cannot be asked', async () => {
    const { callId, attemptId } = await unknown(busy);
    emulator.configure({ faults: { fetchFails: 1 } });
    await age(attemptId, 2 * confirmationWindowMs);
    expect(await look(attemptId)).toMatchObject({ resetTries: true });
    expect((await tenant.call(callId)).state).toBe('unknown');
    await age(attemptId, 48 * 3_600_000);
    expect(await look(attemptId)).toEqual({ done: true });
    expect(await tenant.call(callId)).toMatchObject({ state: 'completed', reason: 'placement_unconfirmed' });
  });
});

describe('a placement', () => {
  const place = (over: Partial<CarrierAdapter>, claim: Parameters<typeof placeClaimed>[1], frozenMs = 0) =>
    placeClaimed(
      {
        calls: storage.calls,
        telephonyFor: () => ({ ...telephony, ...over }),
        accountOf: () => account,
        tokens: createAttemptTokens((text) => [Buffer.from(text).toString('base64url')]),
        breaker: {
          succeeded: () => undefined,
          failed: () => {
            broken += 1;
          },
        },
        logger: silentLogger,
      },
      claim,
      performance.now() - frozenMs,
    );
  let broken: number;
  beforeEach(() => {
    broken = 0;
  });

  it('goes on when a webhook binds the call before the answer is stored', async () => {
    const { claim, attemptId, callId } = await claimed(slow);
    await place(
      {
        async placeCall(to, wanted) {
          const placement = await telephony.placeCall(to, wanted);
          if (placement.outcome === 'placed') {
            const { providerCallId } = placement;
            await storage.calls.report(attemptId, {
              providerCallId,
              status: 'initiated',
              answeredBy: null,
              durationSeconds: null,
            });
          }
          return placement;
        },
      },
      claim,
    );
    const sid = (await storage.calls.getAttempt(attemptId))?.providerCallId ?? '';
    expect(await carrierStatus(sid)).toMatch(/queued|ringing/);
    expect((await tenant.call(callId)).state).toBe('dialing');
    expect(await isWatched(attemptId)).toBe(true);
  });

  it('is not begun by a process that was frozen, which says nothing about the carrier', async () => {
    const { claim, callId } = await claimed(slow);
    await place({}, claim, 60_000);
    expect(emulator.calls()).toEqual([]);
    expect((await tenant.call(callId)).state).toBe('queued');
    expect(broken).toBe(0);
  });

  it('refused for its credentials gives the call back even if the pause cannot be stored yet', async () => {
    account = { ...account, secret: 'wrong' };
    const { claim, callId } = await claimed(slow);
    await place({}, claim);
    expect((await tenant.call(callId)).state).toBe('queued');
    expect((await storage.organizations.getConnection(tenant, tenant.connectionId))?.status).toBe('paused');
  });
});
