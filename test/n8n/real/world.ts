import type { IncomingMessage } from 'node:http';
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
  /** What the proxy in front of n8n does with a request from outside. */
  atTheDoor: (path: string) => 'pass' | 'refuse' | 'keep';
  /** Requests that were accepted and kept; each is passed on when it is told to, and resolves to n8n's status. */
  readonly kept: (() => Promise<number>)[];
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
  // The public address of n8n.
  const front = await listen(async (incoming, response) => {
    const request = await received(incoming);
    switch (world.atTheDoor(request.path)) {
      case 'refuse':
        response.writeHead(503).end();
        break;
      case 'keep':
        world.kept.push(async () => (await forward(request, world.n8n.url)).status);
        response.writeHead(202).end();
        break;
      case 'pass': {
        // Calls run faster than life here. n8n gets the time to save that it waits, which it has there.
        const [, executionId] = request.path.match(/^\/webhook-waiting\/(\d+)/) ?? [];
        if (executionId) await world.api.waiting(executionId).catch(() => {});
        const { status, contentType, text } = await forward(request, world.n8n.url);
        response.writeHead(status, { 'content-type': contentType }).end(text);
      }
    }
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
    atTheDoor: () => 'pass',
    kept: [],
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

interface OutsideRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: [string, string][];
  readonly body: Buffer;
}

async function received(request: IncomingMessage): Promise<OutsideRequest> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const headers = Object.entries(request.headers)
    .filter(([name]) => !['host', 'connection', 'content-length', 'transfer-encoding'].includes(name))
    .map(([name, value]): [string, string] => [name, String(value)]);
  return {
    method: request.method ?? 'GET',
    path: request.url ?? '',
    headers,
    body: Buffer.concat(chunks),
  };
}

async function forward({ method, path, headers, body }: OutsideRequest, target: string) {
  const answer = await fetch(`${target}${path}`, { method, headers, body: body.length > 0 ? body : null });
  const contentType = answer.headers.get('content-type') ?? 'text/plain';
  return { status: answer.status, contentType, text: await answer.text() };
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
