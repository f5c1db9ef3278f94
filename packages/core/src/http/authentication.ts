import { createHash, timingSafeEqual } from 'node:crypto';
import { CallkiteError } from '../errors.ts';
import type { RateLimits } from '../limits/rate-limit.ts';
import type { Caller, Organizations } from '../organizations/organizations.ts';
import type { HttpRequest } from '../ports/http.ts';
import type { RouteAuth } from './route.ts';

export interface AuthenticationDeps {
  organizations: Pick<Organizations, 'authenticate'>;
  operatorToken?: string | undefined;
  rateLimits: Pick<RateLimits, 'checkAddress' | 'countFailure'>;
}

/** Tells who asks; `null` where no organization is concerned. Throws `unauthenticated` or `rate_limited`. */
export type Authenticate = (auth: RouteAuth, request: HttpRequest) => Promise<Caller | null>;

export function createAuthentication(deps: AuthenticationDeps): Authenticate {
  const operatorDigest = deps.operatorToken === undefined ? null : digest(deps.operatorToken);

  async function identify(auth: 'key' | 'operator', request: HttpRequest): Promise<Caller | null> {
    const token = /^Bearer +(\S+) *$/i.exec(request.headers.authorization ?? '')?.[1];
    if (token === undefined) {
      throw new CallkiteError('unauthenticated', 'Send an API key as Authorization: Bearer <API_KEY>');
    }
    if (auth === 'key') return deps.organizations.authenticate(token);
    if (operatorDigest && timingSafeEqual(digest(token), operatorDigest)) return null;
    throw new CallkiteError('unauthenticated', 'The operator token is wrong');
  }

  return async (auth, request) => {
    if (auth === 'none') return null;
    try {
      return await identify(auth, request);
    } catch (error) {
      if (CallkiteError.isInstance(error) && error.code === 'unauthenticated') {
        // Only now, so that someone guessing behind a shared address never locks out the good keys beside him.
        await deps.rateLimits.checkAddress(request.remoteAddress);
        await deps.rateLimits.countFailure(request.remoteAddress);
      }
      throw error;
    }
  };
}

const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
