import {
  type WorkflowDefinition,
  type WorkflowDefinitionInput,
  workflowDefinition,
} from '@callkite/contract';
import * as z from 'zod';
import { CallkiteError } from '../../kernel/errors.ts';
import { createId } from '../../kernel/ids.ts';
import type { Scope } from '../../kernel/mode.ts';
import type { Page, PageRequest } from '../../kernel/page.ts';
import type { FormStore } from '../forms/form-store.ts';
import type { DeliveryStore } from '../notifications/delivery-store.ts';
import { businessProfileAdvice } from '../transfers/transfer-integrations.ts';
import type { TransferStore } from '../transfers/transfer-store.ts';
import { lintWorkflow, type WorkflowIssue } from './linter.ts';
import type { WorkflowRecord, WorkflowStore } from './workflow-store.ts';

/**
 * Every method throws `not_found` for a workflow that does not exist, is deleted or belongs to the other mode, and
 * `forbidden` for another organization's. Test mode may read and run live workflows; changing one is `forbidden`. Writing throws `validation_failed` with the linter's findings in `details.issues`.
 */
export interface Workflows {
  create(scope: Scope, input: { name: string; definition: WorkflowDefinitionInput }): Promise<WorkflowRecord>;
  /** @param version the current one when absent */
  get(scope: Scope, id: string, version?: number): Promise<WorkflowRecord>;
  list(scope: Scope, page: PageRequest): Promise<Page<WorkflowRecord>>;
  /** All of them, or those of one source, newest first. */
  summaries(
    scope: Scope,
    filter?: { source?: WorkflowRecord['source'] },
  ): Promise<readonly { readonly id: string; readonly name: string }[]>;
  /** Throws `conflict` when `expectedVersion` is given and is no longer the current one. */
  update(
    scope: Scope,
    id: string,
    change: { name?: string; definition?: WorkflowDefinitionInput; expectedVersion?: number },
  ): Promise<WorkflowRecord>;
  delete(scope: Scope, id: string): Promise<void>;
}

export interface WorkflowsDeps {
  readonly storage: {
    readonly workflows: WorkflowStore;
    readonly deliveries: Pick<DeliveryStore, 'getIntegration'>;
    readonly forms: Pick<FormStore, 'get'>;
    readonly transfers: Pick<TransferStore, 'getIntegration'>;
  };
  /** Names of the tools that embedders added. */
  readonly toolNames: readonly string[];
  /** Whether calls can be in `realtime` mode. */
  readonly hasSpeechModel: boolean;
  /** Whether calls of this mode could be transferred. */
  isTransferAvailable(scope: Scope): Promise<boolean>;
}

const workflowName = z.string().trim().min(1).max(200);

function issuesOf(error: z.ZodError, field: string): WorkflowIssue[] {
  return error.issues.map(({ path, message }) => ({ path: [field, ...path].join('.'), message }));
}

/** An issue for each entry of the list at `path` that was looked for and not found. */
function issuesAt(path: string, found: readonly unknown[], message: string): WorkflowIssue[] {
  return found.flatMap((each, index) => (each === null ? [{ path: `${path}.${index}`, message }] : []));
}

function refuse(issues: readonly WorkflowIssue[]): void {
  if (issues.length === 0) return;
  throw new CallkiteError('validation_failed', 'Correct the workflow: see details.issues', {
    details: { issues },
  });
}

