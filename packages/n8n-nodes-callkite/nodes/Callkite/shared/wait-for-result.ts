import { createHmac, timingSafeEqual } from 'node:crypto';
import type { IExecuteFunctions, IWebhookFunctions, IWebhookResponseData } from 'n8n-workflow';
import { NodeOperationError } from 'n8n-workflow';
import { isTool } from './operation';

const minuteMs = 60_000;

/** The address and secret under which the result of a call resumes this execution. Throws where waiting cannot work. */
export async function resumeAddress(
  context: IExecuteFunctions,
  itemIndex: number,
): Promise<{ callback_url: string; callback_secret: string; waitTill: Date }> {
  const node = context.getNode();
  if (isTool(context)) {
    throw new NodeOperationError(node, 'An agent cannot wait for the result of a call', {
      itemIndex,
      description:
        'Turn off Wait for Result in this tool, and give the agent a second tool with the operation Get to ask for the result.',
    });
  }
  if (context.getInputData().length > 1) {
    throw new NodeOperationError(node, 'Wait for Result takes one item per run', {
      itemIndex,
      description:
        'Put this node into a Loop Over Items with batch size 1: it then calls and waits item by item.',
    });
  }
  const limitMinutes = Number(context.getNodeParameter('waitLimitMinutes', itemIndex));
  if (!(limitMinutes >= 1 && limitMinutes <= 10_080)) {
    throw new NodeOperationError(node, 'Wait Limit must be between 1 and 10080 minutes', {
      itemIndex,
      description: 'A result that never arrives would keep the execution waiting forever without a limit.',
    });
  }
  const { apiKey } = await context.getCredentials<{ apiKey: string }>('callkiteApi');
  return {
    callback_url: String(context.evaluateExpression('{{ $execution.resumeUrl }}', itemIndex)),
    callback_secret: resumeSecret(apiKey, context),
    waitTill: new Date(Date.now() + limitMinutes * minuteMs),
  };
}

/** Puts the execution to wait. When the limit passes, n8n continues with the item as it is left here. */
export async function waitForResult(
  context: IExecuteFunctions,
  itemIndex: number,
  call: { call_id: string },
  waitTill: Date,
): Promise<void> {
  context.getContext('node').callId = call.call_id;
  const item = context.getInputData()[itemIndex];
  if (item) item.json = { ...item.json, ...call, result_received: false };
  await context.putExecutionToWait(waitTill);
}

/** The callback of the call that the execution waits for, and of no other, resumes it. */
export async function receiveResult(context: IWebhookFunctions): Promise<IWebhookResponseData> {
  const { apiKey } = await context.getCredentials<{ apiKey: string }>('callkiteApi');
  const expected = Buffer.from(`Bearer ${resumeSecret(apiKey, context)}`);
  const given = Buffer.from(String(context.getHeaderData().authorization ?? ''));
  if (given.length !== expected.length || !timingSafeEqual(given, expected)) {
    return refuse(context, 401, 'The bearer token is not the one of this call');
  }
  const result = context.getBodyData();
  // In a loop, the same node waits for one call after the other, with the same secret.
  const callId = context.evaluateExpression(
    `{{ $node[${JSON.stringify(context.getNode().name)}].context.callId }}`,
    0,
  );
  if (result.call_id !== callId) return refuse(context, 409, 'The execution waits for another call');
  return { workflowData: [[{ json: { ...result, result_received: true }, pairedItem: { item: 0 } }]] };
}

/** Derived, so that nothing has to be stored: whoever knows the key may read the call anyway. */
function resumeSecret(
  apiKey: string,
  context: Pick<IExecuteFunctions, 'getExecutionId' | 'getNode'>,
): string {
  return createHmac('sha256', apiKey)
    .update(`${context.getExecutionId()}:${context.getNode().id}`)
    .digest('hex');
}

function refuse(context: IWebhookFunctions, status: number, error: string): IWebhookResponseData {
  context.getResponseObject().status(status).json({ error });
  return { noWebhookResponse: true };
}
