import assert from 'node:assert/strict';
import { createId } from '../../kernel/ids.ts';
import { createTenant, definition, firstPage, type StorageTest, tick } from './tenant.ts';

/** Workflows and their versions. */
export function workflowsContract(test: StorageTest): void {
  test('a change adds a version and keeps the one before', async (storage) => {
    const tenant = await createTenant(storage);
    const { workflowId } = tenant;
    const { workflows } = storage;
    const first = await workflows.get(tenant, workflowId);
    assert.equal(first?.version, 1);
    assert.equal(first?.source, 'api');
    const changed = { ...definition, objective: 'Something new.' };
    const second = await workflows.update(tenant, workflowId, {
      name: 'Renamed',
      definition: changed,
      expectedVersion: 1,
    });
    assert.equal(second?.version, 2);
    assert.equal(second?.name, 'Renamed');
    assert.deepEqual(second?.definition, changed);
    assert.deepEqual(second?.createdAt, first?.createdAt);
    assert.deepEqual(await workflows.get(tenant, workflowId), second);
    assert.deepEqual(await workflows.getVersion(tenant, workflowId, 1), first);
    assert.equal(await workflows.getVersion(tenant, workflowId, 3), null);
    const third = await workflows.update(tenant, workflowId, { name: 'Again' });
    assert.equal(third?.version, 3);
    assert.deepEqual(third?.definition, changed);
    await assert.rejects(workflows.update(tenant, workflowId, { name: 'x', expectedVersion: 1 }), {
      code: 'conflict',
    });
  });

  test('of several changes to one version one succeeds', async (storage) => {
    const tenant = await createTenant(storage);
    const { workflowId } = tenant;
    const results = await Promise.allSettled(
      Array.from({ length: 5 }, (_, index) =>
        storage.workflows.update(tenant, workflowId, { name: `Name ${index}`, expectedVersion: 1 }),
      ),
    );
    assert.equal(results.filter(({ status }) => status === 'fulfilled').length, 1);
    await Promise.all(
      Array.from({ length: 5 }, () => storage.workflows.update(tenant, workflowId, { name: 'Last' })),
    );
    assert.equal((await storage.workflows.get(tenant, workflowId))?.version, 7);
  });

  test('a deleted workflow is gone, but its versions and owner are known', async (storage) => {
    const tenant = await createTenant(storage);
    const stranger = await createTenant(storage);
    const { organizationId, workflowId } = tenant;
    const { workflows } = storage;
    const callId = await tenant.accept();
    const first = await workflows.get(tenant, workflowId);
    assert.deepEqual(await workflows.ownerOf(workflowId), { organizationId, deleted: false });
    assert.equal(await workflows.delete(stranger, workflowId), false);
    assert.equal(await workflows.delete(tenant, workflowId), true);
    assert.equal(await workflows.delete(tenant, workflowId), false);
    assert.equal(await workflows.get(tenant, workflowId), null);
    assert.equal(await workflows.update(tenant, workflowId, { name: 'x' }), null);
    assert.deepEqual(await workflows.getVersion(tenant, workflowId, 1), first);
    assert.deepEqual(await workflows.ownerOf(workflowId), { organizationId, deleted: true });
    assert.equal(await workflows.ownerOf(createId('wf')), null);
    assert.deepEqual((await workflows.list(tenant, firstPage)).items, []);
    assert.deepEqual(await workflows.listSummaries(tenant, {}), []);
    assert.deepEqual((await tenant.claim()).call.id, callId, 'calls already accepted are made');
  });

  test('workflows are listed newest first, to their organization only', async (storage) => {
    const tenant = await createTenant(storage);
    const { workflowId } = tenant;
    const stranger = await createTenant(storage);
    const { workflows } = storage;
    const ids = [workflowId];
    for (const name of ['Second', 'Third']) {
      await tick();
      ids.unshift((await workflows.create(tenant, { id: createId('wf'), name, definition })).id);
    }
    const first = await workflows.list(tenant, { limit: 2, cursor: null });
    const second = await workflows.list(tenant, { limit: 2, cursor: first.nextCursor });
    assert.deepEqual(
      [...first.items, ...second.items].map(({ id }) => id),
      ids,
    );
    assert.equal(second.nextCursor, null);
    const made = [
      { id: ids[0], name: 'Third' },
      { id: ids[1], name: 'Second' },
      { id: ids[2], name: 'Reminder' },
    ];
    assert.deepEqual(await workflows.listSummaries(tenant, {}), made);
    await tick();
    const { callId } = tenant.promptInput();
    await tenant.accept({ ...tenant.promptInput(), callId });
    const generated = { id: (await tenant.call(callId)).workflowId, name: 'Opening hours' };
    assert.deepEqual(await workflows.listSummaries(tenant, {}), [generated, ...made]);
    assert.deepEqual(await workflows.listSummaries(tenant, { source: 'api' }), made);
    assert.deepEqual(await workflows.listSummaries(tenant, { source: 'prompt' }), [generated]);
    assert.equal(await workflows.get(stranger, workflowId), null);
    assert.equal(await workflows.getVersion(stranger, workflowId, 1), null);
    assert.equal(await workflows.update(stranger, workflowId, { name: 'x' }), null);
  });
}
