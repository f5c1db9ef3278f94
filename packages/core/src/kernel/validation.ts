import type * as z from 'zod';
import { CallkiteError } from './errors.ts';

const limitDepth = 32;
const limitKeys = 200;

// Postgres stores neither U+0000 nor lone surrogates; both can hide in escapes of well-formed JSON.
const unstorable = /[\0\p{Surrogate}]/u;

/** The value as its schema describes it. Throws `validation_failed` with the messages by field path. */
export function validate<Schema extends z.ZodType>(schema: Schema, value: unknown): z.output<Schema> {
  const result = schema.safeParse(value, { error: describeMissing });
  if (result.success) return result.data;
  const details = new Map<string, string[]>();
  for (const issue of result.error.issues) {
    if (issue.code === 'unrecognized_keys') {
      for (const key of issue.keys) note(details, [...issue.path, key], 'Unknown field');
    } else {
      note(details, issue.path, issue.message);
    }
  }
  throw new CallkiteError('validation_failed', 'Validation failed', { details: Object.fromEntries(details) });
}

function describeMissing(issue: z.core.$ZodRawIssue): string | undefined {
  return issue.code === 'invalid_type' && issue.input === undefined ? 'Required' : undefined;
}

function note(details: Map<string, string[]>, path: readonly PropertyKey[], message: string): void {
  const field = path.length === 0 ? 'body' : path.map(String).join('.');
  details.set(field, [...(details.get(field) ?? []), message]);
}

/** Throws `malformed_request` for text that cannot be stored. */
export function checkText(text: string): void {
  if (unstorable.test(text)) throw malformed('Text must not contain U+0000 or unpaired surrogates');
}

/** Throws `malformed_request` for a value that holds such text, or is too deep or too wide. */
export function checkValue(value: unknown, depthLeft = limitDepth): void {
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
