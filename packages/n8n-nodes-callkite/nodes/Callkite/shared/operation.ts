import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';
import { NodeOperationError } from 'n8n-workflow';

/** What an operation does with one item. */
export type Operation = (
  context: IExecuteFunctions,
  itemIndex: number,
) => Promise<IDataObject | IDataObject[]>;

/** Whether an agent uses the node. Its newer versions run tools as nodes, where n8n only tells by the type. */
export const isTool = (context: IExecuteFunctions): boolean =>
  context.isToolExecution() || context.getNode().type.endsWith('Tool');

export function limitOf(context: IExecuteFunctions, itemIndex: number): number {
  const returnAll = context.getNodeParameter('returnAll', itemIndex) as boolean;
  return returnAll ? Number.POSITIVE_INFINITY : Number(context.getNodeParameter('limit', itemIndex));
}

/** A field that must not be empty, also when an expression filled it in. */
export function requiredText(
  context: IExecuteFunctions,
  itemIndex: number,
  name: string,
  displayName: string,
): string {
  const value = context.getNodeParameter(name, itemIndex, '', { extractValue: true });
  const text = textOf(value)?.trim() ?? '';
  if (text !== '') return text;
  throw new NodeOperationError(context.getNode(), `${displayName} is empty`, {
    itemIndex,
    description: 'When it is an expression, check that the item has the field that it reads.',
  });
}

/** What the API takes as text: numbers of a sheet and objects of an expression become text, emptiness is left out. */
export function textOf(value: unknown): string | undefined {
  if (value === undefined || value === null || value === '') return undefined;
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}
