import { timingSafeEqual } from 'node:crypto';

export interface AttemptTokens {
  /** Goes into every URL given to the carrier, so that a webhook finds its attempt even if the answer to the create request was lost. */
  issue(attemptId: string): string;
  /** The attempt id, or `null` for a token we did not issue. */
  verify(token: string): string | null;
}

/** @param hmac keyed digest of a text, base64url */
export function createAttemptTokens(hmac: (text: string) => string): AttemptTokens {
  const digest = (attemptId: string) => hmac(attemptId).slice(0, 32);
  return {
    issue: (attemptId) => `${attemptId}.${digest(attemptId)}`,
    verify(token) {
      const dot = token.lastIndexOf('.');
      if (dot < 1 || token.length > 100) return null;
      const attemptId = token.slice(0, dot);
      const given = Buffer.from(token.slice(dot + 1));
      const expected = Buffer.from(digest(attemptId));
      return given.length === expected.length && timingSafeEqual(given, expected) ? attemptId : null;
    },
  };
}
