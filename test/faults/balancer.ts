import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

export interface Balancer {
  readonly url: string;
  /** Ports that connections may go to, tried in turn. */
  readonly targets: Set<number>;
  close(): Promise<void>;
}

/** What stands before several nodes in production: a TCP proxy that passes over nodes that are down. */
export async function startBalancer(): Promise<Balancer> {
  const targets = new Set<number>();
  const sockets = new Set<Socket>();
  let turn = 0;

  const server = createServer((client) => {
    sockets.add(client);
    client.on('close', () => sockets.delete(client));
    client.on('error', () => client.destroy());
    const ports = [...targets];
    turn += 1;
    attempt(client, ports, turn, ports.length);
  });

  function attempt(client: Socket, ports: readonly number[], start: number, left: number): void {
    const port = ports[(start + left) % ports.length];
    if (port === undefined || left === 0) {
      client.destroy();
      return;
    }
    const upstream = connect(port, '127.0.0.1');
    let connected = false;
    upstream.once('connect', () => {
      connected = true;
      client.pipe(upstream);
      upstream.pipe(client);
    });
    upstream.on('error', () => {
      upstream.destroy();
      if (connected) client.destroy();
      else attempt(client, ports, start, left - 1);
    });
    client.on('close', () => upstream.destroy());
    upstream.on('close', () => {
      if (connected) client.destroy();
    });
  }

  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    targets,
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
