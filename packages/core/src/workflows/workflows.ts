import {
  type WorkflowDefinition,
  type WorkflowDefinitionInput,
  workflowDefinition,
} from '@callkite/contract';
import * as z from 'zod';
import { CallkiteError } from '../errors.ts';
import { createId } from '../ids.ts';
import type { DeliveryStore } from '../ports/delivery-store.ts';
import type { FormStore } from '../ports/form-store.ts';
import type { Mode } from '../ports/mode.ts';
import type { Page, PageRequest } from '../ports/page.ts';
import type { TransferStore } from '../ports/transfer-store.ts';
import type { WorkflowRecord, WorkflowStore } from '../ports/workflow-store.ts';
import { businessProfileAdvice } from '../transfers/transfer-integrations.ts';
import { lintWorkflow, type WorkflowIssue } from './linter.ts';

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
  isTransferAvailable(organizationId: string, mode: Mode): Promise<boolean>;
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

  async function missing(organizationId: string, id: string): Promise<CallkiteError> {
    const owner = await workflows.ownerOf(id);
    return owner && !owner.deleted && owner.organizationId !== organizationId
      ? new CallkiteError('forbidden', 'This workflow belongs to a different organization')
      : new CallkiteError('not_found', 'There is no such workflow');
  }

  /**
   * What the definition names and the organization, or this server, does not have. What the current version names
   * already may have been deleted since, and must not keep people from changing something else.
   */
  async function unknownNames(
    organizationId: string,
    { metadata, forms: namedForms, tools, abilities, voice }: WorkflowDefinition,
    current: WorkflowDefinition | undefined,
  ): Promise<WorkflowIssue[]> {
    const webhookIds = (metadata.webhooks ?? []).filter((id) => !current?.metadata.webhooks?.includes(id));
    const formIds = namedForms.filter((id) => !current?.forms.includes(id));
    const transferIds = abilities.transfer.filter((id) => !current?.abilities.transfer.includes(id));
    const [integrations, records, targets] = await Promise.all([
      Promise.all(webhookIds.map((id) => deliveries.getIntegration(organizationId, id))),
      Promise.all(formIds.map((id) => forms.get(organizationId, id))),
      Promise.all(transferIds.map((id) => transfers.getIntegration(organizationId, id))),
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
      ...(transferIds.length > 0 && !(await mayTransferCalls(organizationId))
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

  /** A workflow serves calls of both modes: one of them must be able to. */
  async function mayTransferCalls(organizationId: string): Promise<boolean> {
    return (
      (await deps.isTransferAvailable(organizationId, 'live')) ||
      (await deps.isTransferAvailable(organizationId, 'test'))
    );
  }

  /** Everything that is wrong with the given parts is told at once. */
  async function check(
    organizationId: string,
    input: { name?: string | undefined; definition?: WorkflowDefinitionInput | undefined },
    current?: WorkflowDefinition,
  ): Promise<{ name?: string; definition?: WorkflowDefinition }> {
    const name = input.name === undefined ? null : workflowName.safeParse(input.name);
    const definition = input.definition === undefined ? null : workflowDefinition.safeParse(input.definition);
    refuse([
      ...(name?.error ? issuesOf(name.error, 'name') : []),
      ...(definition?.error ? issuesOf(definition.error, 'definition') : []),
      ...(definition?.data ? lintWorkflow(definition.data) : []),
      ...(definition?.data ? await unknownNames(organizationId, definition.data, current) : []),
    ]);
    return {
      ...(name?.data === undefined ? {} : { name: name.data }),
      ...(definition?.data === undefined ? {} : { definition: definition.data }),
    };
  }

  return {
    async create(organizationId, input) {
      const { name, definition } = await check(organizationId, input);
      if (name === undefined || definition === undefined) {
        throw new CallkiteError('validation_failed', 'Give the workflow a name and a definition');
      }
      return workflows.create({ id: createId('wf'), organizationId, name, definition });
    },
    async get(organizationId, id, version) {
      const current = await workflows.get(organizationId, id);
      if (!current) throw await missing(organizationId, id);
      if (version === undefined || version === current.version) return current;
      const earlier = await workflows.getVersion(organizationId, id, version);
      if (!earlier) throw new CallkiteError('not_found', 'There is no such version of the workflow');
      return earlier;
    },
    list: (organizationId, page) => workflows.list(organizationId, page),
    summaries: (organizationId) => workflows.listSummaries(organizationId),
    async update(organizationId, id, change) {
      const current = await workflows.get(organizationId, id);
      if (!current) throw await missing(organizationId, id);
      const checked = await check(organizationId, change, current.definition);
      const { expectedVersion } = change;
      const updated = await workflows.update(organizationId, id, {
        ...checked,
        ...(expectedVersion === undefined ? {} : { expectedVersion }),
      });
      if (!updated) throw await missing(organizationId, id);
      return updated;
    },
    async delete(organizationId, id) {
      if (!(await workflows.delete(organizationId, id))) throw await missing(organizationId, id);
    },
  };
}
