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
    .describe(
      'What the field is called in `form_fills`. Unique in its form, whatever the case of its letters',
    ),
  required: z.boolean().default(false).describe('The agent asks for required fields first'),
  ask: z
    .string()
    .trim()
    .min(1)
    .max(500)
    .optional()
    .describe('The question the agent asks to get the value; it finds its own when absent'),
};

const option = z
  .string()
  .trim()
  .min(1)
  .max(200)
  .regex(/^\P{Cc}*$/u, 'must be one line');

/** A field of a form. The two kinds of choice have options; the others must not. */
export const formField = z.discriminatedUnion('type', [
  z.strictObject({
    ...common,
    type: z
      .enum(['text', 'number', 'email', 'phone'])
      .describe('What the value is. Numbers, email addresses and phone numbers are read back to the person'),
  }),
  z.strictObject({
    ...common,
    type: z
      .enum(['select', 'multi-select'])
      .describe('`select`: one of the options. `multi-select`: any number of them'),
    options: z
      .array(option)
      .min(1)
      .max(maximumOptions)
      .check(eachOnce((text) => text))
      .describe('What can be chosen, each option once'),
  }),
]);
export type FormField = z.output<typeof formField>;
export type FormFieldInput = z.input<typeof formField>;

const formFields = z
  .array(formField)
  .min(1)
  .max(maximumFields)
  .check(eachOnce(({ name }) => name, 'name'))
  .describe('What the agent collects, in the order in which it asks');
const formTitle = displayName.describe('Title of the form, as in `form_fills`');

export const createFormRequest = z.strictObject({ title: formTitle, fields: formFields });
export type CreateFormRequest = z.input<typeof createFormRequest>;

export const updateFormRequest = z
  .strictObject({
    title: formTitle.optional(),
    fields: formFields
      .optional()
      .describe('Replaces all fields: what the agent collects, in the order in which it asks'),
    expected_version: z
      .int()
      .min(1)
      .optional()
      .describe(
        'The version you saw last: when the form has been changed since, the request is refused with 409. Not checked when absent',
      ),
  })
  .refine(({ title, fields }) => title !== undefined || fields !== undefined, 'give a title or the fields');
export type UpdateFormRequest = z.input<typeof updateFormRequest>;

export const formVersionQuery = z.strictObject({
  version: z.coerce
    .number<number>()
    .int()
    .min(1)
    .optional()
    .describe('Which version to return; the current one when absent'),
});

export const formResource = z.object({
  id: z.string().describe('Id of the form, for `definition.forms` of a workflow'),
  title: z.string().describe('Title of the form, as in `form_fills`'),
  version: z.int().describe('Goes up by one with every change, from 1'),
  fields: z.array(formField).describe('What the agent collects, in the order in which it asks'),
  created_at: timestamp.describe('When the form was created'),
  updated_at: timestamp.describe('When this version was stored'),
});
export type FormResource = z.infer<typeof formResource>;

export const formList = z.object({
  forms: z.array(formResource).describe('The forms of this page, newest first'),
  next_cursor: nextCursor,
});
export type FormList = z.infer<typeof formList>;
