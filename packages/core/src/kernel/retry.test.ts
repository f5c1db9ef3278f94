import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { CallkiteError } from './errors.ts';
import { retry } from './retry.ts';

const away = new CallkiteError('storage_unavailable', 'the store is away', { retryable: true });

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

/** Fails so often, or for ever. */
function failing(times: number, error: Error = away) {
  let tries = 0;
  return vi.fn(async () => {
    tries += 1;
    if (tries <= times) throw error;
    return 'done';
  });
}

it('what fails in a way that passes is done in the end, at longer and longer intervals', async () => {
  const operation = failing(9);
  const result = retry(operation);
  await vi.advanceTimersByTimeAsync(100 + 200 + 400 + 800 + 1600 + 3200 + 3 * 5000);
  expect(await result).toBe('done');
  expect(operation).toHaveBeenCalledTimes(10);
});

it('it is given up after its time, with the last error', async () => {
  const operation = failing(Number.POSITIVE_INFINITY);
  const failure = expect(retry(operation, { giveUpAfterMs: 3_000 })).rejects.toBe(away);
  await vi.advanceTimersByTimeAsync(10_000);
  await failure;
  const { length } = operation.mock.calls;
  await vi.advanceTimersByTimeAsync(60_000);
  expect(operation).toHaveBeenCalledTimes(length);
});

it('what fails for good is not repeated', async () => {
  const operation = failing(1, new CallkiteError('not_found', 'no such call'));
  await expect(retry(operation)).rejects.toMatchObject({ code: 'not_found' });
  expect(operation).toHaveBeenCalledTimes(1);
});
