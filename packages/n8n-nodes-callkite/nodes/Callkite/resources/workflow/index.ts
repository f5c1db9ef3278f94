import type { INodeProperties } from 'n8n-workflow';
import { listWorkflows } from '../../methods/workflows';
import { callkiteRequest } from '../../shared/api';
import { listLimit, showFor, workflowLocator } from '../../shared/fields';
import { limitOf, type Operation, requiredText } from '../../shared/operation';

const getWorkflow: Operation = (context, itemIndex) => {
  const workflowId = requiredText(context, itemIndex, 'workflowId', 'Workflow');
  return callkiteRequest(context, { method: 'GET', path: `/workflows/${encodeURIComponent(workflowId)}` });
};

const getManyWorkflows: Operation = async (context, itemIndex) =>
  (await listWorkflows(context)).slice(0, limitOf(context, itemIndex));

export const workflowOperations: Record<string, Operation> = { get: getWorkflow, getMany: getManyWorkflows };

export const workflowProperties: INodeProperties[] = [
  {
    displayName: 'Operation',
    name: 'operation',
    type: 'options',
    noDataExpression: true,
    default: 'getMany',
    displayOptions: { show: { resource: ['workflow'] } },
    options: [
      {
        name: 'Get',
        value: 'get',
        action: 'Get workflow',
        description: 'Retrieve a workflow with its definition',
      },
      {
        name: 'Get Many',
        value: 'getMany',
        action: 'Get many workflows',
        description: 'Retrieve a list of workflows',
      },
    ],
  },
  workflowLocator(showFor('workflow', 'get'), 'The workflow to retrieve'),
  ...listLimit(showFor('workflow', 'getMany')),
];
