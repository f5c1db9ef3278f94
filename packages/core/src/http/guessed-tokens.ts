import type { SocketDecision } from '../channels/web/web-call-sockets.ts';
import { clientAddress } from '../kernel/client-address.ts';
import type { HttpRequest } from '../kernel/http.ts';
import type { RateLimits } from '../kernel/rate-limit.ts';
import { problemResponse, toCallkiteError } from './problem.ts';

/** Limits how many unknown tokens an address may come with, as for API keys, and refuses it before any work is done. */
export function withoutGuessing(
  upgrade: (request: HttpRequest) => Promise<SocketDecision>,
  options: {
    rateLimits: Pick<RateLimits, 'checkAddress' | 'countFailure'>;
    /** As in `CallkiteOptions`. */
    trustedProxies: number;
  },
): (request: HttpRequest) => Promise<SocketDecision> {
  const { rateLimits, trustedProxies } = options;
  return async (request) => {
    const address = clientAddress(request, trustedProxies);
    try {
      await rateLimits.checkAddress(address);
    } catch (error) {
      return { refuse: problemResponse(toCallkiteError(error)) };
    }
    const decision = await upgrade(request);
    if ('accept' in decision && decision.wasUnknown) await rateLimits.countFailure(address);
    return decision;
  };
}
