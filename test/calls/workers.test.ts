import {
  CallkiteError,
  type CarrierAccount,
  type CarrierAdapter,
  type JobStore,
  type Storage,
  silentLogger,
} from '@callkite/core';
import { createTenant, type Tenant } from '@callkite/core/testing';
import { twilio } from '@callkite/twilio';
import { builtInAccounts, startTwilioEmulator, type TwilioEmulator } from '@callkite/twilio-emulator';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createAttemptTokens } from '../../packages/core/src/channels/phone/attempt-token.ts';
import { createCarrierBreaker } from '../../packages/core/src/channels/phone/carrier-breaker.ts';
import { createDispatcher } from '../../packages/core/src/channels/phone/dispatcher.ts';
import { createJobRunner, type JobHandler } from '../../packages/core/src/kernel/jobs/job-runner.ts';
import { eventually } from '../embedded.ts';
import { testStorage } from '../test-storage.ts';

let storage: Storage;
let tenant: Tenant;
let emulator: TwilioEmulator;
let telephony: CarrierAdapter;
let account: CarrierAccount;

beforeAll(async () => {
  storage = testStorage();
  await storage.start();
});
afterAll(() => storage.stop());
beforeEach(async () => {
  tenant = await createTenant(storage);
});

const sleep = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

/** The same method, answered later. */
function slowly<Parameters extends unknown[], Result>(
  method: (...parameters: Parameters) => Promise<Result>,
  ms: number,
  onCall: () => void = () => undefined,
): (...parameters: Parameters) => Promise<Result> {
  return async (...parameters) => {
    onCall();
    const result = await method(...parameters);
    await sleep(ms);
    return result;
  };
}

describe('a dispatcher', () => {
  beforeAll(async () => {
    const emulated = { ...builtInAccounts.approved, phoneNumbers: ['+12025550100'] };
    emulator = await startTwilioEmulator({ accounts: [emulated], allowInsecureLoopback: true });
    account = { accountId: emulated.sid, secret: emulated.authToken };
    telephony = twilio({ publicUrl: 'http://127.0.0.1:9', apiBaseUrl: emulator.url, allowInsecure: true });
  });
  afterAll(() => emulator.close());

  it('that is stopped while it claims places what it claimed first, and claims nothing more', async () => {
    let claims = 0;
    const calls: Storage['calls'] = {
      ...storage.calls,
      claimNext: slowly(storage.calls.claimNext, 300, () => {
        claims += 1;
      }),
    };
    const common = { calls, telephonyFor: () => telephony, accountOf: () => account, logger: silentLogger };
    const breaker = createCarrierBreaker({ ...common, onRecovered: () => undefined });
    const dispatcher = createDispatcher({
      ...common,
      breaker,
      tokens: createAttemptTokens((text) => [Buffer.from(text).toString('base64url')]),
      onDialing: () => undefined,
      onSpent: () => undefined,
      defaultDailyMinutes: null,
    });
    const callId = await tenant.accept({ to: '+12025550110' });
    await tenant.accept({ to: '+12025550111' });
    dispatcher.start();
    dispatcher.wake(tenant.connectionId);
    await eventually('a claim', () => claims > 0);
    breaker.stop();
    await dispatcher.stop();
    expect(emulator.calls().map(({ to }) => to)).toEqual(['+12025550110']);
    const { attempt } = (await storage.calls.cancel(tenant, callId)) ?? {};
    expect(attempt?.state).toBe('placed');
    await sleep(700);
    expect(claims).toBe(1);
  });
});

