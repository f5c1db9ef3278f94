import { CallkiteError } from '../kernel/errors.ts';
import type { HttpRequest } from '../kernel/http.ts';
import { checkValue } from '../kernel/validation.ts';

const limitBytes = 1024 * 1024;
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/**
 * Reads a JSON body of at most 1 MiB, 32 levels and 200 keys an object.
 * Throws `unsupported_media_type`, `payload_too_large` or `malformed_request`.
 */
export async function readJson(request: HttpRequest): Promise<unknown> {
  const { headers } = request;
  const mediaType = (headers['content-type'] ?? '').split(';', 1)[0]?.trim().toLowerCase();
  if (mediaType !== 'application/json') {
    throw new CallkiteError('unsupported_media_type', 'Send the body as Content-Type: application/json');
  }
  if ((headers['content-encoding'] ?? 'identity').toLowerCase() !== 'identity') {
    throw new CallkiteError('unsupported_media_type', 'Send the body without a Content-Encoding');
  }
  if (Number(headers['content-length'] ?? 0) > limitBytes) {
    throw new CallkiteError('payload_too_large', 'The body is larger than 1 MiB');
  }
  const bytes = await request.readBody(limitBytes);
  if (bytes.length === 0) throw malformed('The body is empty: send a JSON object');
  const value = parse(bytes);
  checkValue(value);
  return value;
}

function parse(bytes: Uint8Array): unknown {
  let text: string;
  try {
    text = utf8.decode(bytes);
  } catch {
    throw malformed('The body is not valid UTF-8');
  }
  try {
    return JSON.parse(text);
  } catch {
    throw malformed('The body is not valid JSON');
  }
}

function malformed(message: string): CallkiteError {
  return new CallkiteError('malformed_request', message);
}
