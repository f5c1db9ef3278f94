import { ApiError } from './api-error.ts';
import type { Turn } from './model/dialogue.ts';

/** Conversations of stored responses, so that `previous_response_id` can continue them. */
export interface ResponseMemory {
  remember(responseId: string, turns: Turn[]): void;
  /** All turns up to and including that response. @throws ApiError 404 `previous_response_not_found` */
  recall(responseId: string): Turn[];
}

/** Keeps the newest `capacity` responses. */
export function responseMemory(capacity: number): ResponseMemory {
  const stored = new Map<string, Turn[]>();
  return {
    remember(responseId, turns) {
      stored.set(responseId, turns);
      if (stored.size <= capacity) return;
      const oldest = stored.keys().next();
      if (!oldest.done) stored.delete(oldest.value);
    },
    recall(responseId) {
      const turns = stored.get(responseId);
      if (!turns) {
        throw new ApiError(`Previous response with id '${responseId}' not found.`, {
          status: 404,
          param: 'previous_response_id',
          code: 'previous_response_not_found',
        });
      }
      return turns;
    },
  };
}
