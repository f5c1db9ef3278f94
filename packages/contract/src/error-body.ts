import * as z from 'zod';

/** Body of every error answer. `details` comes with failed validation only: what is wrong, by field path. */
export const errorBody = z.object({
  error: z.string(),
  details: z.record(z.string(), z.unknown()).optional(),
});
export type ErrorBody = z.infer<typeof errorBody>;
