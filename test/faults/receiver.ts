import { createHash } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What a customer's server saw of one notification. */
export interface Received {
  readonly path: string;
  readonly callId: string;
  readonly callStatus: string;
  /** `webhook-id` header of a webhook, `null` for a callback. */
  readonly id: string | null;
  readonly digest: string;
}

export interface Receiver {
  readonly url: string;
  readonly received: Received[];
  close(): Promise<void>;
}

/**
 * A customer's server.
 * @param failing share of requests that are answered with 500 after they were recorded
 */
export async function startReceiver(failing: number): Promise<Receiver> {
  const received: Received[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const body = Buffer.concat(chunks);
      const payload = JSON.parse(body.toString()) as { call_id: string; call_status: string };
      const id = request.headers['webhook-id'];
      received.push({
        path: request.url ?? '',
        callId: payload.call_id,
        callStatus: payload.call_status,
        id: typeof id === 'string' ? id : null,
        digest: createHash('sha256').update(body).digest('hex'),
      });
      response.writeHead(id !== undefined && Math.random() < failing ? 500 : 204).end();
    });
    request.on('error', () => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
