import * as z from 'zod';
import { displayName, nextCursor, timestamp } from './fields.ts';

const maximumFields = 40;
const maximumOptions = 50;

/** Reports every text that an earlier one equals but for its case. */
function eachOnce<Item>(textOf: (item: Item) => string, ...within: string[]) {
  return ({ value, issues }: z.core.ParsePayload<Item[]>) => {
    const seen = new Set<string>();
    for (const [index, item] of value.entries()) {
      const key = textOf(item).toLowerCase();
      if (seen.has(key)) {
        issues.push({
          code: 'custom',
          input: item,
          path: [index, ...within],
          message: 'must differ from the others',
        });
      }
      seen.add(key);
    }
  };
}

const common = {
  name: z
    .string()
    .trim()
    .max(80)
    .regex(/^[\p{L}\p{N}][^\p{Cc}]*$/u, 'must begin with a letter or a digit and be one line')
    .describe('What the field is called in `form_fills`'),
  required: z.boolean().default(false).describe('Required fields are asked for first'),
  ask: z.string().trim().min(1).max(500).optional().describe('How the agent asks for it'),
};

const option = z
  .string()
  .trim()
  .min(1)
  .max(200)
  .regex(/^\P{Cc}*$/u, 'must be one line');

/** A field of a form. The two kinds of choice have options; the others must not. */
export const formField = z.discriminatedUnion('type', [
  z.strictObject({ ...common, type: z.enum(['text', 'number', 'email', 'phone']) }),
  z.strictObject({
    ...common,
    type: z.enum(['select', 'multi-select']),
    options: z
      .array(option)
      .min(1)
      .max(maximumOptions)
      .check(eachOnce((text) => text)),
  }),
]);
export type FormField = z.output<typeof formField>;
export type FormFieldInput = z.input<typeof formField>;

const formFields = z
  .array(formField)
  .min(1)
  .max(maximumFields)
  .check(eachOnce(({ name }) => name, 'name'));

export const createFormRequest = z.strictObject({ title: displayName, fields: formFields });
export type CreateFormRequest = z.input<typeof createFormRequest>;

export const updateFormRequest = z
  .strictObject({
    title: displayName.optional(),
    fields: formFields.optional(),
    expected_version: z
      .int()
      .min(1)
      .optional()
      .describe('Refuse with 409 when the form has been changed since this version'),
  })
  .refine(({ title, fields }) => title !== undefined || fields !== undefined, 'give a title or the fields');
export type UpdateFormRequest = z.input<typeof updateFormRequest>;

export const formVersionQuery = z.strictObject({
  version: z.coerce
    .number<number>()
    .int()
    .min(1)
    .optional()
    .describe('An earlier version; the current one when absent'),
});

export const formResource = z.object({
  id: z.string(),
  title: z.string(),
  version: z.int(),
  fields: z.array(formField),
  created_at: timestamp,
  updated_at: timestamp,
});
export type FormResource = z.infer<typeof formResource>;

export const formList = z.object({ forms: z.array(formResource), next_cursor: nextCursor });
export type FormList = z.infer<typeof formList>;
