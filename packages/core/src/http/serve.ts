import { once } from 'node:events';
import { createServer } from 'node:http';
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
 * Serves the HTTP API and the carriers' webhooks and sockets. Rejects with Node's own error, such as `EADDRINUSE`.
 * @param address `host` @default '127.0.0.1'
 */
export async function serve(
  callkite: HttpMount & SocketMount,
  { port, host = '127.0.0.1' }: { port: number; host?: string },
): Promise<Served> {
  const server = createServer(nodeHandler(callkite));
  server.keepAliveTimeout = idleConnectionMs;
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
