import type { IncomingMessage, ServerResponse } from 'node:http';
import { CallkiteError } from '../kernel/errors.ts';
import type { HttpRequest, HttpResponse } from '../kernel/http.ts';
import { problemResponse, statusOf } from './problem.ts';

/** What a mount needs of Callkite. */
export interface HttpMount {
  handle(request: HttpRequest): Promise<HttpResponse>;
}

export interface MountOptions {
  /** Prefix Callkite is mounted under, such as `/phone`; what is outside of it answers 404. @default '' */
  basePath?: string;
  /** For a body to arrive, in milliseconds; who takes longer is answered 408. @default 30 000 */
  bodyTimeoutMs?: number;
}

const bodyTimeoutMs = 30_000;
/** A client that is still sending gets so long to read why it is answered early. */
const lingerMs = 5_000;

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
  { basePath = '', bodyTimeoutMs: timeoutMs = bodyTimeoutMs }: MountOptions = {},
): (request: IncomingMessage, response: ServerResponse) => void {
  return (request, response) => {
    const target = targetBelow(basePath, request.url ?? '/');
    const answer = namesSeveralHosts(request)
      ? refused('malformed_request', 'The request names more than one host')
      : target === null
        ? refused('not_found', 'Not found')
        : callkite.handle(fromNode(request, target, timeoutMs));
    answer.then(
      (answered) => send(request, response, answered),
      (error: unknown) => response.destroy(error instanceof Error ? error : undefined),
    );
  };
}

async function refused(code: 'malformed_request' | 'not_found', message: string): Promise<HttpResponse> {
  return problemResponse(new CallkiteError(code, message));
}

/** Node hands over the first: whoever stands in front may have gone by another (RFC 9112, 3.2). */
export function namesSeveralHosts({ rawHeaders }: IncomingMessage): boolean {
  return rawHeaders.filter((text, index) => index % 2 === 0 && text.toLowerCase() === 'host').length > 1;
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
export function fromNode(
  request: IncomingMessage,
  target: string,
  timeoutMs: number = bodyTimeoutMs,
): HttpRequest {
  const headers: Record<string, string | undefined> = {};
  for (const [name, value] of Object.entries(request.headers)) {
    headers[name] = Array.isArray(value) ? value.join(', ') : value;
  }
  return {
    method: request.method ?? 'GET',
    target,
    headers,
    remoteAddress: request.socket.remoteAddress ?? null,
    readBody: (limitBytes) => readBytes(request, limitBytes, timeoutMs),
  };
}

function readBytes(request: IncomingMessage, limitBytes: number, timeoutMs: number): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    if (request.readableDidRead) {
      reject(
        new Error(
          'The body of this request was read before Callkite got it: mount Callkite before body parsers',
        ),
      );
      return;
    }
    const timer = setTimeout(
      () => reject(new CallkiteError('request_timeout', 'The body did not arrive in time')),
      timeoutMs,
    );
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
    request.on('error', () => reject(new CallkiteError('malformed_request', 'The request body ended early')));
    request.on('close', () => {
      clearTimeout(timer);
      reject(new CallkiteError('malformed_request', 'The request body ended early'));
    });
  });
}

function send(
  request: IncomingMessage,
  response: ServerResponse,
  { status, headers, body }: HttpResponse,
): void {
  const whole = body === null ? headers : { ...headers, 'content-length': Buffer.byteLength(body) };
  if (request.complete) {
    response.writeHead(status, whole).end(body ?? undefined);
    return;
  }
  // The connection cannot be used again. Closed while the client still sends, it would take the answer with it.
  response.writeHead(status, { ...whole, connection: 'close' });
  if (body === null) response.flushHeaders();
  else response.write(body);
  const end = () => {
    clearTimeout(timer);
    response.end();
  };
  const timer = setTimeout(end, status === statusOf.request_timeout ? 0 : lingerMs);
  request.once('end', end).once('close', end).resume();
}
