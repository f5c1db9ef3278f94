import type { IncomingMessage, ServerResponse } from 'node:http';
import { servesPath } from './handler.ts';
import { type HttpMount, nodeHandler } from './node-handler.ts';

/** A middleware as Express 4 and 5, Connect and Nest take it. */
export type NodeMiddleware = (
  request: IncomingMessage,
  response: ServerResponse,
  next: (error?: unknown) => void,
) => void;

/**
 * Serves Callkite's HTTP API and its carriers' webhooks. Mounted at a prefix, everything below it is Callkite's; mounted at
 * the root, paths that are not Callkite's go on to the next middleware.
 * Mount it before body parsers: carriers sign the exact bytes of their requests.
 *
 * ```ts
 * app.use('/phone', callkiteMiddleware(callkite));
 * app.use(express.json());
 * const server = app.listen(3000);
 * attachSockets(server, callkite, { basePath: '/phone' });
 * ```
 */
export function callkiteMiddleware(callkite: HttpMount): NodeMiddleware {
  const listener = nodeHandler(callkite);
  return (request, response, next) => {
    if (!isBelowPrefix(request) && !servesPath(request.url ?? '/')) {
      next();
    } else if (request.readableDidRead) {
      next(
        new Error('The body was read before Callkite got it: mount callkiteMiddleware before express.json()'),
      );
    } else {
      listener(request, response);
    }
  };
}

/** Express and Connect cut the prefix off `url`, and keep the whole in `originalUrl`. */
function isBelowPrefix(request: IncomingMessage & { originalUrl?: string }): boolean {
  const { originalUrl, url = '/' } = request;
  return originalUrl !== undefined && originalUrl.length > url.length;
}
