import type { IncomingMessage, ServerResponse } from 'node:http';
import { ApiError } from './api-error.ts';
import type { RequestRecord } from './request-log.ts';

const MAX_BODY_BYTES = 16 * 1024 * 1024;

/** One request while it is handled. */
export interface Exchange {
  request: IncomingMessage;
  response: ServerResponse;
  path: string;
  record: RequestRecord;
  /** Headers of every answer. */
  headers: Record<string, string>;
  /** Aborted when the connection is gone. */
  signal: AbortSignal;
  /** Notes the status of the answer; null for none. To be called before the answer is sent. */
  settle(status: number | null): void;
}

/** Reads the request body as JSON. @throws ApiError 400 or 413 */
export async function readJson({ request }: Exchange): Promise<unknown> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request) {
    const bytes: Buffer = chunk;
    size += bytes.length;
    if (size > MAX_BODY_BYTES) {
      throw new ApiError('The request body is larger than 16 MiB.', { status: 413 });
    }
    chunks.push(bytes);
  }
  try {
    return JSON.parse(Buffer.concat(chunks).toString('utf8'));
  } catch {
    throw new ApiError(
      'We could not parse the JSON body of your request. The OpenAI API expects a JSON payload, but what was sent was not valid JSON.',
    );
  }
}

/** Sends an answer in one piece. */
export function sendJson(
  exchange: Exchange,
  status: number,
  body: object,
  headers: Record<string, string> = {},
): void {
  exchange.settle(status);
  const payload = JSON.stringify(body);
  exchange.response.writeHead(status, {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(payload),
    ...exchange.headers,
    ...headers,
  });
  exchange.response.end(payload);
}

function maskKey(key: string): string {
  return key.length <= 8 ? '*'.repeat(key.length) : `${key.slice(0, 3)}${'*'.repeat(8)}${key.slice(-4)}`;
}

/** Checks the bearer key; undefined accepts any. @throws ApiError 401 `invalid_api_key` */
export function authenticate(
  { request }: Pick<Exchange, 'request'>,
  apiKeys: ReadonlySet<string> | undefined,
): void {
  const key = /^Bearer\s+(\S+)\s*$/i.exec(request.headers.authorization ?? '')?.[1];
  if (key === undefined) {
    throw new ApiError(
      "You didn't provide an API key. Send it in an Authorization header using Bearer auth (Authorization: Bearer YOUR_KEY).",
      { status: 401, code: 'invalid_api_key' },
    );
  }
  if (apiKeys && !apiKeys.has(key)) {
    throw new ApiError(
      `Incorrect API key provided: ${maskKey(key)}. Use one of the keys the emulator was started with.`,
      { status: 401, code: 'invalid_api_key' },
    );
  }
}
