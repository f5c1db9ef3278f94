import type { IN8nHttpFullResponse, INode, JsonObject } from 'n8n-workflow';
import { NodeApiError, NodeOperationError } from 'n8n-workflow';

/** What the user does next, by the server's `Callkite-Error-Code`. */
const nextSteps: Record<string, string> = {
  validation_failed: 'Correct these fields and run the workflow again.',
  invalid_phone_number: 'Give the number with + and country code, without blanks, such as +12025550100.',
  destination_not_allowed: 'Choose another number, or have the country allowed in Callkite.',
  number_opted_out: 'This person asked not to be called again. Take the number off your list.',
  unauthenticated: 'Check API Key and Base URL of the Callkite API credential.',
  forbidden: 'Choose a workflow of the organization that the API key belongs to.',
  not_found:
    'Check the ID. A ck_test_ key does not see live calls, and a ck_live_ key does not see calls made for testing.',
  conflict: 'Get it again to see where it stands: it changed or ended in the meantime.',
  rate_limited: 'Send fewer items at once, for instance with Loop Over Items and Wait.',
  spending_limit: 'Run the workflow again tomorrow (UTC), or have the limit raised in Callkite.',
  no_usable_number: 'Connect a phone number to the organization in Callkite.',
};
const laterStep =
  'Nothing was placed. Run the workflow again later, or turn on Retry On Fail: it never rings twice.';

/** The server's refusal, in its own words, with what it says about each field and what to do next. */
export function refusal(node: INode, { statusCode, headers, body }: IN8nHttpFullResponse): NodeApiError {
  const answer: JsonObject =
    typeof body === 'object' && body !== null && !Array.isArray(body) ? (body as unknown as JsonObject) : {};
  const httpCode = String(statusCode);
  if (typeof answer.error !== 'string') {
    return new NodeApiError(
      node,
      { httpCode },
      {
        httpCode,
        message: `Base URL leads to something that is not a Callkite server (status ${statusCode})`,
        description: 'Check Base URL of the Callkite API credential.',
      },
    );
  }
  const code = String(headers['callkite-error-code'] ?? '');
  const requestId = headers['request-id'];
  const description = [
    ...detailsOf(answer.details),
    nextSteps[code] ?? (statusCode === 503 ? laterStep : undefined),
    statusCode >= 500 && requestId ? `Request-Id: ${String(requestId)}` : undefined,
  ].filter((line) => line !== undefined);
  return new NodeApiError(
    node,
    { ...answer, httpCode },
    {
      httpCode,
      message: answer.error,
      description: description.join('<br>'),
    },
  );
}

/** `details` is messages by field, or a list of findings with their path. */
function detailsOf(details: unknown): string[] {
  if (typeof details !== 'object' || details === null) return [];
  return Object.entries(details).flatMap(([field, messages]: [string, unknown]) =>
    (Array.isArray(messages) ? messages : [messages]).map((message: unknown) => {
      if (typeof message !== 'object' || message === null) return `${field}: ${String(message)}`;
      const { path = field, message: text } = message as { path?: string; message?: string };
      return `${path}: ${text}`;
    }),
  );
}

/** The same failure, as n8n shows it beside the item that it belongs to. */
export function withItemIndex(
  node: INode,
  error: unknown,
  itemIndex: number,
): NodeApiError | NodeOperationError {
  const failure =
    error instanceof NodeApiError || error instanceof NodeOperationError
      ? error
      : new NodeOperationError(node, error instanceof Error ? error : String(error));
  failure.context.itemIndex = itemIndex;
  return failure;
}

/** What went wrong and what to do about it, as the text of an item. */
export const inOneLine = ({ message, description }: NodeApiError | NodeOperationError): string =>
  [message, ...(description ?? '').split('<br>')].filter((line) => line !== '').join(' | ');
