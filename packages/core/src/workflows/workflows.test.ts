import type { WorkflowDefinitionInput } from '@callkite/contract';
import { describe, expect, it } from 'vitest';
import { CallkiteError } from '../errors.ts';
import type { WorkflowRecord, WorkflowStore } from '../ports/workflow-store.ts';
import { createWorkflows } from './workflows.ts';

const organizationId = 'org_1';
const definition: WorkflowDefinitionInput = { objective: 'Confirm the visit' };

/** Keeps workflows and their versions in memory. */
function memoryWorkflows(): WorkflowStore {
  const versions: WorkflowRecord[] = [];
  const deleted = new Set<string>();
  const current = (id: string) => versions.findLast((record) => record.id === id);
  const own = (organization: string, id: string) => {
    const record = current(id);
    return record && record.organizationId === organization && !deleted.has(id) ? record : null;
  };
  return {
    async create(workflow) {
      const record = {
        ...workflow,
        source: 'api',
        version: 1,
        createdAt: new Date(),
        updatedAt: new Date(),
      } as const;
      versions.push(record);
      return record;
    },
    get: async (organization, id) => own(organization, id),
    async ownerOf(id) {
      const record = current(id);
      return record ? { organizationId: record.organizationId, deleted: deleted.has(id) } : null;
    },
    getVersion: async (organization, id, version) =>
      versions.find(
        (each) => each.organizationId === organization && each.id === id && each.version === version,
      ) ?? null,
    list: async (organization) => ({
      items: versions.filter((each) => each.organizationId === organization),
      nextCursor: null,
    }),
    listSummaries: async (organization) =>
      versions.filter((each) => each.organizationId === organization).map(({ id, name }) => ({ id, name })),
    async update(organization, id, { expectedVersion, ...change }) {
      const record = own(organization, id);
      if (!record) return null;
      if (expectedVersion !== undefined && expectedVersion !== record.version) {
        throw new CallkiteError('conflict', 'The workflow was changed meanwhile');
      }
      const next = { ...record, ...change, version: record.version + 1 };
      versions.push(next);
      return next;
    },
    async delete(organization, id) {
      if (!own(organization, id)) return false;
      deleted.add(id);
      return true;
    },
  };
}

const workflows = createWorkflows({
  storage: {
    workflows: memoryWorkflows(),
    deliveries: {
      getIntegration: async (organization, id) =>
        organization === organizationId && id === 'whk_1'
          ? {
              id,
              organizationId: organization,
              name: 'CRM',
              url: 'https://example.com/hook',
              sealedSecret: 'sealed',
              formerSecret: null,
              createdAt: new Date(),
            }
          : null,
    },
    forms: {
      get: async (organization, id) =>
        organization === organizationId && id === 'form_1'
          ? {
              id,
              organizationId: organization,
              title: 'Visit',
              version: 1,
              fields: [],
              createdAt: new Date(),
              updatedAt: new Date(),
            }
          : null,
    },
    transfers: {
      getIntegration: async (organization, id) =>
        organization === organizationId && id === 'tri_1'
          ? {
              id,
              organizationId: organization,
              name: 'Billing',
              mode: 'warm',
              phoneNumber: '+12025550160',
              transferUrl: null,
              fallbackNumbers: [],
              ringSeconds: 25,
              takeMessages: true,
              createdAt: new Date(),
            }
          : null,
    },
  },
  toolNames: ['find_order'],
  hasSpeechModel: false,
  isTransferAvailable: async (_organizationId, mode) => mode === profileApproved,
});

/** The mode whose carrier account has an approved business profile. */
let profileApproved: 'live' | 'test' | null = 'live';

async function issuesOf(input: { name?: string; definition?: unknown }): Promise<string[]> {
  const error: unknown = await workflows
    .create(organizationId, { name: 'Visit', definition, ...input } as never)
    .then(() => null)
    .catch((reason: unknown) => reason);
  if (error === null) return [];
  expect(error).toMatchObject({ code: 'validation_failed' });
  const { issues } = (error as CallkiteError).details as { issues: { path: string; message: string }[] };
  for (const { message } of issues) expect(message).not.toBe('');
  return issues.map(({ path }) => path);
}

