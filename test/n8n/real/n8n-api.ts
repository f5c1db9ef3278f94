import { createRequire } from 'node:module';
import path from 'node:path';
import { eventually } from '../../embedded.ts';
import type { N8nServer } from './n8n-server.ts';

export interface N8nNode {
  readonly name: string;
  readonly type: string;
  readonly typeVersion: number;
  readonly parameters: Record<string, unknown>;
  readonly position?: readonly [number, number];
  readonly [setting: string]: unknown;
}

export interface N8nWorkflow {
  readonly name: string;
  readonly nodes: readonly N8nNode[];
  readonly connections: Record<string, Record<string, { node: string; type: string; index: number }[][]>>;
  readonly pinData?: Record<string, unknown>;
  readonly settings?: Record<string, unknown>;
}

export interface SavedWorkflow extends N8nWorkflow {
  readonly id: string;
  readonly versionId: string;
}

interface Failure {
  readonly message: string;
  readonly description?: string;
  readonly context?: { itemIndex?: number };
}

interface NodeRun {
  readonly data?: { main: ({ json: Record<string, unknown>; pairedItem?: unknown }[] | null)[] };
  readonly error?: Failure;
}

export interface Execution {
  readonly id: string;
  readonly status: string;
  readonly mode: string;
  readonly error: Failure | undefined;
  /** Items of an output of the last run of a node. */
  items(node: string, output?: number): Record<string, unknown>[];
  runs(node: string): readonly NodeRun[];
}

export const ownerLogin = { email: 'owner@example.com', password: 'Password-of-the-tests-1' };

/** The API that n8n's own editor uses, as the owner of this n8n. */
export async function n8nApi(n8n: N8nServer) {
  const { parse } = createRequire(path.join(n8n.installation, 'node_modules/'))('flatted') as {
    parse(text: string): unknown;
  };
  let cookie = '';

  async function ask<Answer>(method: string, path: string, body?: unknown): Promise<Answer> {
    const response = await fetch(`${n8n.url}/rest${path}`, {
      method,
      headers: { cookie, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
      body: body === undefined ? null : JSON.stringify(body),
    });
    const text = await response.text();
    if (!response.ok)
      throw new Error(`n8n answered ${method} ${path} with ${response.status}: ${text.slice(0, 2000)}`);
    cookie = response.headers.getSetCookie()[0]?.split(';')[0] ?? cookie;
    return (JSON.parse(text) as { data: Answer }).data;
  }

  async function execution(id: string): Promise<Execution> {
    const { status, mode, data } = await ask<{ status: string; mode: string; data: string }>(
      'GET',
      `/executions/${id}`,
    );
    // Nothing is there before the first node ran.
    const { resultData = { runData: {} } } = (parse(data) ?? {}) as {
      resultData?: { runData: Record<string, NodeRun[]>; error?: Failure };
    };
    const runs = (node: string) => resultData.runData[node] ?? [];
    return {
      id,
      status,
      mode,
      error: resultData.error,
      runs,
      items: (node, output = 0) => (runs(node).at(-1)?.data?.main[output] ?? []).map(({ json }) => json),
    };
  }

  const executionIds = async (workflowId: string) => {
    const filter = encodeURIComponent(JSON.stringify({ workflowId }));
    const { results } = await ask<{ results: { id: string }[] }>(
      'GET',
      `/executions?filter=${filter}&limit=50`,
    );
    return results.map(({ id }) => id);
  };
  const isOver = ({ status }: Execution) => !['new', 'running', 'waiting'].includes(status);
  const end = (id: string, timeoutMs = 120_000) =>
    eventually(
      `the end of execution ${id}`,
      async () => {
        const found = await execution(id);
        return isOver(found) ? found : null;
      },
      timeoutMs,
    );
  /** Saves it as the editor does after an import. */
  const save = (workflow: N8nWorkflow) =>
    ask<SavedWorkflow>('POST', '/workflows', {
      settings: { executionOrder: 'v1' },
      ...workflow,
      nodes: workflow.nodes.map((node, index) => ({
        id: `node-${index}`,
        position: [index * 220, 0],
        ...node,
      })),
    });
  const start = async (workflow: SavedWorkflow, trigger: string) => {
    const { executionId } = await ask<{ executionId: string }>('POST', `/workflows/${workflow.id}/run`, {
      workflowData: workflow,
      triggerToStartFrom: { name: trigger },
    });
    return executionId;
  };

  await eventually(
    'the owner',
    () =>
      ask('POST', '/owner/setup', { ...ownerLogin, firstName: 'Olive', lastName: 'Owner' }).then(
        () => true,
        () => false,
      ),
    60_000,
  );
  return {
    ask,
    save,
    start,
    execution,
    executionIds,
    end,
    async run(workflow: N8nWorkflow, trigger: string): Promise<Execution> {
      return end(await start(await save(workflow), trigger));
    },
    waiting: (id: string) =>
      eventually(`the wait of execution ${id}`, async () => {
        const found = await execution(id);
        if (isOver(found))
          throw new Error(`execution ${id} did not wait: ${found.error?.message ?? found.status}`);
        return found.status === 'waiting' ? found : null;
      }),
    activate: ({ id, versionId }: SavedWorkflow) =>
      ask('POST', `/workflows/${id}/activate`, { versionId, name: '', description: '' }),
    deactivate: ({ id }: SavedWorkflow) => ask('POST', `/workflows/${id}/deactivate`, {}),
  };
}

export type N8nApi = Awaited<ReturnType<typeof n8nApi>>;
