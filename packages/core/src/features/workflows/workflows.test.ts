import type { WorkflowDefinitionInput } from '@callkite/contract';
import { describe, expect, it } from 'vitest';
import { CallkiteError } from '../../kernel/errors.ts';
import type { Scope } from '../../kernel/mode.ts';
import type { WorkflowRecord, WorkflowStore } from './workflow-store.ts';
import { createWorkflows } from './workflows.ts';

const live: Scope = { organizationId: 'org_1', mode: 'live' };
const test: Scope = { ...live, mode: 'test' };
const stranger: Scope = { ...live, organizationId: 'org_2' };
const definition: WorkflowDefinitionInput = { objective: 'Confirm the visit' };

/** Keeps workflows and their versions in memory. */
function memoryWorkflows(): WorkflowStore {
  const versions: WorkflowRecord[] = [];
  const deleted = new Set<string>();
  const current = (id: string) => versions.findLast((record) => record.id === id);
  const isSeen = ({ organizationId, mode }: Scope, record: WorkflowRecord) =>
    record.organizationId === organizationId && (record.mode === mode || record.mode === 'live');
  const seen = (scope: Scope, id: string) => {
    const record = current(id);
    return record && isSeen(scope, record) && !deleted.has(id) ? record : null;
  };
  const own = (scope: Scope, id: string) => {
    const record = seen(scope, id);
    return record?.mode === scope.mode ? record : null;
  };
  return {
    async create({ organizationId, mode }, workflow) {
      const record = {
        organizationId,
        mode,
        ...workflow,
        source: 'api',
        version: 1,
        createdAt: new Date(),
        updatedAt: new Date(),
      } as const;
      versions.push(record);
      return record;
    },
    get: async (scope, id) => seen(scope, id),
    async ownerOf(id) {
      const record = current(id);
      return record ? { organizationId: record.organizationId, deleted: deleted.has(id) } : null;
    },
    getVersion: async (scope, id, version) =>
      versions.find((each) => isSeen(scope, each) && each.id === id && each.version === version) ?? null,
    list: async (scope) => ({
      items: versions.filter((each) => isSeen(scope, each)),
      nextCursor: null,
    }),
    listSummaries: async (scope) =>
      versions.filter((each) => isSeen(scope, each)).map(({ id, name }) => ({ id, name })),
    async update(scope, id, { expectedVersion, ...change }) {
      const record = own(scope, id);
      if (!record) return null;
      if (expectedVersion !== undefined && expectedVersion !== record.version) {
        throw new CallkiteError('conflict', 'The workflow was changed meanwhile');
      }
      const next = { ...record, ...change, version: record.version + 1 };
      versions.push(next);
      return next;
    },
    async delete(scope, id) {
      if (!own(scope, id)) return false;
      deleted.add(id);
      return true;
    },
  };
}

const isOurs = ({ organizationId, mode }: Scope) =>
  organizationId === live.organizationId && mode === live.mode;