describe('createWorkflows', () => {
  it('creates, updates and keeps versions', async () => {
    const created = await workflows.create(organizationId, { name: ' Visit ', definition });
    expect(created).toMatchObject({ id: expect.stringMatching(/^wf_/), name: 'Visit', version: 1 });
    expect(created.definition.endRules.silenceSeconds).toBe(8);
    const renamed = await workflows.update(organizationId, created.id, {
      name: 'Visits',
      expectedVersion: 1,
    });
    expect(renamed).toMatchObject({ name: 'Visits', version: 2, definition: created.definition });
    expect(await workflows.get(organizationId, created.id)).toEqual(renamed);
    expect(await workflows.get(organizationId, created.id, 1)).toEqual(created);
    expect(await workflows.get(organizationId, created.id, 2)).toEqual(renamed);
    await expect(workflows.get(organizationId, created.id, 3)).rejects.toMatchObject({ code: 'not_found' });
    await expect(
      workflows.update(organizationId, created.id, { name: 'Other', expectedVersion: 1 }),
    ).rejects.toMatchObject({ code: 'conflict' });
    expect(await workflows.summaries(organizationId)).toContainEqual({ id: created.id, name: 'Visits' });
    expect((await workflows.list(organizationId, { limit: 10, cursor: null })).items).toContainEqual(renamed);
  });

  it('tells foreign workflows from missing and deleted ones', async () => {
    const { id } = await workflows.create(organizationId, { name: 'Visit', definition });
    for (const attempt of [
      () => workflows.get('org_2', id),
      () => workflows.update('org_2', id, { name: 'Mine' }),
      () => workflows.delete('org_2', id),
    ]) {
      await expect(attempt()).rejects.toMatchObject({ code: 'forbidden' });
    }
    await expect(workflows.get(organizationId, 'wf_unknown')).rejects.toMatchObject({ code: 'not_found' });
    await workflows.delete(organizationId, id);
    await expect(workflows.get(organizationId, id)).rejects.toMatchObject({ code: 'not_found' });
    await expect(workflows.delete(organizationId, id)).rejects.toMatchObject({ code: 'not_found' });
    await expect(workflows.get('org_2', id)).rejects.toMatchObject({ code: 'not_found' });
  });

  it('takes transfers that exist, once each, and where the business profile allows them', async () => {
    const issues = (transfer: string[]) =>
      issuesOf({ definition: { ...definition, abilities: { transfer } } });
    expect(await issues(['tri_1'])).toEqual([]);
    expect(await issues(['tri_1', 'tri_2'])).toEqual(['definition.abilities.transfer.1']);
    expect(await issues(['tri_1', 'tri_1'])).toEqual(['definition.abilities.transfer.1']);
    profileApproved = 'test';
    expect(await issues(['tri_1'])).toEqual([]);
    profileApproved = null;
    expect(await issues(['tri_1'])).toEqual(['definition.abilities.transfer']);
    expect(await issues([])).toEqual([]);
    profileApproved = 'live';
  });

  it('tells everything that is wrong at once', async () => {
    expect(
      await issuesOf({
        name: '',
        definition: { objective: ' ', language: 'English', steps: [{ title: 'x' }] },
      }),
    ).toEqual(['name', 'definition.language', 'definition.objective', 'definition.steps.0.instruction']);
  });

  it('finds what the schema cannot see', async () => {
    const step = (title: string) => ({ title, instruction: 'Ask.' });
    expect(
      await issuesOf({
        definition: {
          ...definition,
          language: 'en-abcde-abcde',
          steps: [step('Ask'), step('Close'), step('ask')],
          endRules: { maximumDurationSeconds: 30, silenceSeconds: 30 },
        },
      }),
    ).toEqual(['definition.language', 'definition.steps.2.title', 'definition.endRules.silenceSeconds']);
  });

  it('limits free metadata', async () => {
    let deep: unknown = 'end';
    for (let level = 0; level < 40; level += 1) deep = [deep];
    const wide = Object.fromEntries(Array.from({ length: 201 }, (_, index) => [`key${index}`, index]));
    expect(await issuesOf({ definition: { ...definition, metadata: { deep } } })).toEqual([
      'definition.metadata',
    ]);
    expect(await issuesOf({ definition: { ...definition, metadata: wide } })).toEqual([
      'definition.metadata',
    ]);
    expect(await issuesOf({ definition: { ...definition, metadata: { note: 'x'.repeat(70_000) } } })).toEqual(
      ['definition'],
    );
    expect(await issuesOf({ definition: { ...definition, metadata: { crm: { stage: 'lead' } } } })).toEqual(
      [],
    );
  });

  it('does not let metadata reach a prototype', async () => {
    const metadata: unknown = JSON.parse('{"__proto__": {"webhooks": ["whk_1"]}}');
    const created = await workflows.create(organizationId, {
      name: 'Visit',
      definition: { ...definition, metadata } as WorkflowDefinitionInput,
    });
    expect(created.definition.metadata.webhooks).toBeUndefined();
    expect(Object.getPrototypeOf(created.definition.metadata)).toBe(Object.prototype);
  });

  it('knows the organization’s webhooks', async () => {
    expect(await issuesOf({ definition: { ...definition, metadata: { webhooks: ['whk_1'] } } })).toEqual([]);
    expect(
      await issuesOf({ definition: { ...definition, metadata: { webhooks: ['whk_1', 'whk_2'] } } }),
    ).toEqual(['definition.metadata.webhooks.1']);
  });

  it('knows the organization’s forms and the server’s tools', async () => {
    expect(
      await issuesOf({ definition: { ...definition, forms: ['form_1'], tools: ['find_order'] } }),
    ).toEqual([]);
    expect(
      await issuesOf({ definition: { ...definition, forms: ['form_1', 'form_2'], tools: ['delete_all'] } }),
    ).toEqual(['definition.forms.1', 'definition.tools.0']);
    expect(await issuesOf({ definition: { ...definition, forms: ['form_1', 'form_1'] } })).toEqual([
      'definition.forms.1',
    ]);
  });
});
