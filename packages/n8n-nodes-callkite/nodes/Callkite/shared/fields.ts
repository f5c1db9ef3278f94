import type { IDisplayOptions, INodeProperties } from 'n8n-workflow';

/** Shows fields for these operations of a resource only. */
export const showFor = (resource: string, ...operations: string[]): IDisplayOptions => ({
  show: { resource: [resource], operation: operations },
});

/** A workflow, from a searchable list or by its ID. */
export const workflowLocator = (displayOptions: IDisplayOptions, description: string): INodeProperties => ({
  displayName: 'Workflow',
  name: 'workflowId',
  type: 'resourceLocator',
  default: { mode: 'list', value: '' },
  required: true,
  description,
  displayOptions,
  modes: [
    {
      displayName: 'From List',
      name: 'list',
      type: 'list',
      placeholder: 'Select a workflow...',
      typeOptions: { searchListMethod: 'searchWorkflows', searchable: true },
    },
    {
      displayName: 'By ID',
      name: 'id',
      type: 'string',
      placeholder: 'e.g. wf_01k9zq4v8mfb2',
    },
  ],
});

export const recipientPhoneField = (displayOptions: IDisplayOptions): INodeProperties => ({
  displayName: 'Recipient Phone',
  name: 'recipientPhone',
  type: 'string',
  default: '',
  required: true,
  placeholder: 'e.g. +12025550100',
  description: 'Phone number to call, with + and country code (E.164)',
  displayOptions,
});

export const idempotencyKeyField: INodeProperties = {
  displayName: 'Idempotency Key',
  name: 'idempotency_key',
  type: 'string',
  default: '',
  placeholder: 'e.g. {{ $json.appointment_id }}',
  description:
    'Requests with the same key within 5 minutes place one call. By default there is one key per execution, node, run and item, so that Retry On Fail never rings twice.',
};

export const callIdField = (displayOptions: IDisplayOptions): INodeProperties => ({
  displayName: 'Call ID',
  name: 'callId',
  type: 'string',
  default: '',
  required: true,
  placeholder: 'e.g. call_01k9zq4v8mfb2',
  description: 'ID of the call, from Place From Prompt, Get Many or the Callkite Trigger',
  displayOptions,
});

/** Return All and Limit of an operation that lists. */
export const listLimit = (displayOptions: IDisplayOptions): INodeProperties[] => [
  {
    displayName: 'Return All',
    name: 'returnAll',
    type: 'boolean',
    default: false,
    description: 'Whether to return all results or only up to a given limit',
    displayOptions,
  },
  {
    displayName: 'Limit',
    name: 'limit',
    type: 'number',
    typeOptions: { minValue: 1 },
    default: 50,
    description: 'Max number of results to return',
    displayOptions: { ...displayOptions, show: { ...displayOptions.show, returnAll: [false] } },
  },
];
