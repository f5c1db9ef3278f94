import * as z from 'zod';

/** A name that people give to something they made. */
export const displayName = z.string().trim().min(1).max(200);

/** Id of a resource, such as `call_01k9…`; opaque to clients. */
export const resourceId = z.string().min(1).max(64);

/** Phone number in E.164 form. Checked by the phone rules afterwards, which answer with an error of their own. */
export const phoneNumberText = z
  .string()
  .max(64)
  .meta({
    description: 'Phone number in E.164 form: `+`, the country code and the number, without spaces',
    examples: ['+12025550142'],
  });

/** Email address, within the lengths that mail servers accept (RFC 5321). */
export const emailAddress = z
  .email()
  .max(254)
  .refine((text) => text.indexOf('@') <= 64, 'has more than 64 characters before the @');

/** Point in time of our own resources: ISO 8601, UTC, milliseconds. */
export const timestamp = z.iso.datetime({ precision: 3 });

export const mode = z
  .enum(['live', 'test'])
  .describe(
    '`live` dials real phones. `test` stays on an emulated phone network, where no real phone can ring',
  );

/** Which page of a list to return. */
export const pageQuery = z.strictObject({
  limit: z.coerce
    .number<number>()
    .int()
    .min(1)
    .max(100)
    .default(20)
    .describe('How many items a page holds at most'),
  cursor: z
    .string()
    .min(1)
    .max(500)
    .optional()
    .describe('`next_cursor` of the previous page; the first page when absent. Treat it as opaque'),
});

export const nextCursor = z
  .string()
  .nullable()
  .describe('Pass it as `cursor` to get the next page; null on the last page');
