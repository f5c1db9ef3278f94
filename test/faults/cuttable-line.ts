import { connect, createServer, type Socket } from 'node:net';
import { freePort } from '../embedded.ts';

export interface CuttableLine {
  /** The same server, reached over the line. */
  readonly url: string;
  /** Every connection breaks and new ones are refused, or nothing comes through any more and nothing breaks. */
  cut(how: 'reset' | 'silence'): Promise<void>;
  restore(): Promise<void>;
  close(): Promise<void>;
}

/** A way to a database that can be cut. */
export async function startCuttableLine(server: string): Promise<CuttableLine> {
  const target = new URL(server);
  const port = await freePort();
  const sockets = new Set<Socket>();
  let isSilent = false;

  const proxy = createServer((client) => {
    const upstream = connect(Number(target.port), target.hostname);
    for (const [socket, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(socket);
      socket.on('error', () => socket.destroy());
      socket.on('data', (chunk) => {
        if (!isSilent) other.write(chunk);
      });
      socket.on('close', () => {
        sockets.delete(socket);
        other.destroy();
      });
    }
  });
  const listen = () => new Promise<void>((resolve) => proxy.listen(port, '127.0.0.1', resolve));
  const breakAll = async () => {
    for (const socket of sockets) socket.destroy();
    if (proxy.listening) await new Promise((resolve) => proxy.close(resolve));
  };

  await listen();
  const url = new URL(server);
  url.host = `127.0.0.1:${port}`;
  return {
    url: url.href,
    async cut(how) {
      if (how === 'reset') await breakAll();
      isSilent = how === 'silence';
    },
    async restore() {
      // What was swallowed is missing from its connection, which is of no use any more.
      for (const socket of sockets) socket.destroy();
      isSilent = false;
      if (!proxy.listening) await listen();
    },
    close: breakAll,
  };
}
