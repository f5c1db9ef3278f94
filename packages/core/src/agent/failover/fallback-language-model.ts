import { CallkiteError } from '../../kernel/errors.ts';
import { silentLogger } from '../../kernel/logger.ts';
import { safeLogger } from '../../kernel/safe-logger.ts';
import type { LanguageModel, ObjectRequest, TurnPart, TurnRequest } from '../ports/language-model.ts';
import { defaultRestMs, type FallbackOptions } from './fallback-options.ts';
import { hedge } from './hedge.ts';
import { preferFirst } from './preference.ts';

export interface FallbackLanguageModelOptions extends FallbackOptions {
  /** How long a turn may take to begin before the second is asked as well, in milliseconds. @default 5000 */
  slowAfterMs?: number | undefined;
  /** The same for a workflow, a message or a summary, which comes in one piece. @default 10000 */
  slowObjectAfterMs?: number | undefined;
}

/**
 * Two language models as one: the second is asked where the first fails, for whatever reason, or is slow. The first that
 * begins to answer is heard and the request to the other one canceled. An answer that breaks off, or that the first
 * leaves off for `slowAfterMs`, is an error: what was said cannot be taken back, and whoever asks for the rest
 * is answered by the second. One request leads to two at most; when both fail, the error is one that may pass, if
 * either's is.
 *
 * ```ts
 * const languageModel = withFallbackLanguageModel(
 *   openAi({ apiKey, turnRetries: 0 }),
 *   openAi({ apiKey: 'none', baseURL: 'https://models.example.com/v1', model: 'qwen3' }),
 * );
 * ```
 */
export function withFallbackLanguageModel(
  first: LanguageModel,
  second: LanguageModel,
  options: FallbackLanguageModelOptions = {},
): LanguageModel {
  const { slowAfterMs = 5000, slowObjectAfterMs = 10_000 } = options;
  const logger = safeLogger(options.logger ?? silentLogger);
  const preference = preferFirst(first, second, options.restMs ?? defaultRestMs);

  async function answerOf<Answer>(
    request: 'turn' | 'object',
    how: {
      slowAfterMs: number;
      signal: AbortSignal;
      ask(model: LanguageModel, signal: AbortSignal): Promise<Answer>;
    },
  ) {
    const describe = (model: LanguageModel) => ({ request, model: model === first ? 'first' : 'second' });
    const answered = await hedge({ ...how, preference, describe, logger });
    if (answered.model === second) logger.info(describe(second), 'the second model answered');
    return answered;
  }

  async function* streamTurn(request: TurnRequest): AsyncGenerator<TurnPart, void> {
    const { model, answer, cancel } = await answerOf('turn', {
      slowAfterMs,
      signal: request.signal,
      ask: (asked, signal) => begin(asked, { ...request, signal }),
    });
    const { parts } = answer;
    let isWaiting = false;
    const patience = setTimeout(() => {
      // The second has nobody after it.
      if (isWaiting && model === first) cancel.abort(fellSilent());
    }, slowAfterMs);
    try {
      for (let { next } = answer; !next.done; next = await parts.next()) {
        isWaiting = false;
        yield next.value;
        isWaiting = true;
        patience.refresh();
      }
    } catch (error) {
      if (!request.signal.aborted) preference.failed(model);
      throw error;
    } finally {
      clearTimeout(patience);
      await parts.return?.();
    }
  }

  async function generateObject<T>(request: ObjectRequest<T>): Promise<T> {
    const { answer } = await answerOf('object', {
      slowAfterMs: slowObjectAfterMs,
      signal: request.signal,
      ask: (asked, signal) => asked.generateObject({ ...request, signal }),
    });
    return answer;
  }

  return { streamTurn, generateObject };
}

/** Waits for the first part, which decides who is heard. */
async function begin(model: LanguageModel, request: TurnRequest) {
  const parts = model.streamTurn(request)[Symbol.asyncIterator]();
  // Whoever has begun and is not heard is left, too.
  request.signal.addEventListener('abort', () => void leave(parts), { once: true });
  return { parts, next: await parts.next() };
}

async function leave(parts: AsyncIterator<TurnPart>): Promise<void> {
  try {
    await parts.return?.();
  } catch {
    // Nobody waits for it any more.
  }
}

function fellSilent(): CallkiteError {
  return new CallkiteError('provider_unavailable', 'the model fell silent in the middle of an answer', {
    retryable: true,
  });
}
