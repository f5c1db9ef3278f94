import { createFormRequest, type FormFieldInput, updateFormRequest } from '@callkite/contract';
import { CallkiteError } from '../../kernel/errors.ts';
import { createId } from '../../kernel/ids.ts';
import type { Scope } from '../../kernel/mode.ts';
import type { Page, PageRequest } from '../../kernel/page.ts';
import type { FormRecord, FormStore } from './form-store.ts';

/**
 * Every method throws `not_found` for a form that does not exist, is deleted or belongs to the other mode, and
 * `forbidden` for another organization's. Test mode may read live forms; changing one is `forbidden`. Writing throws `validation_failed` with what is wrong in `details.issues`.
 */
export interface Forms {
  create(scope: Scope, input: { title: string; fields: readonly FormFieldInput[] }): Promise<FormRecord>;
  /** @param version the current one when absent */
  get(scope: Scope, id: string, version?: number): Promise<FormRecord>;
  list(scope: Scope, page: PageRequest): Promise<Page<FormRecord>>;
  /**
   * Holds for calls accepted from now on.
   * Throws `conflict` when `expectedVersion` is given and is no longer the current one.
   */
  update(
    scope: Scope,
    id: string,
    change: { title?: string; fields?: readonly FormFieldInput[]; expectedVersion?: number },
  ): Promise<FormRecord>;
  /** Calls accepted from now on go without it, also where a workflow still names it. */
  delete(scope: Scope, id: string): Promise<void>;
}

export function createForms(deps: { readonly storage: { readonly forms: FormStore } }): Forms {
  const { forms } = deps.storage;

  async function missing({ organizationId }: Scope, id: string): Promise<CallkiteError> {
    const owner = await forms.ownerOf(id);
    return owner && !owner.deleted && owner.organizationId !== organizationId
      ? new CallkiteError('forbidden', 'This form belongs to another organization')
      : new CallkiteError('not_found', 'Form not found');
  }

  /** What is to be changed: what test mode only sees is not. */
  async function own(scope: Scope, id: string): Promise<FormRecord> {
    const current = await forms.get(scope, id);
    if (!current) throw await missing(scope, id);
    if (current.mode === scope.mode) return current;
    throw new CallkiteError('forbidden', 'This form was made with a live key: change it with a live key');
  }

  return {
    async create(scope, input) {
      const { title, fields } = createFormRequest.parse(input);
      return forms.create(scope, { id: createId('form'), title, fields });
    },
    async get(scope, id, version) {
      const current = await forms.get(scope, id);
      if (!current) throw await missing(scope, id);
      if (version === undefined || version === current.version) return current;
      const earlier = await forms.getVersion(scope, id, version);
      if (!earlier) throw new CallkiteError('not_found', 'Form version not found');
      return earlier;
    },
    list: (scope, page) => forms.list(scope, page),
    async update(scope, id, { expectedVersion, ...change }) {
      const { title, fields } = updateFormRequest.parse(change);
      await own(scope, id);
      const updated = await forms.update(scope, id, {
        ...(title !== undefined && { title }),
        ...(fields !== undefined && { fields }),
        ...(expectedVersion !== undefined && { expectedVersion }),
      });
      if (!updated) throw await missing(scope, id);
      return updated;
    },
    async delete(scope, id) {
      await own(scope, id);
      if (!(await forms.delete(scope, id))) throw await missing(scope, id);
    },
  };
}
