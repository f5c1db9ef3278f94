import { CallkiteError } from './errors.ts';

const firstRetryMs = 100;
const longestRetryMs = 5000;

/**
 * Repeats an operation while it fails with a retryable error: a live call outlasts a store that is away.
 * @param options.giveUpAfterMs the last error is thrown when this much time has passed @default 120000
 */
export async function retry<T>(
  operation: () => Promise<T>,
  options: { giveUpAfterMs?: number } = {},
): Promise<T> {
  const { giveUpAfterMs = 120_000 } = options;
  const startedAtMs = performance.now();
  for (let retryMs = firstRetryMs; ; retryMs = Math.min(retryMs * 2, longestRetryMs)) {
    try {
      return await operation();
    } catch (error) {
      const mayRetry = CallkiteError.isInstance(error) && error.retryable;
      if (!mayRetry || performance.now() - startedAtMs >= giveUpAfterMs) throw error;
      await new Promise((resolve) => setTimeout(resolve, retryMs));
    }
  }
}
