import type {
  IDataObject,
  ILoadOptionsFunctions,
  INodeListSearchResult,
  INodePropertyOptions,
} from 'n8n-workflow';
import { type CallkiteContext, callkiteRequest } from '../shared/api';

export interface WorkflowSummary extends IDataObject {
  id: string;
  name: string;
}

/** Every workflow of the organization. */
export async function listWorkflows(context: CallkiteContext): Promise<WorkflowSummary[]> {
  const { workflows } = await callkiteRequest<{ workflows: WorkflowSummary[] }>(context, {
    method: 'GET',
    path: '/workflows',
  });
  return workflows;
}

/** The list behind a workflow's resource locator. */
export async function searchWorkflows(
  this: ILoadOptionsFunctions,
  filter = '',
): Promise<INodeListSearchResult> {
  const wanted = filter.toLowerCase();
  const found = (await listWorkflows(this)).filter(
    ({ id, name }) => id === filter || name.toLowerCase().includes(wanted),
  );
  return { results: found.map(({ id, name }) => ({ name, value: id })) };
}

/** The choices of a field that takes several workflows. */
export async function getWorkflows(this: ILoadOptionsFunctions): Promise<INodePropertyOptions[]> {
  return (await listWorkflows(this)).map(({ id, name }) => ({ name, value: id }));
}
