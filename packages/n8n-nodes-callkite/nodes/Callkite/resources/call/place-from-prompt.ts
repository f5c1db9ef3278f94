import type { IDataObject, INodeProperties } from 'n8n-workflow';
import { NodeOperationError } from 'n8n-workflow';
import { idempotencyKeyField, recipientPhoneField, showFor } from '../../shared/fields';
import { type Operation, requiredText, textOf } from '../../shared/operation';
import { placeOnce } from '../../shared/place-once';
import { resumeAddress, waitForResult } from '../../shared/wait-for-result';

const displayOptions = showFor('call', 'placeFromPrompt');
const outsideTools = { ...displayOptions, hide: { '@tool': [true] } };

export const placeFromPromptFields: INodeProperties[] = [
  recipientPhoneField(displayOptions),
  {
    displayName: 'Prompt',
    name: 'prompt',
    type: 'string',
    typeOptions: { rows: 4 },
    default: '',
    required: true,
    placeholder: 'e.g. Ask the bakery whether the cake for Sunday can be picked up at nine',
    description: 'The task in words: who, what, when, where, specifics',
    displayOptions,
  },
  {
    displayName: 'Wait for Result',
    name: 'waitForResult',
    type: 'boolean',
    default: false,
    description:
      'Whether to pause the execution until the call is over, and return its result. Takes one item per run; n8n must be reachable by Callkite (WEBHOOK_URL).',
    displayOptions: outsideTools,
  },
  {
    displayName: 'Wait Limit (Minutes)',
    name: 'waitLimitMinutes',
    type: 'number',
    typeOptions: { minValue: 1, maxValue: 10080 },
    default: 60,
    description:
      'Without a result by then, the execution goes on with the input item, call_id, and result_received false',
    displayOptions: { ...outsideTools, show: { ...outsideTools.show, waitForResult: [true] } },
  },
  {
    displayName: 'Additional Fields',
    name: 'additionalFields',
    type: 'collection',
    placeholder: 'Add Field',
    default: {},
    displayOptions,
    options: [
      {
        displayName: 'Callback Secret',
        name: 'callback_secret',
        type: 'string',
        typeOptions: { password: true },
        default: '',
        description: 'Sent to the Callback URL as Authorization: Bearer …',
      },
      {
        displayName: 'Callback URL',
        name: 'callback_url',
        type: 'string',
        default: '',
        placeholder: 'e.g. https://example.com/call-results',
        description:
          'Public HTTPS address that receives the result, once. Not together with Wait for Result, which uses an address of its own.',
      },
      idempotencyKeyField,
    ],
  },
];

export const placeFromPrompt: Operation = async (context, itemIndex) => {
  const additional = context.getNodeParameter('additionalFields', itemIndex);
  const request: IDataObject = {
    prompt: requiredText(context, itemIndex, 'prompt', 'Prompt'),
    recipient_phone: requiredText(context, itemIndex, 'recipientPhone', 'Recipient Phone'),
    idempotency_key: textOf(additional.idempotency_key),
  };
  const own = {
    callback_url: textOf(additional.callback_url),
    callback_secret: textOf(additional.callback_secret),
  };
  const place = (callback: IDataObject) =>
    placeOnce<{ call_id: string; workflow_id: string }>(context, itemIndex, '/call-prompt', {
      ...request,
      ...callback,
    });

  if (context.getNodeParameter('waitForResult', itemIndex, false) !== true) return place(own);
  if (own.callback_url !== undefined) {
    throw new NodeOperationError(context.getNode(), 'Callback URL cannot be combined with Wait for Result', {
      itemIndex,
      description: 'Remove Callback URL, or turn off Wait for Result: a call has one callback.',
    });
  }
  const { waitTill, ...callback } = await resumeAddress(context, itemIndex);
  const call = await place(callback);
  await waitForResult(context, itemIndex, call, waitTill);
  return call;
};
