import * as z from 'zod';

/** Body of every error answer. `details` comes with failed validation only: what is wrong, by field path. */
export const errorBody = z.object({
  error: z
    .string()
    .describe(
      'What is wrong and what to do about it, for people to read. `Callkite-Error-Code` is for programs',
    ),
  details: z
    .record(z.string(), z.unknown())
    .optional()
    .describe('Only when validation failed: messages by field, with dots as in `definition.steps.0.title`'),
});
export type ErrorBody = z.infer<typeof errorBody>;
