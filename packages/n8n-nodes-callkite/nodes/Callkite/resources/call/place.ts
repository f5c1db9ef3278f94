import type { INodeProperties } from 'n8n-workflow';
import { idempotencyKeyField, recipientPhoneField, showFor, workflowLocator } from '../../shared/fields';
import { type Operation, requiredText, textOf } from '../../shared/operation';
import { placeOnce } from '../../shared/place-once';

const displayOptions = showFor('call', 'place');

export const placeFields: INodeProperties[] = [
  workflowLocator(displayOptions, 'What the agent does on the call'),
  recipientPhoneField(displayOptions),
  {
    displayName: 'Additional Fields',
    name: 'additionalFields',
    type: 'collection',
    placeholder: 'Add Field',
    default: {},
    displayOptions,
    options: [
      idempotencyKeyField,
      {
        displayName: 'Recipient Context',
        name: 'recipient_context',
        type: 'string',
        typeOptions: { rows: 3 },
        default: '',
        placeholder: 'e.g. Appointment on Tuesday at 3 pm with Dr. Rivera',
        description: 'What else the agent should know on this call. An object is sent as JSON.',
      },
      {
        displayName: 'Recipient Email',
        name: 'recipient_email',
        type: 'string',
        default: '',
        placeholder: 'e.g. jordan@example.com',
        description: 'Recommended for calls that book a meeting',
      },
      {
        displayName: 'Recipient Name',
        name: 'recipient_name',
        type: 'string',
        default: '',
        placeholder: 'e.g. Jordan Avery',
        description: 'Name of the person to ask for',
      },
    ],
  },
];

export const place: Operation = (context, itemIndex) => {
  const additional = context.getNodeParameter('additionalFields', itemIndex);
  return placeOnce(context, itemIndex, '/call', {
    workflow_id: requiredText(context, itemIndex, 'workflowId', 'Workflow'),
    recipient_phone: requiredText(context, itemIndex, 'recipientPhone', 'Recipient Phone'),
    recipient_name: textOf(additional.recipient_name),
    recipient_email: textOf(additional.recipient_email),
    recipient_context: textOf(additional.recipient_context),
    idempotency_key: textOf(additional.idempotency_key),
  });
};