describe('a job runner', () => {
  const idle: JobHandler = { concurrency: 0, run: async () => ({ done: true }) };
  const away = new CallkiteError('storage_unavailable', 'away', { retryable: true });
  const jobsOf = async () =>
    (await storage.jobs.stats()).find(({ kind }) => kind === 'generate_workflow') ?? {
      waiting: 0,
      buried: 0,
    };
  const runner = (handler: JobHandler, jobs: JobStore = storage.jobs) =>
    createJobRunner({
      jobs,
      logger: silentLogger,
      handlers: {
        generate_workflow: handler,
        finish_call: idle,
        deliver: idle,
        watch_attempt: idle,
        follow_recording: idle,
        write_voicemail: idle,
        watch_web_call: idle,
      },
    });
  const acceptPrompt = () => storage.calls.accept(tenant.promptInput());

  it('that is stopped while it claims lets the jobs it got finish', async () => {
    await acceptPrompt();
    let claims = 0;
    let finished = 0;
    const jobs: JobStore = {
      ...storage.jobs,
      claim: slowly(storage.jobs.claim, 200, () => {
        claims += 1;
      }),
    };
    const running = runner(
      {
        concurrency: 5,
        async run() {
          await sleep(100);
          finished += 1;
          return { done: true };
        },
      },
      jobs,
    );
    running.start();
    await eventually('a claim', () => claims > 0);
    await running.stop(5_000);
    expect(finished).toBe(1);
    expect((await jobsOf()).waiting).toBe(0);
  });

  it('gives no job up because the store was away', async () => {
    await acceptPrompt();
    let tries = 0;
    let gaveUp = 0;
    // Rescheduled as a store would, without the waits.
    const jobs: JobStore = {
      ...storage.jobs,
      reschedule: (job, options) => storage.jobs.reschedule(job, { ...options, delayMs: 0 }),
    };
    const running = runner(
      {
        concurrency: 5,
        async run() {
          tries += 1;
          if (tries <= 7) throw away;
          return { done: true };
        },
        async giveUp() {
          gaveUp += 1;
        },
      },
      jobs,
    );
    running.start();
    await eventually('success', () => tries === 8);
    await running.stop(1_000);
    expect(gaveUp).toBe(0);
    expect(await jobsOf()).toMatchObject({ waiting: 0, buried: 0 });
  });

  it('gives a job up that fails for reasons of its own, after five tries', async () => {
    await acceptPrompt();
    let tries = 0;
    let gaveUp = 0;
    const jobs: JobStore = {
      ...storage.jobs,
      reschedule: (job, options) => storage.jobs.reschedule(job, { ...options, delayMs: 0 }),
    };
    const running = runner(
      {
        concurrency: 5,
        async run() {
          tries += 1;
          throw new Error('broken');
        },
        async giveUp() {
          gaveUp += 1;
        },
      },
      jobs,
    );
    running.start();
    await eventually('the end', async () => (await jobsOf()).buried === 1);
    await running.stop(1_000);
    expect([tries, gaveUp]).toEqual([5, 1]);
  });

  it('waits for both runs of a job that it claimed again', async () => {
    await acceptPrompt();
    const [first] = await storage.jobs.claim({
      kind: 'generate_workflow',
      limit: 1,
      leaseMs: 1,
      perOrganization: 10,
    });
    if (!first) throw new Error('there is no job');
    const claims = [[first], [{ ...first, leaseToken: 'second' }]];
    let running = 0;
    const aborted: string[] = [];
    const jobs: JobStore = {
      ...storage.jobs,
      claim: async ({ kind }) => (kind === first.kind ? (claims.shift() ?? []) : []),
    };
    const twice = runner(
      {
        concurrency: 5,
        async run(job, signal) {
          running += 1;
          signal.addEventListener('abort', () => aborted.push(job.leaseToken));
          // The first outlasts the second claim, the second the first run.
          await eventually('both runs', () => job.leaseToken === 'second' || running === 2);
          await sleep(job.leaseToken === 'second' ? 600 : 100);
          running -= 1;
          return { done: true };
        },
      },
      jobs,
    );
    twice.start();
    twice.wake('generate_workflow');
    await eventually('both runs', () => running === 2);
    await eventually('the end of the first', () => running === 1);
    await twice.stop(5_000);
    expect(running).toBe(0);
    expect(aborted).toEqual([first.leaseToken]);
  });
});
