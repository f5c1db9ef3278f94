import { createHash } from 'node:crypto';
import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';
import { callkiteRequest } from './api';
import { isTool } from './operation';

/**
 * Places a call, once for this item in this run of the node.
 *
 * Retry On Fail runs the whole node again, with the items that went well too. Two things keep those from ringing again:
 * the idempotency key, which the server honours for five minutes, also when its answer was lost; and the answers kept
 * in n8n's context of the node, for tries that take longer than that.
 *
 * An agent's tool is told apart by what it asks for instead: n8n counts a try of a tool as a new run, and may count
 * calls to several people as the same one.
 */
export async function placeOnce<Answer extends IDataObject>(
  context: IExecuteFunctions,
  itemIndex: number,
  path: string,
  request: IDataObject,
): Promise<Answer> {
  // Two n8n servers may share an organization, and copies of a workflow have the same node ids.
  const execution = [context.getInstanceId().slice(0, 16), context.getExecutionId(), context.getNode().id];
  const place = (defaultKey: string) =>
    callkiteRequest<Answer>(context, {
      method: 'POST',
      path,
      body: { ...request, idempotency_key: request.idempotency_key ?? defaultKey },
    });
  if (isTool(context)) return place([...execution, digest(request)].join('-'));

  const runIndex = Number(context.evaluateExpression('{{ $runIndex }}', itemIndex));
  const memory = context.getContext('node') as {
    placed?: { runIndex: number; answers: Record<string, Answer> };
  };
  if (memory.placed?.runIndex !== runIndex) memory.placed = { runIndex, answers: {} };
  const { answers } = memory.placed;
  answers[itemIndex] ??= await place([...execution, runIndex, itemIndex].join('-'));
  return answers[itemIndex];
}

function digest(request: IDataObject): string {
  return createHash('sha256').update(JSON.stringify(request)).digest('hex').slice(0, 16);
}
