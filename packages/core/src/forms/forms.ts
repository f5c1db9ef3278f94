import { createFormRequest, type FormFieldInput, updateFormRequest } from '@callkite/contract';
import { CallkiteError } from '../errors.ts';
import { createId } from '../ids.ts';
import type { FormRecord, FormStore } from '../ports/form-store.ts';
import type { Page, PageRequest } from '../ports/page.ts';

/**
 * Every method throws `not_found` for a form that does not exist or is deleted, and `forbidden` for another
 * organization's.
 */
export interface Forms {
  create(
    organizationId: string,
    input: { title: string; fields: readonly FormFieldInput[] },
  ): Promise<FormRecord>;
  /** @param version the current one when absent */
  get(organizationId: string, id: string, version?: number): Promise<FormRecord>;
  list(organizationId: string, page: PageRequest): Promise<Page<FormRecord>>;
  /**
   * Holds for calls accepted from now on.
   * Throws `conflict` when `expectedVersion` is given and is no longer the current one.
   */
  update(
    organizationId: string,
    id: string,
    change: { title?: string; fields?: readonly FormFieldInput[]; expectedVersion?: number },
  ): Promise<FormRecord>;
  /** Calls accepted from now on go without it, also where a workflow still names it. */
  delete(organizationId: string, id: string): Promise<void>;
}

export function createForms(deps: { readonly storage: { readonly forms: FormStore } }): Forms {
  const { forms } = deps.storage;

  async function missing(organizationId: string, id: string): Promise<CallkiteError> {
    const owner = await forms.ownerOf(id);
    return owner && !owner.deleted && owner.organizationId !== organizationId
      ? new CallkiteError('forbidden', 'This form belongs to a different organization')
      : new CallkiteError('not_found', 'There is no such form');
  }

  return {
    async create(organizationId, input) {
      const { title, fields } = createFormRequest.parse(input);
      return forms.create({ id: createId('form'), organizationId, title, fields });
    },
    async get(organizationId, id, version) {
      const current = await forms.get(organizationId, id);
      if (!current) throw await missing(organizationId, id);
      if (version === undefined || version === current.version) return current;
      const earlier = await forms.getVersion(organizationId, id, version);
      if (!earlier) throw new CallkiteError('not_found', 'There is no such version of the form');
      return earlier;
    },
    list: (organizationId, page) => forms.list(organizationId, page),
    async update(organizationId, id, { expectedVersion, ...change }) {
      const { title, fields } = updateFormRequest.parse(change);
      const updated = await forms.update(organizationId, id, {
        ...(title !== undefined && { title }),
        ...(fields !== undefined && { fields }),
        ...(expectedVersion !== undefined && { expectedVersion }),
      });
      if (!updated) throw await missing(organizationId, id);
      return updated;
    },
    async delete(organizationId, id) {
      if (!(await forms.delete(organizationId, id))) throw await missing(organizationId, id);
    },
  };
}
