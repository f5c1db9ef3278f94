import assert from 'node:assert/strict';
import type { FormField } from '@callkite/contract';
import { createId } from '../../kernel/ids.ts';
import type { Scope } from '../../kernel/mode.ts';
import type { Storage } from '../../storage.ts';
import { createTenant, definition, type StorageTest, tick } from './tenant.ts';

const fields: readonly FormField[] = [
  { name: 'Full name', type: 'text', required: true },
  { name: 'Drinks', type: 'multi-select', required: false, options: ['Tea', 'Coffee'] },
];

/** Forms, their versions, and what calls fill in. */
export function formsContract(test: StorageTest): void {
  const create = async (storage: Storage, scope: Scope, title = 'Visit') =>
    storage.forms.create(scope, { id: createId('form'), title, fields });

  test('a changed form keeps the version before', async (storage) => {
    const tenant = await createTenant(storage);
    const { forms } = storage;
    const first = await create(storage, tenant);
    assert.equal(first.version, 1);
    const { id } = first;
    const second = await forms.update(tenant, id, { title: 'Renamed', expectedVersion: 1 });
    assert.equal(second?.version, 2);
    assert.equal(second?.title, 'Renamed');
    assert.deepEqual(second?.fields, fields);
    assert.deepEqual(await forms.get(tenant, id), second);
    assert.deepEqual(await forms.getVersion(tenant, id, 1), first);
    assert.equal(await forms.getVersion(tenant, id, 3), null);
    await assert.rejects(forms.update(tenant, id, { title: 'x', expectedVersion: 1 }), {
      code: 'conflict',
    });
    const third = await forms.update(tenant, id, { fields: fields.slice(0, 1) });
    assert.equal(third?.title, 'Renamed');
    assert.equal(third?.fields.length, 1);
  });

  test('forms belong to one organization, and a deleted one is gone', async (storage) => {
    const tenant = await createTenant(storage);
    const { organizationId } = tenant;
    const stranger = await createTenant(storage);
    const { forms } = storage;
    const first = await create(storage, tenant);
    await tick();
    const { id } = await create(storage, tenant, 'Second');
    const page = await forms.list(tenant, { limit: 1, cursor: null });
    assert.deepEqual(
      page.items.map((form) => form.id),
      [id],
    );
    const rest = await forms.list(tenant, { limit: 1, cursor: page.nextCursor });
    assert.deepEqual(rest.items, [first]);
    assert.equal(rest.nextCursor, null);
    assert.equal(await forms.get(stranger, id), null);
    assert.equal(await forms.getVersion(stranger, id, 1), null);
    assert.equal(await forms.update(stranger, id, { title: 'x' }), null);
    assert.equal(await forms.delete(stranger, id), false);
    assert.deepEqual(await forms.ownerOf(id), { organizationId, deleted: false });
    assert.equal(await forms.delete(tenant, id), true);
    assert.equal(await forms.delete(tenant, id), false);
    assert.equal(await forms.get(tenant, id), null);
    assert.equal(await forms.update(tenant, id, { title: 'x' }), null);
    assert.equal((await forms.getVersion(tenant, id, 1))?.title, 'Second');
    assert.deepEqual(await forms.ownerOf(id), { organizationId, deleted: true });
    assert.equal(await forms.ownerOf(createId('form')), null);
    assert.deepEqual((await forms.list(tenant, { limit: 10, cursor: null })).items, [first]);
  });

  test('a call keeps the versions of the forms it was accepted with', async (storage) => {
    const tenant = await createTenant(storage);
    const { workflowId } = tenant;
    const stranger = await createTenant(storage);
    const { forms } = storage;
    const [first, second, deleted] = [
      await create(storage, tenant, 'First'),
      await create(storage, tenant, 'Second'),
      await create(storage, tenant, 'Deleted'),
    ];
    const foreign = await create(storage, stranger);
    await storage.workflows.update(tenant, workflowId, {
      definition: {
        ...definition,
        forms: [second.id, foreign.id, deleted.id, first.id, second.id, createId('form')],
      },
    });
    await forms.delete(tenant, deleted.id);
    const earlier = await tenant.accept();
    await forms.update(tenant, second.id, { title: 'Changed' });
    const later = await tenant.accept();
    await forms.delete(tenant, first.id);
    const titles = async (callId: string) => (await forms.ofCall(callId)).map(({ title }) => title);
    assert.deepEqual(await titles(earlier), ['Second', 'First']);
    assert.deepEqual(await titles(later), ['Changed', 'First']);
    assert.deepEqual(await forms.ofCall(createId('call')), []);
    const prompt = tenant.promptInput();
    await storage.calls.accept(prompt);
    assert.deepEqual(await forms.ofCall(prompt.callId), []);
  });

  test('of the answers for a field the last one stays, and other forms are untouched', async (storage) => {
    const tenant = await createTenant(storage);
    const { workflowId } = tenant;
    const { forms } = storage;
    const one = await create(storage, tenant, 'One');
    const two = await create(storage, tenant, 'Two');
    await storage.workflows.update(tenant, workflowId, {
      definition: { ...definition, forms: [one.id, two.id] },
    });
    const callId = await tenant.accept();
    const other = await tenant.accept();
    const answer = { field: 'Full name', value: 'Jordan', confirmed: false, quote: '"Jordan"' };
    await forms.storeAnswer(callId, one.id, answer);
    await forms.storeAnswer(callId, one.id, { ...answer, value: 'Jordana', confirmed: true });
    await forms.storeAnswer(callId, two.id, { ...answer, field: 'Drinks', value: ['Tea'] });
    await forms.storeAnswer(callId, two.id, { ...answer, value: 7.5 });
    const filled = await forms.ofCall(callId);
    assert.deepEqual(filled[0]?.fields, fields);
    assert.deepEqual(
      filled[0]?.answers.map(({ at, ...rest }) => [at instanceof Date, rest]),
      [[true, { ...answer, value: 'Jordana', confirmed: true }]],
    );
    assert.deepEqual(
      new Map(filled[1]?.answers.map(({ field, value }) => [field, value])),
      new Map<string, unknown>([
        ['Drinks', ['Tea']],
        ['Full name', 7.5],
      ]),
    );
    assert.ok((await forms.ofCall(other)).every(({ answers }) => answers.length === 0));
    await assert.rejects(forms.storeAnswer(callId, createId('form'), answer), { code: 'not_found' });
    // Taken back.
    for (let times = 0; times < 2; times += 1) await forms.removeAnswer(callId, two.id, 'Full name');
    const [kept, emptied] = await forms.ofCall(callId);
    assert.equal(kept?.answers.length, 1);
    assert.deepEqual(
      emptied?.answers.map(({ field }) => field),
      ['Drinks'],
    );
    await forms.storeAnswer(callId, two.id, { ...answer, value: 8 });
    assert.equal((await forms.ofCall(callId))[1]?.answers.length, 2);
    await assert.rejects(forms.removeAnswer(callId, createId('form'), 'Drinks'), { code: 'not_found' });
  });
}
