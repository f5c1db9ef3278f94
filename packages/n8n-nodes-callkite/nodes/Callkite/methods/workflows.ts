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

/** Every workflow of the organization, or those of one source: `api` leaves out what was made for a single prompt. */
export async function listWorkflows(
  context: CallkiteContext,
  query: { source?: 'api' } = {},
): Promise<WorkflowSummary[]> {
  const { workflows } = await callkiteRequest<{ workflows: WorkflowSummary[] }>(context, {
    method: 'GET',
    path: '/workflows',
    query,
  });
  return workflows;
}

/** The list behind a workflow's resource locator: those that somebody made to be chosen. */
export async function searchWorkflows(
  this: ILoadOptionsFunctions,
  filter = '',
): Promise<INodeListSearchResult> {
  const wanted = filter.toLowerCase();
  const found = (await listWorkflows(this, { source: 'api' })).filter(
    ({ id, name }) => id === filter || name.toLowerCase().includes(wanted),
  );
  return { results: found.map(({ id, name }) => ({ name, value: id })) };
}

/** The choices of a field that takes several workflows. */
export async function getWorkflows(this: ILoadOptionsFunctions): Promise<INodePropertyOptions[]> {
  return (await listWorkflows(this, { source: 'api' })).map(({ id, name }) => ({ name, value: id }));
}
