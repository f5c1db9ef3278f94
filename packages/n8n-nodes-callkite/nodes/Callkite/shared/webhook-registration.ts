import type { IDataObject, IHookFunctions, JsonObject } from 'n8n-workflow';
import { NodeApiError } from 'n8n-workflow';
import { callkiteList, callkiteRequest } from './api';

/** What the trigger keeps in n8n's static data while it is registered. */
export interface Registration {
  webhookId?: string;
  secret?: string;
  workflowIds?: string[];
}

interface WebhookIntegration {
  id: string;
  url: string;
}

interface WorkflowResource {
  version: number;
  definition: IDataObject & { metadata?: IDataObject & { webhooks?: string[] } };
}

const mostTries = 3;

const listIntegrations = (context: IHookFunctions) =>
  callkiteList<WebhookIntegration>(context, '/webhooks', 'webhooks');

/** Whether the integration still exists, with this address, and each of the workflows still reports to it. */
export async function isRegistered(
  context: IHookFunctions,
  { webhookId, secret, workflowIds = [] }: Registration,
  url: string,
  wantedWorkflowIds: readonly string[],
): Promise<boolean> {
  if (webhookId === undefined || secret === undefined) return false;
  if ([...workflowIds].sort().join() !== [...wantedWorkflowIds].sort().join()) return false;
  const integrations = await listIntegrations(context);
  if (!integrations.some((integration) => integration.id === webhookId && integration.url === url))
    return false;
  for (const workflowId of workflowIds) {
    const { definition } = await getWorkflow(context, workflowId);
    if (!definition.metadata?.webhooks?.includes(webhookId)) return false;
  }
  return true;
}

/** Creates an integration for the address and has the workflows report to it: all of them, or the whole thing is undone. */
export async function register(
  context: IHookFunctions,
  url: string,
  workflowIds: readonly string[],
): Promise<Required<Registration>> {
  // The secret of one that was left behind is lost: it was shown once.
  const leftBehind = (await listIntegrations(context)).filter((integration) => integration.url === url);
  for (const { id } of leftBehind)
    await unregister(context, { webhookId: id, workflowIds: [...workflowIds] });

  const name = `n8n: ${context.getWorkflow().name ?? context.getNode().name}`.slice(0, 200);
  const { id, secret } = await callkiteRequest<{ id: string; secret: string }>(context, {
    method: 'POST',
    path: '/webhooks',
    body: { name, url },
  });
  const registration = { webhookId: id, secret, workflowIds: [...workflowIds] };
  try {
    const existing = new Set((await listIntegrations(context)).map((integration) => integration.id));
    for (const workflowId of workflowIds) {
      await changeWebhooks(context, workflowId, (ids) => [
        // A workflow that names a deleted integration cannot be saved again.
        ...ids.filter((other) => existing.has(other) && other !== id),
        id,
      ]);
    }
  } catch (error) {
    await unregister(context, registration);
    throw new NodeApiError(context.getNode(), error as JsonObject);
  }
  return registration;
}

/** Undoes `register`, as far as it is still there. */
export async function unregister(
  context: IHookFunctions,
  { webhookId, workflowIds = [] }: Registration,
): Promise<void> {
  if (webhookId === undefined) return;
  for (const workflowId of workflowIds) {
    await ignoringMissing(context, () =>
      changeWebhooks(context, workflowId, (ids) => ids.filter((id) => id !== webhookId)),
    );
  }
  await ignoringMissing(context, () =>
    callkiteRequest(context, { method: 'DELETE', path: `/webhooks/${encodeURIComponent(webhookId)}` }),
  );
}

async function changeWebhooks(
  context: IHookFunctions,
  workflowId: string,
  change: (ids: string[]) => string[],
): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    const { version, definition } = await getWorkflow(context, workflowId);
    const before = definition.metadata?.webhooks ?? [];
    const webhooks = change(before);
    if (webhooks.join() === before.join()) return;
    try {
      await callkiteRequest(context, {
        method: 'PATCH',
        path: `/workflows/${encodeURIComponent(workflowId)}`,
        body: {
          definition: { ...definition, metadata: { ...definition.metadata, webhooks } },
          expected_version: version,
        },
      });
      return;
    } catch (error) {
      // Somebody else saved the workflow in between.
      if (httpCodeOf(error) === '409' && tries < mostTries) continue;
      throw new NodeApiError(context.getNode(), error as JsonObject);
    }
  }
}

const getWorkflow = (context: IHookFunctions, workflowId: string) =>
  callkiteRequest<WorkflowResource>(context, {
    method: 'GET',
    path: `/workflows/${encodeURIComponent(workflowId)}`,
  });

async function ignoringMissing(context: IHookFunctions, action: () => Promise<unknown>): Promise<void> {
  try {
    await action();
  } catch (error) {
    if (httpCodeOf(error) !== '404') throw new NodeApiError(context.getNode(), error as JsonObject);
  }
}

const httpCodeOf = (error: unknown) => (error instanceof NodeApiError ? error.httpCode : null);
