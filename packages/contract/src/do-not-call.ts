import * as z from 'zod';
import { nextCursor, pageQuery, phoneNumberText, timestamp } from './fields.ts';

const reason = z
  .string()
  .trim()
  .min(1)
  .max(500)
  .describe('Why, in your own words, for whoever looks at the list later');

export const addDoNotCallRequest = z.strictObject({
  phone_number: phoneNumberText,
  reason: reason.optional(),
});
export type AddDoNotCallRequest = z.input<typeof addDoNotCallRequest>;

/** Numbers to put on the do-not-call list at once. */
export const importDoNotCallRequest = z
  .strictObject({
    phone_numbers: z
      .array(z.string().max(64))
      .min(1)
      .optional()
      .describe('Phone numbers in E.164 form. As many as fit into a body of 1 MiB, about 60,000'),
    csv: z
      .string()
      .min(1)
      .optional()
      .describe(
        'Instead of `phone_numbers`: the text of a CSV file with a number at the beginning of each line. A first line without a number is taken for the header',
      ),
    reason: reason.optional(),
  })
  .refine(({ phone_numbers: numbers, csv }) => (numbers === undefined) !== (csv === undefined), {
    message: 'Give either phone_numbers or csv',
    path: ['phone_numbers'],
  });
export type ImportDoNotCallRequest = z.input<typeof importDoNotCallRequest>;

export const doNotCallListQuery = pageQuery.extend({
  phone_number: phoneNumberText
    .optional()
    .describe('Only entries of this number, in E.164 form. Also finds those whose number was erased'),
  lifted: z
    .enum(['true', 'false'])
    .default('false')
    .transform((value) => value === 'true')
    .describe('`true` lists the entries that were lifted instead of those in force'),
});

export const liftDoNotCallQuery = z.strictObject({
  reason: reason
    .optional()
    .describe(
      'Why the number may be called again. Required where the callee asked for no more calls: say how you know that they changed their mind, or that they were misunderstood',
    ),
});

/** A number that is not called. */
export const doNotCallEntry = z.object({
  id: z.string().describe('Id of the entry'),
  phone_number: z
    .string()
    .nullable()
    .describe(
      'The number in E.164 form. Null once the call it comes from was erased: it is kept as a keyed hash then, and still not called',
    ),
  source: z
    .enum(['callee', 'api', 'import'])
    .describe('`callee`: asked for it on a call. `api`: added one at a time. `import`: came in a list'),
  reason: z.string().nullable().describe('What was given as the reason when it was added'),
  call_id: z.string().nullable().describe('The call on which the callee asked for it, unless it was erased'),
  added_by: z
    .string()
    .nullable()
    .describe('Id of the API key it was added with; null when the callee asked for it'),
  created_at: timestamp.describe('When it was added'),
  lifted_at: timestamp.nullable().describe('When it was lifted; null while it is in force'),
  lifted_by: z.string().nullable().describe('Id of the API key it was lifted with'),
  lift_reason: z.string().nullable().describe('What was given as the reason when it was lifted'),
});
export type DoNotCallEntryResource = z.infer<typeof doNotCallEntry>;

export const doNotCallList = z.object({
  entries: z.array(doNotCallEntry).describe('The entries of this page'),
  next_cursor: nextCursor,
});

export const importedDoNotCall = z.object({
  added: z.int().describe('How many numbers are new on the list'),
  already_listed: z.int().describe('How many were on the list before, or were given more than once'),
  refused_count: z.int().describe('How many rows are no phone numbers. The others are on the list'),
  refused: z
    .array(
      z.object({
        row: z.int().describe('Which row it is, counted from 1, the header included'),
        error: z.string().describe('What is wrong with it'),
      }),
    )
    .describe('The first 1,000 of these rows'),
});
export type ImportedDoNotCall = z.infer<typeof importedDoNotCall>;
