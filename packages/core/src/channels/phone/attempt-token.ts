import { isOneOf } from '../../kernel/digests.ts';

export interface AttemptTokens {
  /** Goes into every URL given to the carrier, so that a webhook finds its attempt even if the answer to the create request was lost. */
  issue(attemptId: string): string;
  /** The attempt id, or `null` for a token we did not issue. */
  verify(token: string): string | null;
}

/** @param hmacs keyed digests of a text, base64url: the first one signs, all of them are accepted */
export function createAttemptTokens(hmacs: (text: string) => readonly string[]): AttemptTokens {
  const digests = (attemptId: string) => hmacs(attemptId).map((digest) => digest.slice(0, 32));
  return {
    issue: (attemptId) => `${attemptId}.${digests(attemptId)[0]}`,
    verify(token) {
      const dot = token.lastIndexOf('.');
      if (dot < 1 || token.length > 100) return null;
      const attemptId = token.slice(0, dot);
      return isOneOf(token.slice(dot + 1), digests(attemptId)) ? attemptId : null;
    },
  };
}
