import type { WorkflowDefinition } from '@callkite/contract';
import type { Mode, Scope } from '../../kernel/mode.ts';
import type { Page, PageRequest } from '../../kernel/page.ts';

export interface WorkflowRecord {
  readonly id: string;
  readonly organizationId: string;
  /** Of the key it was made with, or of the prompt call. Only keys of this mode change it. */
  readonly mode: Mode;
  readonly name: string;
  /** `prompt`: generated for one prompt call. */
  readonly source: 'api' | 'prompt';
  readonly version: number;
  readonly definition: WorkflowDefinition;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

/**
 * A scope sees the workflows of its mode. Test mode also sees live ones, to try what live calls do, except those made for
 * live prompt calls, which say whom the call was with. Live mode sees nothing of test mode.
 */
export interface WorkflowStore {
  /** Stores version 1. */
  create(
    scope: Scope,
    workflow: {
      readonly id: string;
      readonly name: string;
      readonly definition: WorkflowDefinition;
    },
  ): Promise<WorkflowRecord>;
  /** Current version; `null` when deleted or not to be seen in this scope. */
  get(scope: Scope, id: string): Promise<WorkflowRecord | null>;
  /** Whose workflow it is, deleted ones included; `null` when the id was never used. */
  ownerOf(id: string): Promise<{ readonly organizationId: string; readonly deleted: boolean } | null>;
  /** A version as it was, of deleted workflows too. */
  getVersion(scope: Scope, id: string, version: number): Promise<WorkflowRecord | null>;
  list(scope: Scope, page: PageRequest): Promise<Page<WorkflowRecord>>;
  /** Id and name of every workflow that is not deleted, newest first. */
  listSummaries(
    scope: Scope,
    filter: { readonly source?: WorkflowRecord['source'] },
  ): Promise<readonly { readonly id: string; readonly name: string }[]>;
  /**
   * Adds a version; earlier ones stay for calls already made.
   * `conflict` when `expectedVersion` is given and is not the current one. `null` when there is no such
   * workflow of this mode.
   */
  update(
    scope: Scope,
    id: string,
    change: {
      readonly name?: string;
      readonly definition?: WorkflowDefinition;
      readonly expectedVersion?: number;
    },
  ): Promise<WorkflowRecord | null>;
  /** Soft: the versions stay. `false` when there is no such workflow of this mode. */
  delete(scope: Scope, id: string): Promise<boolean>;
}
