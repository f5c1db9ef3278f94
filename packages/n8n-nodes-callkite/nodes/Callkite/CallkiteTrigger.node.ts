import type {
  IDataObject,
  IHookFunctions,
  INodeType,
  INodeTypeDescription,
  IWebhookFunctions,
  IWebhookResponseData,
} from 'n8n-workflow';
import { jsonParse, NodeConnectionTypes, NodeOperationError } from 'n8n-workflow';
import { getWorkflows } from './methods/workflows';
import { isRepeated, type StartedCalls } from './shared/started-calls';
import { isRegistered, type Registration, register, unregister } from './shared/webhook-registration';
import { isSigned } from './shared/webhook-signature';

/** How the ids of samples begin, which Callkite sends on request. */
const samplePrefix = 'test_';

type TriggerMemory = IDataObject & Registration & StartedCalls;

export class CallkiteTrigger implements INodeType {
  description: INodeTypeDescription = {
    displayName: 'Callkite Trigger',
    name: 'callkiteTrigger',
    icon: { light: 'file:../../icons/callkite.svg', dark: 'file:../../icons/callkite.dark.svg' },
    group: ['trigger'],
    version: 1,
    subtitle: 'Call completed',
    description: 'Starts the workflow when a call of a Callkite workflow is completed',
    defaults: { name: 'Callkite Trigger' },
    inputs: [],
    outputs: [NodeConnectionTypes.Main],
    credentials: [{ name: 'callkiteApi', required: true }],
    webhooks: [
      {
        name: 'default',
        httpMethod: 'POST',
        path: 'webhook',
        responseMode: 'onReceived',
        responseData: '',
      },
    ],
    properties: [
      {
        displayName: 'Registration',
        name: 'registration',
        type: 'options',
        default: 'automatic',
        noDataExpression: true,
        description: 'How Callkite learns the address of this trigger',
        options: [
          {
            name: 'Automatic',
            value: 'automatic',
            description: 'Created when the workflow is activated, removed when it is deactivated',
          },
          {
            name: 'Manual',
            value: 'manual',
            description: 'You create the webhook integration in Callkite and paste its secret here',
          },
        ],
      },
      {
        displayName:
          'Callkite must reach n8n: set WEBHOOK_URL of n8n to its public https address. Calls from a prompt do not come here.',
        name: 'automaticNotice',
        type: 'notice',
        default: '',
        displayOptions: { show: { registration: ['automatic'] } },
      },
      {
        displayName:
          '1. Copy the Production URL above.<br>2. Create a webhook integration with it in Callkite (POST /webhooks).<br>3. Put the ID of the integration into definition.metadata.webhooks of the workflows that shall report here.<br>4. Paste its secret below, which Callkite shows once.',
        name: 'manualNotice',
        type: 'notice',
        default: '',
        displayOptions: { show: { registration: ['manual'] } },
      },
      {
        displayName: 'Signing Secret',
        name: 'signingSecret',
        type: 'string',
        typeOptions: { password: true },
        default: '',
        required: true,
        placeholder: 'e.g. whsec_…',
        description: 'Secret of the webhook integration. What is not signed with it is refused.',
        displayOptions: { show: { registration: ['manual'] } },
      },
      {
        displayName: 'Workflow Names or IDs',
        name: 'workflowIds',
        type: 'multiOptions',
        typeOptions: { loadOptionsMethod: 'getWorkflows' },
        default: [],
        description:
          'Workflows whose calls start this one. Automatic registration needs at least one; with a pasted secret, none means all. Choose from the list, or specify IDs using an <a href="https://docs.n8n.io/code/expressions/">expression</a>.',
      },
      {
        displayName: 'Call Statuses',
        name: 'callStatuses',
        type: 'multiOptions',
        default: [],
        description: 'How the call ended. None means all.',
        options: [
          { name: 'Not Picked Up', value: 'not_picked_up' },
          { name: 'Success', value: 'success' },
          { name: 'Voicemail', value: 'voicemail' },
        ],
      },
    ],
  };

