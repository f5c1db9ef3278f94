import type { WorkflowDefinition } from '@callkite/contract';
import type { Page, PageRequest } from './page.ts';

export interface WorkflowRecord {
  readonly id: string;
  readonly organizationId: string;
  readonly name: string;
  /** `prompt`: generated for one prompt call. */
  readonly source: 'api' | 'prompt';
  readonly version: number;
  readonly definition: WorkflowDefinition;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

export interface WorkflowStore {
  /** Stores version 1. */
  create(workflow: {
    readonly id: string;
    readonly organizationId: string;
    readonly name: string;
    readonly definition: WorkflowDefinition;
  }): Promise<WorkflowRecord>;
  /** Current version; `null` when deleted, unknown or another organization's. */
  get(organizationId: string, id: string): Promise<WorkflowRecord | null>;
  /** Whose workflow it is, deleted ones included; `null` when the id was never used. */
  ownerOf(id: string): Promise<{ readonly organizationId: string; readonly deleted: boolean } | null>;
  /** A version as it was, of deleted workflows too. */
  getVersion(organizationId: string, id: string, version: number): Promise<WorkflowRecord | null>;
  list(organizationId: string, page: PageRequest): Promise<Page<WorkflowRecord>>;
  /** Id and name of every workflow that is not deleted, newest first. */
  listSummaries(organizationId: string): Promise<readonly { readonly id: string; readonly name: string }[]>;
  /**
   * Adds a version; earlier ones stay for calls already made.
   * `conflict` when `expectedVersion` is given and is not the current one. `null` when there is no such workflow.
   */
  update(
    organizationId: string,
    id: string,
    change: {
      readonly name?: string;
      readonly definition?: WorkflowDefinition;
      readonly expectedVersion?: number;
    },
  ): Promise<WorkflowRecord | null>;
  /** Soft: the versions stay. `false` when there is no such workflow. */
  delete(organizationId: string, id: string): Promise<boolean>;
}
