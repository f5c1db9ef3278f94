import type { FormFill } from '@callkite/contract';
import type { CallForm, FormValue } from '../ports/form-store.ts';

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

function plain(value: FormValue | undefined): FormFill['values'][string] {
  if (value === undefined) return null;
  return typeof value === 'object' ? [...value] : value;
}
