import type { IncomingMessage, ServerResponse } from 'node:http';
import { CallkiteError } from '../errors.ts';
import type { HttpRequest, HttpResponse } from '../ports/http.ts';
import { problemResponse } from './problem.ts';

/** What a mount needs of Callkite. */
export interface HttpMount {
  handle(request: HttpRequest): Promise<HttpResponse>;
}

export interface MountOptions {
  /** Prefix Callkite is mounted under, such as `/phone`; what is outside of it answers 404. @default '' */
  basePath?: string;
}

/**
 * A listener for `node:http`, and for frameworks that hand over Node's own request and response.
 *
 * ```ts
 * const server = createServer(nodeHandler(callkite));
 * attachSockets(server, callkite);
 * ```
 *
 * The request's body must not have been read before: carriers sign its exact bytes.
 */
export function nodeHandler(
  callkite: HttpMount,
  { basePath = '' }: MountOptions = {},
): (request: IncomingMessage, response: ServerResponse) => void {
  return (request, response) => {
    const target = targetBelow(basePath, request.url ?? '/');
    const answer =
      target === null
        ? Promise.resolve(problemResponse(new CallkiteError('not_found', 'Not found')))
        : callkite.handle(fromNode(request, target));
    answer.then(
      (answered) => send(response, answered),
      (error: unknown) => response.destroy(error instanceof Error ? error : undefined),
    );
  };
}

/** The part of a request target below a prefix; `null` when it is outside of it. */
export function targetBelow(basePath: string, url: string): string | null {
  if (basePath === '') return url;
  if (!url.startsWith(basePath)) return null;
  const target = url.slice(basePath.length);
  if (target.startsWith('/')) return target;
  return target === '' || target.startsWith('?') ? `/${target}` : null;
}

/** Node's request as Callkite's. */
export function fromNode(request: IncomingMessage, target: string): HttpRequest {
  const headers: Record<string, string | undefined> = {};
  for (const [name, value] of Object.entries(request.headers)) {
    headers[name] = Array.isArray(value) ? value.join(', ') : value;
  }
  return {
    method: request.method ?? 'GET',
    target,
    headers,
    remoteAddress: request.socket.remoteAddress ?? null,
    readBody: (limitBytes) => readBytes(request, limitBytes),
  };
}

function readBytes(request: IncomingMessage, limitBytes: number): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    if (request.readableDidRead) {
      reject(
        new Error(
          'The body of this request was read before Callkite got it: mount Callkite before body parsers',
        ),
      );
      return;
    }
    const chunks: Buffer[] = [];
    let length = 0;
    request.on('data', (chunk: Buffer) => {
      length += chunk.length;
      if (length <= limitBytes) {
        chunks.push(chunk);
        return;
      }
      // The rest still flows, and is dropped: a client that is cut off while it sends would not read the answer.
      chunks.length = 0;
      reject(new CallkiteError('payload_too_large', `The body is larger than ${limitBytes} bytes`));
    });
    request.on('end', () => resolve(Buffer.concat(chunks)));
    request.on('error', () => reject(new CallkiteError('malformed_request', 'The body ended early')));
    request.on('close', () => reject(new CallkiteError('malformed_request', 'The body ended early')));
  });
}

function send(response: ServerResponse, { status, headers, body }: HttpResponse): void {
  if (body === null) {
    response.writeHead(status, headers).end();
    return;
  }
  response.writeHead(status, { ...headers, 'content-length': Buffer.byteLength(body) }).end(body);
}
