import type { IncomingMessage } from 'node:http';
import type { Account } from '../accounts.ts';
import { ApiError, unauthenticated } from './api-error.ts';

const MAXIMUM_BODY_BYTES = 256 * 1024;

/** A REST request whose sender is known. */
export interface ApiRequest {
  method: string;
  path: string;
  query: URLSearchParams;
  form: URLSearchParams;
  account: Account;
  /** The sender used an API key and not the auth token. */
  withApiKey: boolean;
  /** Base of the absolute URLs in answers. */
  baseUrl: string;
}

/** Reads a form body. */
export async function readForm(request: IncomingMessage): Promise<URLSearchParams> {
  const body = await readBody(request);
  return new URLSearchParams(body);
}

/** Reads a body as text. @throws ApiError when it is too large */
export async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > MAXIMUM_BODY_BYTES) throw new ApiError(413, 20413, 'The request body is too large');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

/** Finds whose credentials an `Authorization: Basic` header carries. @throws ApiError 20003 */
export function authenticate(
  accounts: Iterable<Account>,
  authorization: string | undefined,
): { account: Account; withApiKey: boolean } {
  const encoded = /^Basic (\S+)$/i.exec(authorization ?? '')?.[1];
  if (encoded === undefined) throw unauthenticated();
  const [user = '', ...rest] = Buffer.from(encoded, 'base64').toString('utf8').split(':');
  const password = rest.join(':');
  for (const account of accounts) {
    if (user === account.sid && password === account.authToken) return { account, withApiKey: false };
    if (account.apiKeys.some((key) => key.sid === user && key.secret === password)) {
      return { account, withApiKey: true };
    }
  }
  throw unauthenticated();
}
