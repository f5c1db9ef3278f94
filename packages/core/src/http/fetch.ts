import { CallkiteError } from '../kernel/errors.ts';
import type { HttpRequest, HttpResponse } from '../kernel/http.ts';

/** Turns the handler into one for hosts that speak Fetch. The host strips the prefix it mounts Callkite under. */
export function toFetch(
  handle: (request: HttpRequest) => Promise<HttpResponse>,
): (request: Request) => Promise<Response> {
  return async (request) => {
    const { pathname, search } = new URL(request.url);
    const { status, headers, body } = await handle({
      method: request.method,
      target: pathname + search,
      headers: Object.fromEntries(request.headers),
      remoteAddress: null,
      readBody: (limitBytes) => readBytes(request, limitBytes),
    });
    return new Response(body, { status, headers });
  };
}

async function readBytes({ body }: Request, limitBytes: number): Promise<Uint8Array> {
  if (body === null) return new Uint8Array();
  const reader = body.getReader();
  const chunks: Uint8Array[] = [];
  let length = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return Buffer.concat(chunks, length);
    length += value.length;
    if (length > limitBytes) {
      // The rest is left to the host: canceling would cut the client off before it reads the answer.
      reader.releaseLock();
      throw new CallkiteError('payload_too_large', `The body is larger than ${limitBytes} bytes`);
    }
    chunks.push(value);
  }
}