const workflows = createWorkflows({
  storage: {
    workflows: memoryWorkflows(),
    deliveries: {
      getIntegration: async (scope, id) =>
        isOurs(scope) && id === 'whk_1'
          ? {
              id,
              ...live,
              name: 'CRM',
              url: 'https://example.com/hook',
              sealedSecret: 'sealed',
              formerSecret: null,
              createdAt: new Date(),
            }
          : null,
    },
    forms: {
      get: async (scope, id) =>
        isOurs(scope) && id === 'form_1'
          ? {
              id,
              ...live,
              title: 'Visit',
              version: 1,
              fields: [],
              createdAt: new Date(),
              updatedAt: new Date(),
            }
          : null,
    },
    transfers: {
      getIntegration: async ({ organizationId }, id) =>
        organizationId === live.organizationId && id === 'tri_1'
          ? {
              id,
              organizationId,
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
  isTransferAvailable: async ({ mode }) => mode === profileApproved,
});

/** The mode whose carrier account has an approved business profile. */
let profileApproved: 'live' | 'test' = 'live';

async function issuesOf(input: { name?: string; definition?: unknown }): Promise<string[]> {
  const error: unknown = await workflows
    .create(live, { name: 'Visit', definition, ...input } as never)
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
    const created = await workflows.create(live, { name: ' Visit ', definition });
    expect(created).toMatchObject({ id: expect.stringMatching(/^wf_/), name: 'Visit', version: 1 });
    expect(created.definition.endRules.silenceSeconds).toBe(8);
    const renamed = await workflows.update(live, created.id, {
      name: 'Visits',
      expectedVersion: 1,
    });
    expect(renamed).toMatchObject({ name: 'Visits', version: 2, definition: created.definition });
    expect(await workflows.get(live, created.id)).toEqual(renamed);
    expect(await workflows.get(live, created.id, 1)).toEqual(created);
    expect(await workflows.get(live, created.id, 2)).toEqual(renamed);
    await expect(workflows.get(live, created.id, 3)).rejects.toMatchObject({ code: 'not_found' });
    await expect(
      workflows.update(live, created.id, { name: 'Other', expectedVersion: 1 }),
    ).rejects.toMatchObject({ code: 'conflict' });
    expect(await workflows.summaries(live)).toContainEqual({ id: created.id, name: 'Visits' });
    expect((await workflows.list(live, { limit: 10, cursor: null })).items).toContainEqual(renamed);
  });

  it('tells foreign workflows from missing and deleted ones', async () => {
    const { id } = await workflows.create(live, { name: 'Visit', definition });
    for (const attempt of [
      () => workflows.get(stranger, id),
      () => workflows.update(stranger, id, { name: 'Mine' }),
      () => workflows.delete(stranger, id),
    ]) {
      await expect(attempt()).rejects.toMatchObject({ code: 'forbidden' });
    }
    await expect(workflows.get(live, 'wf_unknown')).rejects.toMatchObject({ code: 'not_found' });
    await workflows.delete(live, id);
    await expect(workflows.get(live, id)).rejects.toMatchObject({ code: 'not_found' });
    await expect(workflows.delete(live, id)).rejects.toMatchObject({ code: 'not_found' });
    await expect(workflows.get(stranger, id)).rejects.toMatchObject({ code: 'not_found' });
  });

  it('lets test mode read and not change live workflows, and live mode not see those of test mode', async () => {
    const { id } = await workflows.create(live, { name: 'Visit', definition });
    expect(await workflows.get(test, id)).toMatchObject({ mode: 'live' });
    await expect(workflows.update(test, id, { name: 'Mine' })).rejects.toMatchObject({ code: 'forbidden' });
    await expect(workflows.delete(test, id)).rejects.toMatchObject({ code: 'forbidden' });
    const own = await workflows.create(test, { name: 'Draft', definition });
    for (const attempt of [
      () => workflows.get(live, own.id),
      () => workflows.update(live, own.id, { name: 'Mine' }),
      () => workflows.delete(live, own.id),
    ]) {
      await expect(attempt()).rejects.toMatchObject({ code: 'not_found' });
    }
    expect(await workflows.update(test, own.id, { name: 'Mine' })).toMatchObject({
      name: 'Mine',
      mode: 'test',
    });
    await expect(
      workflows.create(test, {
        name: 'Draft',
        definition: { ...definition, metadata: { webhooks: ['whk_1'] } },
      }),
    ).rejects.toMatchObject({ code: 'validation_failed' });
  });

  it('takes transfers that exist, once each, and where the business profile allows them', async () => {
    const issues = (transfer: string[]) =>
      issuesOf({ definition: { ...definition, abilities: { transfer } } });
    expect(await issues(['tri_1'])).toEqual([]);
    expect(await issues(['tri_1', 'tri_2'])).toEqual(['definition.abilities.transfer.1']);
    expect(await issues(['tri_1', 'tri_1'])).toEqual(['definition.abilities.transfer.1']);
    profileApproved = 'test';
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
    const created = await workflows.create(live, {
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
