import type { FormFill } from '@callkite/contract';
import type { CallForm, FormAnswer, FormValue } from './form-store.ts';

/** The forms of a call as they are told to customers: every field, null for what was not collected. */
export function formFillsOf(forms: readonly CallForm[]): FormFill[] {
  return forms.map(({ title, fields, answers }) => {
    const values = new Map(answers.map(({ field, value }) => [field, value]));
    return {
      title,
      values: Object.fromEntries(fields.map(({ name }) => [name, plain(values.get(name))])),
    };
  });
}

/**
 * Whether the forms hold what they are for: there is one, and every required field has its value, read back where it has
 * to be. Where no field is required, all of them count.
 */
export function areComplete(
  forms: readonly { readonly fields: CallForm['fields']; readonly answers: readonly FormAnswer[] }[],
): boolean {
  const fields = forms.flatMap((form) => form.fields.map((field) => ({ form, field })));
  const required = fields.filter(({ field }) => field.required);
  const counted = required.length > 0 ? required : fields;
  return (
    counted.length > 0 &&
    counted.every(({ form, field }) =>
      form.answers.some((answer) => answer.field === field.name && answer.confirmed),
    )
  );
}

function plain(value: FormValue | undefined): FormFill['values'][string] {
  if (value === undefined) return null;
  return typeof value === 'object' ? [...value] : value;
}
