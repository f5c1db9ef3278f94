import { CallkiteError } from '../../kernel/errors.ts';
import type { Logger } from '../../kernel/logger.ts';

export interface FallbackOptions {
  /** For how long the second is asked first after the first has failed, or was slow, in milliseconds. @default 30000 */
  restMs?: number | undefined;
  /** Told of failures of either, and whenever the second answers. @default no log */
  logger?: Logger | undefined;
}

export const defaultRestMs = 30_000;

/** What to tell when both have failed: one that may pass counts for more than one that will not. */
export function betterFailure<Failure>(failures: readonly Failure[]): Failure | undefined {
  return failures.find((failure) => CallkiteError.isInstance(failure) && failure.retryable) ?? failures[0];
}
