import type { IDataObject, INodeProperties } from 'n8n-workflow';
import { NodeOperationError, tryToParseDateTime } from 'n8n-workflow';
import { callkiteList } from '../../shared/api';
import { listLimit, showFor } from '../../shared/fields';
import { limitOf, type Operation, textOf } from '../../shared/operation';

const displayOptions = showFor('call', 'getMany');

export const getManyCallsFields: INodeProperties[] = [
  ...listLimit(displayOptions),
  {
    displayName: 'Filters',
    name: 'filters',
    type: 'collection',
    placeholder: 'Add Filter',
    default: {},
    displayOptions,
    options: [
      {
        displayName: 'Call Status',
        name: 'call_status',
        type: 'options',
        default: 'success',
        description: 'How the call ended',
        options: [
          { name: 'Not Picked Up', value: 'not_picked_up' },
          { name: 'Success', value: 'success' },
          { name: 'Voicemail', value: 'voicemail' },
        ],
      },
      {
        displayName: 'Created After',
        name: 'created_after',
        type: 'dateTime',
        default: '',
        description: 'Without a time zone, it is in the time zone of the workflow',
      },
      {
        displayName: 'Created Before',
        name: 'created_before',
        type: 'dateTime',
        default: '',
        description: 'Without a time zone, it is in the time zone of the workflow',
      },
      {
        displayName: 'Recipient Phone',
        name: 'to',
        type: 'string',
        default: '',
        placeholder: 'e.g. +12025550100',
        description: 'Phone number that was called, with + and country code (E.164)',
      },
      {
        displayName: 'State',
        name: 'state',
        type: 'options',
        default: 'completed',
        description: 'Where the call stands',
        options: [
          { name: 'Completed', value: 'completed' },
          { name: 'Dialing', value: 'dialing' },
          { name: 'In Progress', value: 'in_progress' },
          { name: 'Queued', value: 'queued' },
          { name: 'Ringing', value: 'ringing' },
          { name: 'Unknown', value: 'unknown' },
        ],
      },
      {
        displayName: 'Workflow ID',
        name: 'workflow_id',
        type: 'string',
        default: '',
        placeholder: 'e.g. wf_01k9zq4v8mfb2',
        description: 'Workflow that the call ran',
      },
    ],
  },
];

export const getManyCalls: Operation = (context, itemIndex) => {
  const filters = context.getNodeParameter('filters', itemIndex);
  const instantOf = (name: string): string | undefined => {
    const value = filters[name];
    if (value === undefined || value === null || value === '') return undefined;
    try {
      return tryToParseDateTime(value, context.getTimezone()).toUTC().toISO() ?? undefined;
    } catch {
      throw new NodeOperationError(context.getNode(), `${String(value)} is not a date and time`, {
        itemIndex,
        description: 'Give Created After and Created Before as ISO 8601, such as 2026-11-21T09:00:00.',
      });
    }
  };
  const query: Record<string, string | undefined> = {
    state: textOf(filters.state),
    call_status: textOf(filters.call_status),
    workflow_id: textOf(filters.workflow_id),
    to: textOf(filters.to),
    created_after: instantOf('created_after'),
    created_before: instantOf('created_before'),
  };
  const given = Object.entries(query).filter(([, value]) => value !== undefined);
  return callkiteList<IDataObject>(context, '/calls', 'calls', {
    query: Object.fromEntries(given),
    limit: limitOf(context, itemIndex),
  });
};
