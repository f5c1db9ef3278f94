import type {
  IExecuteFunctions,
  INodeExecutionData,
  INodeType,
  INodeTypeDescription,
  IWebhookFunctions,
  IWebhookResponseData,
} from 'n8n-workflow';
import { NodeConnectionTypes, NodeOperationError } from 'n8n-workflow';
import { searchWorkflows } from './methods/workflows';
import { callOperations, callProperties } from './resources/call';
import { workflowOperations, workflowProperties } from './resources/workflow';
import { inOneLine, withItemIndex } from './shared/errors';
import type { Operation } from './shared/operation';
import { receiveResult } from './shared/wait-for-result';

const operations: Record<string, Record<string, Operation>> = {
  call: callOperations,
  workflow: workflowOperations,
};

export class Callkite implements INodeType {
  description: INodeTypeDescription = {
    displayName: 'Callkite',
    name: 'callkite',
    icon: { light: 'file:../../icons/callkite.svg', dark: 'file:../../icons/callkite.dark.svg' },
    group: ['output'],
    version: 1,
    subtitle: '={{$parameter["operation"] + ": " + $parameter["resource"]}}',
    description: 'Have an AI voice agent call people',
    defaults: { name: 'Callkite' },
    usableAsTool: true,
    inputs: [NodeConnectionTypes.Main],
    outputs: [NodeConnectionTypes.Main],
    credentials: [{ name: 'callkiteApi', required: true }],
    // Where the result of a call resumes an execution that waits for it.
    webhooks: [
      {
        name: 'default',
        httpMethod: 'POST',
        path: '',
        isFullPath: true,
        restartWebhook: true,
        responseMode: 'onReceived',
        responseData: '',
      },
    ],
    properties: [
      {
        displayName: 'Resource',
        name: 'resource',
        type: 'options',
        noDataExpression: true,
        default: 'call',
        options: [
          { name: 'Call', value: 'call' },
          { name: 'Workflow', value: 'workflow' },
        ],
      },
      ...callProperties,
      ...workflowProperties,
    ],
  };

  methods = { listSearch: { searchWorkflows } };

  // The resume webhook belongs to an execution and to n8n: there is nothing to register at Callkite.
  webhookMethods = {
    default: {
      async checkExists(): Promise<boolean> {
        return true;
      },
      async create(): Promise<boolean> {
        return true;
      },
      async delete(): Promise<boolean> {
        return true;
      },
    },
  };

  async execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
    const resource = this.getNodeParameter('resource', 0);
    const operation = this.getNodeParameter('operation', 0);
    const perform = operations[resource]?.[operation];
    if (!perform) {
      throw new NodeOperationError(
        this.getNode(),
        `The operation "${operation}" of "${resource}" is not known`,
        {
          description: 'Choose Resource and Operation again.',
        },
      );
    }
    const output: INodeExecutionData[] = [];
    for (let itemIndex = 0; itemIndex < this.getInputData().length; itemIndex += 1) {
      try {
        const answer = await perform(this, itemIndex);
        const answers = Array.isArray(answer) ? answer : [answer];
        output.push(...answers.map((json) => ({ json, pairedItem: { item: itemIndex } })));
      } catch (error) {
        const failure = withItemIndex(this.getNode(), error, itemIndex);
        if (!this.continueOnFail()) throw failure;
        // One field and no other: by that, n8n finds the items for its error output.
        output.push({ json: { error: inOneLine(failure) }, pairedItem: { item: itemIndex } });
      }
    }
    return [output];
  }

  async webhook(this: IWebhookFunctions): Promise<IWebhookResponseData> {
    return await receiveResult(this);
  }
}
