import type { IncomingMessage, ServerResponse } from 'node:http';
import { type Embedded, eventually, freePort, startEmbedded } from '../../embedded.ts';
import { listen } from '../server-for-tests.ts';
import { type N8nApi, type N8nNode, type N8nWorkflow, n8nApi } from './n8n-api.ts';
import { type N8nServer, startN8n } from './n8n-server.ts';

/** A real n8n beside the project's own server on the embedded default. */
export interface World {
  readonly callkite: Embedded;
  readonly n8n: N8nServer;
  readonly api: N8nApi;
  readonly credentials: { callkiteApi: { id: string; name: string } };
  /** Requests from outside to n8n that it refuses to let through. */
  blocked: (path: string) => boolean;
  /** What requests from outside to n8n wait for before they are let through. */
  held: (path: string) => Promise<void>;
  /** What the phone network saw for this number. */
  rings(number: string): number;
  /** Waits until every accepted call is over, so that no ring can still come. */
  allOver(): Promise<void>;
  /** A node of ours with its credential. */
  node(name: string, parameters: Record<string, unknown>, settings?: Record<string, unknown>): N8nNode;
  stop(): Promise<void>;
}

export async function startWorld(): Promise<World> {
  const callkite = await startEmbedded();
  const port = await freePort();
  // The public address of n8n. Like a proxy in front of it, it holds requests while n8n starts again.
  const front = await listen(async (request, response) => {
    await world.held(request.url ?? '');
    await n8n.ready();
    if (world.blocked(request.url ?? '')) response.writeHead(503).end();
    else await forward(request, response, `http://127.0.0.1:${port}`);
  });
  const n8n = await startN8n({ publicUrl: front.url, port });
  const api = await n8nApi(n8n);
  const callkiteApi = await api.ask<{ id: string; name: string }>('POST', '/credentials', {
    name: 'Callkite account',
    type: 'callkiteApi',
    data: { apiKey: callkite.liveKey, baseUrl: callkite.url },
  });
  const credentials = { callkiteApi: { id: callkiteApi.id, name: callkiteApi.name } };
  const world: World = {
    callkite,
    n8n,
    api,
    credentials,
    blocked: () => false,
    held: () => Promise.resolve(),
    rings: (number) => callkite.twilioEmulator.calls().filter(({ to }) => to === number).length,
    async allOver() {
      await eventually('the end of all calls', async () => {
        const answer = await callkite.request('GET', '/calls?limit=100');
        const { calls } = (await answer.json()) as { calls: { state: string }[] };
        return calls.every(({ state }) => state === 'completed');
      });
    },
    node: (name, parameters, settings = {}) => ({
      name,
      type: 'n8n-nodes-callkite.callkite',
      typeVersion: 1,
      credentials,
      webhookId: crypto.randomUUID(),
      parameters: { additionalFields: {}, ...parameters },
      ...settings,
    }),
    async stop() {
      await n8n.stop();
      await front.close();
      await callkite.stop();
    },
  };
  return world;
}

async function forward(request: IncomingMessage, response: ServerResponse, target: string): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const headers = Object.entries(request.headers)
    .filter(([name]) => !['host', 'connection', 'content-length', 'transfer-encoding'].includes(name))
    .map(([name, value]): [string, string] => [name, String(value)]);
  const answer = await fetch(`${target}${request.url}`, {
    method: request.method ?? 'GET',
    headers,
    body: chunks.length > 0 ? Buffer.concat(chunks) : null,
  });
  response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? 'text/plain' });
  response.end(await answer.text());
}

/** Nodes one after the other, begun by hand. */
export function chain(name: string, ...nodes: N8nNode[]): N8nWorkflow {
  const all = [
    { name: 'Start', type: 'n8n-nodes-base.manualTrigger', typeVersion: 1, parameters: {} },
    ...nodes,
  ];
  const connections = Object.fromEntries(
    all
      .slice(0, -1)
      .map((node, index) => [
        node.name,
        { main: [[{ node: all[index + 1]?.name ?? '', type: 'main', index: 0 }]] },
      ]),
  );
  return { name, nodes: all, connections };
}

/** What the workflow begins with, instead of the one empty item of a start by hand. */
export const withItems = (workflow: N8nWorkflow, ...items: object[]): N8nWorkflow => ({
  ...workflow,
  pinData: { Start: items.map((json) => ({ json })) },
});
