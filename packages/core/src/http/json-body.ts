import { CallkiteError } from '../errors.ts';
import type { HttpRequest } from '../ports/http.ts';

const limitBytes = 1024 * 1024;
const limitDepth = 32;
const limitKeys = 200;

// Postgres stores neither U+0000 nor lone surrogates; both can hide in escapes of well-formed JSON.
const unstorable = /[\0\p{Surrogate}]/u;

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
  checkValue(value, limitDepth);
  return value;
}

/** Throws `malformed_request` for text that cannot be stored. */
export function checkText(text: string): void {
  if (unstorable.test(text)) throw malformed('Text must not contain U+0000 or unpaired surrogates');
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

function checkValue(value: unknown, depthLeft: number): void {
  if (typeof value === 'string') checkText(value);
  if (typeof value !== 'object' || value === null) return;
  if (depthLeft === 0) throw malformed(`The body is nested deeper than ${limitDepth} levels`);
  if (Array.isArray(value)) {
    for (const item of value) checkValue(item, depthLeft - 1);
    return;
  }
  const entries = Object.entries(value);
  if (entries.length > limitKeys) throw malformed(`An object in the body has more than ${limitKeys} keys`);
  for (const [key, item] of entries) {
    checkText(key);
    checkValue(item, depthLeft - 1);
  }
  // An own property here, but whoever copies the object key by key would set a prototype with it.
  Reflect.deleteProperty(value, '__proto__');
}

function malformed(message: string): CallkiteError {
  return new CallkiteError('malformed_request', message);
}