  methods = { loadOptions: { getWorkflows } };

  webhookMethods = {
    default: {
      async checkExists(this: IHookFunctions): Promise<boolean> {
        if (this.getNodeParameter('registration') === 'manual') return true;
        const url = this.getNodeWebhookUrl('default') ?? '';
        return await isRegistered(this, memoryOf(this), url, wantedWorkflows(this));
      },
      async create(this: IHookFunctions): Promise<boolean> {
        const workflowIds = wantedWorkflows(this);
        if (workflowIds.length === 0) {
          throw new NodeOperationError(this.getNode(), 'No Callkite workflow is chosen', {
            description:
              'Choose the workflows whose calls start this one, or set Registration to Manual and follow its steps.',
          });
        }
        const url = this.getNodeWebhookUrl('default') ?? '';
        Object.assign(memoryOf(this), await register(this, url, workflowIds));
        return true;
      },
      async delete(this: IHookFunctions): Promise<boolean> {
        const memory = memoryOf(this);
        await unregister(this, memory);
        delete memory.webhookId;
        delete memory.secret;
        delete memory.workflowIds;
        return true;
      },
    },
  };

  async webhook(this: IWebhookFunctions): Promise<IWebhookResponseData> {
    const memory = memoryOf(this);
    const secret =
      this.getNodeParameter('registration') === 'manual'
        ? String(this.getNodeParameter('signingSecret'))
        : (memory.secret ?? '');
    const { rawBody } = this.getRequestObject() as { rawBody?: Buffer };
    if (secret === '' || !rawBody || !isSigned(secret, this.getHeaderData(), rawBody)) {
      this.getResponseObject()
        .status(401)
        .json({ error: 'The signature is missing, too old, or by another secret' });
      return { noWebhookResponse: true };
    }

    const payload = this.getBodyData();
    const callId = String(payload.call_id);
    const statuses = this.getNodeParameter('callStatuses', []) as string[];
    if (statuses.length > 0 && !statuses.includes(String(payload.call_status))) return ignored('status');
    const workflowIds = wantedWorkflows(this);
    const isSample = callId.startsWith(samplePrefix);
    if (!isSample && workflowIds.length > 0 && !workflowIds.includes(String(payload.workflow_id))) {
      return ignored('workflow');
    }
    if (isRepeated(this, memory, callId)) return ignored('repeated');

    // Answered here, not by n8n: the n8n of 2.38 and later saves static data only when the answer precedes the start.
    this.getResponseObject().status(200).json({ message: 'Workflow was started' });
    return {
      noWebhookResponse: true,
      workflowData: [this.helpers.returnJsonArray([readable(payload)])],
    };
  }
}

const memoryOf = (context: IHookFunctions | IWebhookFunctions) =>
  context.getWorkflowStaticData('node') as TriggerMemory;

function wantedWorkflows(context: IHookFunctions | IWebhookFunctions): string[] {
  const given = context.getNodeParameter('workflowIds', []) as string | string[];
  return (Array.isArray(given) ? given : given.split(',')).map((id) => id.trim()).filter((id) => id !== '');
}

/** Answered with 200, so that Callkite does not send it again, and nothing is started. */
const ignored = (reason: string): IWebhookResponseData => ({ webhookResponse: { ignored: reason } });

/** The payload with `context` as an object and `created_at` with its zone, which Callkite leaves out: it is UTC. */
function readable(payload: IDataObject): IDataObject {
  const { context, created_at: createdAt } = payload;
  return {
    ...payload,
    ...(typeof context === 'string' && { context: jsonParse(context, { fallbackValue: context }) }),
    ...(typeof createdAt === 'string' && {
      created_at: /Z|[+-]\d\d:\d\d$/.test(createdAt) ? createdAt : `${createdAt}Z`,
    }),
  };
}