export function createWorkflows(deps: WorkflowsDeps): Workflows {
  const { workflows, deliveries, forms, transfers } = deps.storage;

  async function missing({ organizationId }: Scope, id: string): Promise<CallkiteError> {
    const owner = await workflows.ownerOf(id);
    return owner && !owner.deleted && owner.organizationId !== organizationId
      ? new CallkiteError('forbidden', 'This workflow belongs to another organization')
      : new CallkiteError('not_found', 'Workflow not found');
  }

  /** What is to be changed: what test mode only sees is not. */
  async function own(scope: Scope, id: string): Promise<WorkflowRecord> {
    const current = await workflows.get(scope, id);
    if (!current) throw await missing(scope, id);
    if (current.mode === scope.mode) return current;
    throw new CallkiteError('forbidden', 'This workflow was made with a live key: change it with a live key');
  }

  /**
   * What the definition names and the organization, or this server, does not have. What the current version names
   * already may have been deleted since, and must not keep people from changing something else.
   */
  async function unknownNames(
    scope: Scope,
    { metadata, forms: namedForms, tools, abilities, voice }: WorkflowDefinition,
    current: WorkflowDefinition | undefined,
  ): Promise<WorkflowIssue[]> {
    const webhookIds = (metadata.webhooks ?? []).filter((id) => !current?.metadata.webhooks?.includes(id));
    const formIds = namedForms.filter((id) => !current?.forms.includes(id));
    const transferIds = abilities.transfer.filter((id) => !current?.abilities.transfer.includes(id));
    const [integrations, records, targets] = await Promise.all([
      Promise.all(webhookIds.map((id) => deliveries.getIntegration(scope, id))),
      Promise.all(formIds.map((id) => forms.get(scope, id))),
      Promise.all(transferIds.map((id) => transfers.getIntegration(scope, id))),
    ]);
    return [
      ...issuesAt(
        'definition.metadata.webhooks',
        integrations,
        'create the webhook integration first: there is none with this id',
      ),
      ...issuesAt('definition.forms', records, 'create the form first: there is none with this id'),
      ...issuesAt(
        'definition.abilities.transfer',
        targets,
        'create the transfer integration first: there is none with this id',
      ),
      ...(transferIds.length > 0 && !(await deps.isTransferAvailable(scope))
        ? [{ path: 'definition.abilities.transfer', message: businessProfileAdvice }]
        : []),
      ...issuesAt(
        'definition.tools',
        tools.map((name) => (deps.toolNames.includes(name) ? name : null)),
        'this server has no tool of this name',
      ),
      ...(voice.mode === 'realtime' && !deps.hasSpeechModel
        ? [{ path: 'definition.voice.mode', message: 'use relay: this server has no speech model' }]
        : []),
    ];
  }

  /** Everything that is wrong with the given parts is told at once. */
  async function check(
    scope: Scope,
    input: { name?: string | undefined; definition?: WorkflowDefinitionInput | undefined },
    current?: WorkflowDefinition,
  ): Promise<{ name?: string; definition?: WorkflowDefinition }> {
    const name = input.name === undefined ? null : workflowName.safeParse(input.name);
    const definition = input.definition === undefined ? null : workflowDefinition.safeParse(input.definition);
    refuse([
      ...(name?.error ? issuesOf(name.error, 'name') : []),
      ...(definition?.error ? issuesOf(definition.error, 'definition') : []),
      ...(definition?.data ? lintWorkflow(definition.data) : []),
      ...(definition?.data ? await unknownNames(scope, definition.data, current) : []),
    ]);
    return {
      ...(name?.data === undefined ? {} : { name: name.data }),
      ...(definition?.data === undefined ? {} : { definition: definition.data }),
    };
  }

  return {
    async create(scope, input) {
      const { name, definition } = await check(scope, input);
      if (name === undefined || definition === undefined) {
        throw new CallkiteError('validation_failed', 'Give the workflow a name and a definition');
      }
      return workflows.create(scope, { id: createId('wf'), name, definition });
    },
    async get(scope, id, version) {
      const current = await workflows.get(scope, id);
      if (!current) throw await missing(scope, id);
      if (version === undefined || version === current.version) return current;
      const earlier = await workflows.getVersion(scope, id, version);
      if (!earlier) throw new CallkiteError('not_found', 'Workflow version not found');
      return earlier;
    },
    list: (scope, page) => workflows.list(scope, page),
    summaries: (scope, filter = {}) => workflows.listSummaries(scope, filter),
    async update(scope, id, change) {
      const current = await own(scope, id);
      const checked = await check(scope, change, current.definition);
      const { expectedVersion } = change;
      const updated = await workflows.update(scope, id, {
        ...checked,
        ...(expectedVersion === undefined ? {} : { expectedVersion }),
      });
      if (!updated) throw await missing(scope, id);
      return updated;
    },
    async delete(scope, id) {
      await own(scope, id);
      if (!(await workflows.delete(scope, id))) throw await missing(scope, id);
    },
  };
}
