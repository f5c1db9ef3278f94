import type * as z from 'zod';
import { CallkiteError } from '../errors.ts';

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
