import {
  createWorkflowRequest,
  updateWorkflowRequest,
  type WorkflowResource,
  type WrittenWorkflow,
  workflowListQuery,
  workflowResource,
  workflowSummaries,
  workflowVersionQuery,
  writtenWorkflow,
} from '@callkite/contract';
import { routesOf } from '../../kernel/route.ts';
import { workflowWarnings } from './linter.ts';
import type { WorkflowRecord } from './workflow-store.ts';
import type { Workflows } from './workflows.ts';

const { route } = routesOf<{ workflows: Workflows }>();

export const workflowRoutes = [
  route(
    {
      method: 'GET',
      path: '/workflows',
      auth: 'key',
      tag: 'Workflows',
      operationId: 'listWorkflows',
      summary: 'Every workflow of the organization, or those of one source',
      query: workflowListQuery,
      status: 200,
      answer: workflowSummaries,
    },
    async ({ workflows }, { caller, query }) => ({
      workflows: (await workflows.summaries(caller, query.source ? { source: query.source } : {})).map(
        ({ id, name }) => ({ id, name }),
      ),
    }),
  ),
  route(
    {
      method: 'POST',
      path: '/workflows',
      auth: 'key',
      tag: 'Workflows',
      operationId: 'createWorkflow',
      summary: 'Create a workflow',
      body: createWorkflowRequest,
      status: 201,
      answer: writtenWorkflow,
    },
    async ({ workflows }, { caller, body }) => toWritten(await workflows.create(caller, body)),
  ),
  route(
    {
      method: 'GET',
      path: '/workflows/{id}',
      auth: 'key',
      tag: 'Workflows',
      operationId: 'getWorkflow',
      summary: 'A workflow, as it is or as it was',
      query: workflowVersionQuery,
      status: 200,
      answer: workflowResource,
      refusals: ['forbidden', 'not_found'],
    },
    async ({ workflows }, { caller, parameters, query }) =>
      toResource(await workflows.get(caller, parameters.id, query.version)),
  ),
  route(
    {
      method: 'PATCH',
      path: '/workflows/{id}',
      auth: 'key',
      tag: 'Workflows',
      operationId: 'updateWorkflow',
      summary: 'Change a workflow',
      description:
        'Stores a new version; calls already accepted keep theirs. The definition is replaced as a whole.',
      body: updateWorkflowRequest,
      status: 200,
      answer: writtenWorkflow,
      refusals: ['forbidden', 'not_found', 'conflict'],
    },
    async ({ workflows }, { caller, parameters, body }) =>
      toWritten(
        await workflows.update(caller, parameters.id, {
          ...(body.name !== undefined && { name: body.name }),
          ...(body.definition && { definition: body.definition }),
          ...(body.expected_version !== undefined && { expectedVersion: body.expected_version }),
        }),
      ),
  ),
  route(
    {
      method: 'DELETE',
      path: '/workflows/{id}',
      auth: 'key',
      tag: 'Workflows',
      operationId: 'deleteWorkflow',
      summary: 'Delete a workflow',
      status: 204,
      refusals: ['forbidden', 'not_found'],
    },
    ({ workflows }, { caller, parameters }) => workflows.delete(caller, parameters.id),
  ),
];

function toResource(workflow: WorkflowRecord): WorkflowResource {
  return {
    id: workflow.id,
    name: workflow.name,
    source: workflow.source,
    version: workflow.version,
    definition: workflow.definition,
    created_at: workflow.createdAt.toISOString(),
    updated_at: workflow.updatedAt.toISOString(),
  };
}

const toWritten = (workflow: WorkflowRecord): WrittenWorkflow => ({
  ...toResource(workflow),
  warnings: workflowWarnings(workflow.definition),
});
