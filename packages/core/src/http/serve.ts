import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { type HttpMount, nodeHandler } from './node-handler.ts';
import { attachSockets, type SocketMount } from './node-sockets.ts';

/** A server of its own for Callkite, for programs that have none. */
export interface Served {
  /** Stops listening and drops open connections. */
  close(): Promise<void>;
}

/**
 * For `keepAliveTimeout` of a server: longer than the 60 s for which load balancers keep idle connections, so that no
 * request meets one that is just being closed. Node's own 5 s are shorter.
 */
export const idleConnectionMs = 65_000;

/**
 * Has a server give up connections whose request does not arrive: its headers within this time, all of it a little later,
 * after `nodeHandler` has had its chance to answer. Call it before the server listens.
 */
export function limitSlowRequests(server: Server, withinMs = 30_000): void {
  server.headersTimeout = withinMs;
  server.requestTimeout = withinMs * 1.2;
  // Node looks for them every 30 s otherwise. It reads this when it begins to listen; there is no setter.
  Object.assign(server, { connectionsCheckingInterval: Math.min(withinMs / 4, 1_000) });
}

/**
 * Serves the HTTP API and the carriers' webhooks and sockets. Rejects with Node's own error, such as `EADDRINUSE`.
 * @param address `host` @default '127.0.0.1'
 */
export async function serve(
  callkite: HttpMount & SocketMount,
  { port, host = '127.0.0.1' }: { port: number; host?: string },
): Promise<Served> {
  const server = createServer(nodeHandler(callkite));
  server.keepAliveTimeout = idleConnectionMs;
  limitSlowRequests(server);
  attachSockets(server, callkite);
  server.listen(port, host);
  await once(server, 'listening');
  return {
    async close() {
      server.close();
      server.closeAllConnections();
      if (server.listening) await once(server, 'close');
    },
  };
}
