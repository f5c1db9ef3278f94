import autocannon from 'autocannon';
import { startPostgres } from '../postgres/start-postgres.ts';
import { rounded, table } from './figures.ts';
import { startServerProcess } from './server-process.ts';

const seconds = 8;
const connections = 20;
const rounds = 3;

/**
 * Accepting `POST /call` on Postgres, against a bare Express route that checks a key, validates and makes two
 * inserts in one transaction. Rounds alternate, so that a drift of the machine hits all alike.
 */
export async function benchAccept(): Promise<void> {
  const database = await startPostgres();
  const environment = { DATABASE_URL: database.url };
  const servers = [
    { name: 'bare Express', process: await startServerProcess('express-baseline', environment) },
    {
      name: 'Callkite on Express',
      process: await startServerProcess('callkite', { ...environment, MOUNT: 'express' }),
    },
    {
      name: 'Callkite on node:http',
      process: await startServerProcess('callkite', { ...environment, MOUNT: 'node' }),
    },
    {
      name: 'Callkite on Fastify',
      process: await startServerProcess('callkite', { ...environment, MOUNT: 'fastify' }),
    },
  ];
  const results = servers.map(() => ({
    perSecond: [] as number[],
    p50: [] as number[],
    p99: [] as number[],
  }));
  for (let round = 0; round <= rounds; round += 1) {
    for (const [index, server] of servers.entries()) {
      const { key, workflowId } = await server.process.ask<{ key: string; workflowId: string }>('access');
      const result = await autocannon({
        url: `${server.process.url}/call`,
        method: 'POST',
        connections,
        duration: round === 0 ? 3 : seconds,
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        body: JSON.stringify({
          workflow_id: workflowId,
          recipient_phone: '+12025550100',
          recipient_name: 'Jordan',
          recipient_context: 'Tuesday at 3 pm',
        }),
      });
      if (result.non2xx > 0 || result.errors > 0) {
        throw new Error(`${server.name} refused ${result.non2xx} requests, ${result.errors} errors`);
      }
      // The first round warms up.
      if (round === 0) continue;
      results[index]?.perSecond.push(result.requests.average);
      results[index]?.p50.push(result.latency.p50);
      results[index]?.p99.push(result.latency.p99);
    }
  }
  const median = (values: readonly number[]) =>
    [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
  const baseline = median(results[0]?.perSecond ?? []);
  table(
    servers.map(({ name }, index) => {
      const result = results[index] ?? { perSecond: [], p50: [], p99: [] };
      return {
        server: name,
        'requests/s': rounded(median(result.perSecond), 0),
        ratio: rounded(median(result.perSecond) / baseline, 2),
        'p50 ms': rounded(median(result.p50), 0),
        'p99 ms': rounded(median(result.p99), 0),
      };
    }),
  );
  for (const server of servers) await server.process.stop();
  await database.stop();
}
