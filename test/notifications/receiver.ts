import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface ReceivedRequest {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** A customer's server: keeps what it receives, and answers as told. */
export interface Receiver {
  readonly url: string;
  readonly requests: ReceivedRequest[];
  /** What to answer next time; the last answer stays. `never` leaves the request unanswered. */
  answer(...answers: ({ status: number; headers?: Record<string, string> } | 'never')[]): void;
  close(): void;
}

export async function startReceiver(): Promise<Receiver> {
  const requests: ReceivedRequest[] = [];
  let answers: Parameters<Receiver['answer']> = [{ status: 204 }];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    requests.push({
      path: request.url ?? '',
      headers: request.headers,
      body: Buffer.concat(chunks).toString(),
    });
    const answer = answers.length > 1 ? answers.shift() : answers[0];
    if (answer && answer !== 'never') response.writeHead(answer.status, answer.headers).end();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    requests,
    answer(...next) {
      answers = next;
    },
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}
