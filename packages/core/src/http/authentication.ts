import { createHash, timingSafeEqual } from 'node:crypto';
import type { PublishableKeys } from '../channels/web/publishable-keys.ts';
import type { Organizations } from '../features/organizations/organizations.ts';
import { CallkiteError } from '../kernel/errors.ts';
import type { HttpRequest } from '../kernel/http.ts';
import type { RateLimits } from '../kernel/rate-limit.ts';
import type { Identity, RouteAuth } from '../kernel/route.ts';

export interface AuthenticationDeps {
  organizations: Pick<Organizations, 'authenticate'>;
  publishableKeys: Pick<PublishableKeys, 'authenticate'>;
  operatorToken?: string | undefined;
  rateLimits: Pick<RateLimits, 'checkAddress' | 'countFailure'>;
}

/** Tells who asks. Throws `unauthenticated`, `rate_limited` and, for pages, `origin_not_allowed`. */
export type Authenticate = (auth: RouteAuth, client: Client) => Promise<Identity>;

/** The address is the client's own, not that of a proxy. */
type Client = Pick<HttpRequest, 'headers' | 'remoteAddress'>;

const nobody: Identity = { caller: null, visitor: null, token: null };

export function createAuthentication(deps: AuthenticationDeps): Authenticate {
  const operatorDigest = deps.operatorToken === undefined ? null : digest(deps.operatorToken);

  async function identify(auth: Exclude<RouteAuth, 'none'>, client: Client): Promise<Identity> {
    const token = /^Bearer +(\S+) *$/i.exec(client.headers.authorization ?? '')?.[1];
    if (token === undefined) {
      throw new CallkiteError('unauthenticated', 'Send an API key as Authorization: Bearer <API_KEY>');
    }
    switch (auth) {
      case 'key':
        return { ...nobody, caller: await deps.organizations.authenticate(token) };
      case 'publishable': {
        const { remoteAddress } = client;
        const origin = client.headers.origin ?? '';
        const key = await deps.publishableKeys.authenticate(token, origin);
        return { ...nobody, visitor: { key, origin, remoteAddress } };
      }
      case 'visit':
        return { ...nobody, token };
      case 'operator':
        if (operatorDigest && timingSafeEqual(digest(token), operatorDigest)) return nobody;
        throw new CallkiteError('unauthenticated', 'The operator token is wrong');
    }
  }

  return async (auth, client) => {
    if (auth === 'none') return nobody;
    try {
      return await identify(auth, client);
    } catch (error) {
      if (CallkiteError.isInstance(error) && error.code === 'unauthenticated') {
        // Only now, so that someone guessing behind a shared address never locks out the good keys beside him.
        await deps.rateLimits.checkAddress(client.remoteAddress);
        await deps.rateLimits.countFailure(client.remoteAddress);
      }
      throw error;
    }
  };
}

const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
