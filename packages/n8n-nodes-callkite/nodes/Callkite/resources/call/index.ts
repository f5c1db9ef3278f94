import type { INodeProperties } from 'n8n-workflow';
import { callIdField, showFor } from '../../shared/fields';
import type { Operation } from '../../shared/operation';
import { getManyCalls, getManyCallsFields } from './get-many';
import { cancelCall, getCall } from './get-or-cancel';
import { place, placeFields } from './place';
import { placeFromPrompt, placeFromPromptFields } from './place-from-prompt';

export const callOperations: Record<string, Operation> = {
  cancel: cancelCall,
  get: getCall,
  getMany: getManyCalls,
  place,
  placeFromPrompt,
};

export const callProperties: INodeProperties[] = [
  {
    displayName: 'Operation',
    name: 'operation',
    type: 'options',
    noDataExpression: true,
    default: 'place',
    displayOptions: { show: { resource: ['call'] } },
    options: [
      {
        name: 'Cancel',
        value: 'cancel',
        action: 'Cancel call',
        description: 'Cancel a call that waits, or end one that is under way',
      },
      {
        name: 'Get',
        value: 'get',
        action: 'Get call',
        description: 'Retrieve a call with its result and what was said',
      },
      {
        name: 'Get Many',
        value: 'getMany',
        action: 'Get many calls',
        description: 'Retrieve a list of calls, newest first',
      },
      {
        name: 'Place',
        value: 'place',
        action: 'Place call',
        description: 'Call a person and run a workflow',
      },
      {
        name: 'Place From Prompt',
        value: 'placeFromPrompt',
        action: 'Place call from prompt',
        description: 'Call a person with a task described in words, and optionally wait for the result',
      },
    ],
  },
  ...placeFields,
  ...placeFromPromptFields,
  callIdField(showFor('call', 'get', 'cancel')),
  ...getManyCallsFields,
];
