import type { WorkflowDefinitionInput } from '../contract/workflow-definition.ts';
import type { Page, PageRequest } from '../ports/storage.ts';
import type { WorkflowRecord } from '../ports/workflow-store.ts';

/**
 * Every method throws `not_found` for a workflow that does not exist or is deleted, and `forbidden` for another
 * organization's. Writing throws `validation_failed` with the linter's findings in `details.issues`.
 */
export interface Workflows {
  create(
    organizationId: string,
    input: { name: string; definition: WorkflowDefinitionInput },
  ): Promise<WorkflowRecord>;
  /** @param version the current one when absent */
  get(organizationId: string, id: string, version?: number): Promise<WorkflowRecord>;
  list(organizationId: string, page: PageRequest): Promise<Page<WorkflowRecord>>;
  summaries(organizationId: string): Promise<readonly { readonly id: string; readonly name: string }[]>;
  /** Throws `conflict` when `expectedVersion` is given and is no longer the current one. */
  update(
    organizationId: string,
    id: string,
    change: { name?: string; definition?: WorkflowDefinitionInput; expectedVersion?: number },
  ): Promise<WorkflowRecord>;
  delete(organizationId: string, id: string): Promise<void>;
}
