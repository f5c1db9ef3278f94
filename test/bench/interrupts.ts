import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { openAi } from '@callkite/openai';
import { percentile, rounded, table } from './figures.ts';

const interrupts = 200;
const tokenEveryMs = 2;

/** How soon the model's server sees that a turn was given up, and whether a token of it is given out after that. */
export async function benchInterrupts(): Promise<void> {
  let gone: Promise<number> = Promise.resolve(0);
  const server = createServer((_request, response: ServerResponse) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    const timer = setInterval(
      () => response.write('data: {"choices":[{"index":0,"delta":{"content":"word "}}]}\n\n'),
      tokenEveryMs,
    );
    gone = once(response, 'close').then(() => {
      clearInterval(timer);
      return performance.now();
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const model = openAi({ apiKey: 'any', baseURL: `http://127.0.0.1:${port}/v1` });
  const messages = [{ role: 'user' as const, content: 'Hello?' }];
  const delays: number[] = [];
  let stale = 0;
  for (let index = 0; index < interrupts; index += 1) {
    const turn = new AbortController();
    let interruptedAtMs = 0;
    let tokens = 0;
    try {
      for await (const part of model.streamTurn({
        instructions: 'Talk.',
        maximumTokens: 500,
        messages,
        tools: [],
        signal: turn.signal,
      })) {
        if (part.type !== 'text') continue;
        tokens += 1;
        if (interruptedAtMs > 0) stale += 1;
        if (tokens !== 5) continue;
        setTimeout(() => {
          interruptedAtMs = performance.now();
          turn.abort();
        }, 1);
      }
    } catch (error) {
      if (!turn.signal.aborted) throw error;
    }
    delays.push((await gone) - interruptedAtMs);
  }
  table([
    {
      interrupts,
      'request dropped after ms p50 / p99': `${rounded(percentile(delays, 0.5), 2)} / ${rounded(percentile(delays, 0.99), 2)}`,
      'stale tokens': stale,
    },
  ]);
  server.closeAllConnections();
  server.close();
}
