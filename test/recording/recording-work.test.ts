import { createId, type Logger, type Storage, silentLogger } from '@callkite/core';
import { createTenant } from '@callkite/core/testing';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createRecordingWork } from '../../packages/core/src/features/recordings/recording-work.ts';
import { testStorage } from '../test-storage.ts';

let storage: Storage;

beforeAll(async () => {
  storage = testStorage();
  await storage.start();
});

afterAll(() => storage.stop());

/** Runs the job of a recording whose call is over and has lost its connection. Returns what is logged as an error. */
async function follow(status: 'completed' | 'absent') {
  const tenant = await createTenant(storage);
  const { callId, attemptId, providerCallId } = await tenant.placed();
  await storage.recordings.want(callId, { id: createId('rec'), lookInMs: 0 });
  const providerRecordingId = status === 'completed' ? 'RE1' : null;
  const recorded = { providerRecordingId, status, durationSeconds: null, retentionDays: 30 };
  await storage.recordings.report(callId, recorded);
  const ended = { providerCallId, status: 'completed', answeredBy: null, durationSeconds: 1 } as const;
  await storage.calls.report(attemptId, ended);
  const errors: unknown[] = [];
  const logger: Logger = { ...silentLogger, error: (...entry: unknown[]) => void errors.push(entry) };
  const unreached = () => {
    throw new Error('there is no carrier to ask');
  };
  const { run } = createRecordingWork({
    storage: { ...storage, calls: { ...storage.calls, connectionOfAttempt: () => Promise.resolve(null) } },
    recordings: storage.recordings as never,
    telephonyFor: unreached,
    accountOf: unreached,
    tokens: { issue: unreached, verify: unreached } as never,
    logger,
  });
  const [job] = await tenant.jobs('follow_recording');
  if (!job) throw new Error('no job is due');
  const result = await run(job, new AbortController().signal);
  return { callId, result, errors };
}

it('a recording that cannot be deleted because its connection is gone is an error in the log', async () => {
  const { callId, result, errors } = await follow('completed');
  expect(result).toEqual({ done: true });
  expect(errors).toEqual([[{ callId }, expect.stringContaining('connection')]]);
});

it('where the carrier recorded nothing, nothing is missed with the connection', async () => {
  const { result, errors } = await follow('absent');
  expect(result).toEqual({ done: true });
  expect(errors).toEqual([]);
});
