import type { Logger } from '../../kernel/logger.ts';
import { betterFailure } from './fallback-options.ts';
import type { Preference } from './preference.ts';

export interface Answered<Model, Answer> {
  readonly model: Model;
  readonly answer: Answer;
  /** Cancels what the model goes on doing for this answer. */
  readonly cancel: AbortController;
}

/**
 * Asks the preferred of two, and the other one too as soon as that fails or takes long. The first to answer is taken,
 * and the request to the other one canceled. Asks before it returns. Rejects with the signal's reason after an abort,
 * or, when both have failed, with the failure that may pass, if there is one.
 */
export async function hedge<Model, Answer>(options: {
  readonly preference: Preference<Model>;
  readonly slowAfterMs: number;
  readonly signal: AbortSignal;
  ask(model: Model, signal: AbortSignal): Promise<Answer>;
  /** For the log. */
  describe(model: Model): object;
  readonly logger: Logger;
}): Promise<Answered<Model, Answer>> {
  const { preference, slowAfterMs, signal, describe, logger } = options;
  const [preferred, other] = preference.order();
  const cancels: AbortController[] = [];

  async function ask(model: Model): Promise<Answered<Model, Answer>> {
    const cancel = new AbortController();
    cancels.push(cancel);
    try {
      const answer = await options.ask(model, AbortSignal.any([signal, cancel.signal]));
      return { model, answer, cancel };
    } catch (error) {
      if (!signal.aborted && !cancel.signal.aborted) {
        preference.failed(model);
        logger.warn({ ...describe(model), error }, 'model failed');
      }
      throw error;
    }
  }

  const first = ask(preferred);
  const asked = [first];
  const progress = await settled(first, slowAfterMs);
  signal.throwIfAborted();
  if (progress === 'slow') {
    preference.failed(preferred);
    logger.warn(describe(preferred), 'model is slow');
  }
  if (progress !== 'answered') asked.push(ask(other));
  try {
    const answered = await Promise.any(asked);
    for (const cancel of cancels) if (cancel !== answered.cancel) cancel.abort();
    preference.answered(answered.model);
    return answered;
  } catch (error) {
    signal.throwIfAborted();
    throw error instanceof AggregateError ? betterFailure<unknown>(error.errors) : error;
  }
}

async function settled(work: Promise<unknown>, slowAfterMs: number): Promise<'answered' | 'failed' | 'slow'> {
  let timer: NodeJS.Timeout | undefined;
  const slow = new Promise<'slow'>((resolve) => {
    timer = setTimeout(resolve, slowAfterMs, 'slow');
  });
  const outcome = work.then(
    () => 'answered' as const,
    () => 'failed' as const,
  );
  try {
    return await Promise.race([outcome, slow]);
  } finally {
    clearTimeout(timer);
  }
}
