import type {
  IDataObject,
  IExecuteFunctions,
  IHookFunctions,
  IHttpRequestMethods,
  ILoadOptionsFunctions,
  IN8nHttpFullResponse,
} from 'n8n-workflow';
import { sleep } from 'n8n-workflow';
import { refusal } from './errors';

export type CallkiteContext = IExecuteFunctions | IHookFunctions | ILoadOptionsFunctions;

export interface CallkiteRequest {
  method: IHttpRequestMethods;
  path: string;
  query?: IDataObject;
  body?: IDataObject;
}

/** A longer wait than the server's window of one minute is not a rate limit but something to tell the user. */
const longestWaitSeconds = 65;
const mostWaits = 3;
const timeoutMs = 60_000;
const largestPage = 100;

/**
 * Sends a request with the key of the credential. After 429 it waits as long as `Retry-After` says, within the caps
 * above, and sends it again. Throws `NodeApiError`.
 */
export async function callkiteRequest<Answer extends object>(
  context: CallkiteContext,
  { method, path, query, body }: CallkiteRequest,
): Promise<Answer> {
  const { baseUrl } = await context.getCredentials<{ baseUrl: string }>('callkiteApi');
  for (let waits = 0; ; waits += 1) {
    const response: IN8nHttpFullResponse = await context.helpers.httpRequestWithAuthentication.call(
      context,
      'callkiteApi',
      {
        method,
        url: `${baseUrl.trim().replace(/\/+$/, '')}${path}`,
        ...(query && { qs: query }),
        ...(body && { body }),
        json: true,
        timeout: timeoutMs,
        returnFullResponse: true,
        // `true` and not an object: n8n before 2.10 takes any object for "every status is fine" and hides this answer.
        ignoreHttpStatusErrors: true,
      },
    );
    const { statusCode, headers } = response;
    if (statusCode === 204) return {} as Answer;
    if (statusCode < 400 && typeof response.body === 'object' && response.body !== null) {
      // `POST /call` tells the ID of the call here only.
      const callId = headers['callkite-call-id'];
      return { ...(callId !== undefined && { call_id: callId }), ...response.body } as unknown as Answer;
    }
    const retryAfterSeconds = Number(headers['retry-after']);
    if (statusCode !== 429 || waits === mostWaits || !(retryAfterSeconds <= longestWaitSeconds)) {
      throw refusal(context.getNode(), response);
    }
    await sleep(retryAfterSeconds * 1000);
  }
}

/** Items of a list that comes in pages, at most `limit` of them. */
export async function callkiteList<Item>(
  context: CallkiteContext,
  path: string,
  field: string,
  { query = {}, limit = Number.POSITIVE_INFINITY }: { query?: IDataObject; limit?: number } = {},
): Promise<Item[]> {
  const items: Item[] = [];
  let cursor: unknown;
  do {
    const page: IDataObject = await callkiteRequest(context, {
      method: 'GET',
      path,
      query: { ...query, limit: Math.min(limit - items.length, largestPage), ...(cursor ? { cursor } : {}) },
    });
    items.push(...(page[field] as Item[]));
    cursor = page.next_cursor;
  } while (cursor && items.length < limit);
  return items;
}
