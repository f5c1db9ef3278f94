import assert from 'node:assert/strict';
import { createId } from '../../kernel/ids.ts';
import type { Scope } from '../../kernel/mode.ts';
import type { Storage } from '../../storage.ts';
import {
  addLine,
  createTenant,
  definition,
  fictional,
  firstPage,
  type StorageTest,
  type Tenant,
} from './tenant.ts';

const blank = { name: 'Blank', definition };

/** Each mode of an organization, with the other one. */
function modesOf({ organizationId }: Tenant): readonly (readonly [scope: Scope, other: Scope])[] {
  const live: Scope = { organizationId, mode: 'live' };
  const test: Scope = { organizationId, mode: 'test' };
  return [
    [live, test],
    [test, live],
  ];
}

/** An organization with a line for the calls of each mode. */
async function createTenantWithLines(storage: Storage): Promise<Tenant> {
  const tenant = await createTenant(storage);
  await addLine(storage, tenant, 'test');
  return tenant;
}

/** Takes a call of a mode in. */
async function acceptCall(storage: Storage, tenant: Tenant, { mode }: Scope): Promise<string> {
  const input = tenant.input({ mode });
  assert.equal((await storage.calls.accept(input)).result, 'accepted');
  return input.callId;
}

/** That live and test mode of one organization are kept apart. */
export function modesContract(test: StorageTest): void {
  test('calls belong to one mode', async (storage) => {
    const tenant = await createTenantWithLines(storage);
    const { calls } = storage;
    for (const [scope, other] of modesOf(tenant)) {
      const callId = await acceptCall(storage, tenant, scope);
      assert.equal((await calls.get(scope, callId))?.mode, scope.mode);
      assert.equal(await calls.get(other, callId), null);
      const page = await calls.list(other, {}, firstPage);
      assert.ok(page.items.every(({ mode }) => mode === other.mode));
      assert.equal(await calls.cancel(other, callId), null);
      assert.equal((await calls.get(scope, callId))?.state, 'queued');
      await calls.cancel(scope, callId);
      assert.equal(await calls.erase(other, callId, blank), null);
      assert.equal((await calls.get(scope, callId))?.erasedAt, null);
    }
  });

  test('webhooks and their deliveries belong to one mode', async (storage) => {
    const tenant = await createTenant(storage);
    const { deliveries } = storage;
    for (const [scope, other] of modesOf(tenant)) {
      const { id: integrationId } = await deliveries.createIntegration(scope, {
        id: createId('whk'),
        name: 'CRM',
        url: 'https://example.com/hook',
        sealedSecret: 'sealed',
      });
      const rotation = { sealedSecret: 'theirs', formerLifetimeMs: 60_000 };
      assert.equal(await deliveries.getIntegration(other, integrationId), null);
      assert.ok(
        (await deliveries.listIntegrations(other, firstPage)).items.every(({ mode }) => mode === other.mode),
      );
      assert.equal(await deliveries.rotateSecret(other, integrationId, rotation), null);

      const { id } = await deliveries.create({
        id: createId('dlv'),
        ...scope,
        callId: null,
        kind: 'webhook',
        integrationId,
        url: 'https://example.com/hook',
        sealedBearer: null,
        body: '{}',
      });
      await deliveries.beginAttempt(id);
      await deliveries.finishAttempt(id, 1, { statusCode: 500, error: null, status: 'failed' });
      assert.equal((await deliveries.get(scope, id))?.status, 'failed');
      assert.equal((await deliveries.listAttempts(scope, id)).length, 1);
      assert.equal(await deliveries.get(other, id), null);
      assert.deepEqual((await deliveries.list(other, { integrationId }, firstPage)).items, []);
      assert.deepEqual(await deliveries.listAttempts(other, id), []);
      assert.equal(await deliveries.resend(other, id), null);
      assert.equal(await deliveries.deleteIntegration(other, integrationId), false);
      assert.equal((await deliveries.get(scope, id))?.status, 'failed');
      assert.equal((await deliveries.getIntegration(scope, integrationId))?.sealedSecret, 'sealed');
    }
  });

  test('whom calls are transferred to belongs to one mode', async (storage) => {
    const tenant = await createTenant(storage);
    const { transfers } = storage;
    for (const [scope, other] of modesOf(tenant)) {
      const created = await transfers.createIntegration(scope, {
        id: createId('tri'),
        name: 'Billing',
        mode: 'warm',
        phoneNumber: fictional(60),
        transferUrl: null,
        fallbackNumbers: [],
        ringSeconds: 25,
        takeMessages: true,
      });
      const { id } = created;
      assert.equal(await transfers.getIntegration(other, id), null);
      const { items } = await transfers.listIntegrations(other, firstPage);
      assert.ok(items.every((each) => each.id !== id));
      assert.equal(await transfers.updateIntegration(other, id, { phoneNumber: fictional(61) }), null);
      assert.equal(await transfers.deleteIntegration(other, id), false);
      assert.deepEqual(await transfers.getIntegration(scope, id), created);
    }
  });

  test('connections and numbers belong to one mode', async (storage) => {
    const tenant = await createTenantWithLines(storage);
    const { organizations } = storage;
    for (const [scope, other] of modesOf(tenant)) {
      const [connection] = await organizations.listConnections(scope);
      const numbers = await organizations.listNumbers(scope);
      const [number] = numbers;
      assert.ok(connection?.mode === scope.mode && number?.mode === scope.mode);
      assert.equal(number.isDefault, true, 'each mode has a default of its own');
      assert.equal(numbers.length, 1);
      assert.equal(await organizations.getConnection(other, connection.id), null);
      assert.equal(await organizations.deleteConnection(other, connection.id), false);
      assert.equal(await organizations.disconnectNumber(other, number.id), false);
      assert.deepEqual(await organizations.listNumbers(scope), numbers);
    }
  });

  test('an opt-out in one mode leaves calls of the other alone', async (storage) => {
    const tenant = await createTenantWithLines(storage);
    const [[live, tried]] = modesOf(tenant) as [readonly [Scope, Scope]];
    const to = fictional(33);
    const number = { phoneNumber: to, numberKey: `key of ${to}` };
    const waiting = tenant.input({ mode: 'test', to });
    await storage.calls.accept(waiting);
    await storage.doNotCall.add(live, [number], {
      source: 'api',
      reason: null,
      callId: null,
      addedBy: 'key_1',
    });
    assert.equal((await storage.calls.get(tried, waiting.callId))?.state, 'queued');
    assert.equal((await storage.calls.accept(tenant.input({ mode: 'test', to }))).result, 'accepted');
    assert.equal((await storage.calls.accept(tenant.input({ to }))).result, 'number-opted-out');
  });

  test('test mode sees workflows of live mode and changes none, and live mode sees none of test mode', async (storage) => {
    const tenant = await createTenant(storage);
    const { workflows } = storage;
    const [[live, tried]] = modesOf(tenant) as [readonly [Scope, Scope]];
    const ids = async (scope: Scope) => (await workflows.listSummaries(scope, {})).map(({ id }) => id);
    const seen = await workflows.get(live, tenant.workflowId);
    assert.deepEqual(await workflows.get(tried, tenant.workflowId), seen);
    assert.deepEqual(await workflows.getVersion(tried, tenant.workflowId, 1), seen);
    assert.equal(await workflows.update(tried, tenant.workflowId, { name: 'x' }), null);
    assert.equal(await workflows.delete(tried, tenant.workflowId), false);
    assert.deepEqual(await workflows.get(live, tenant.workflowId), seen);

    const { id } = await workflows.create(tried, { id: createId('wf'), name: 'Trial', definition });
    assert.deepEqual(new Set(await ids(tried)), new Set([id, tenant.workflowId]));
    assert.deepEqual(await ids(live), [tenant.workflowId]);
    assert.equal(await workflows.get(live, id), null);
    assert.equal(await workflows.getVersion(live, id, 1), null);
    assert.equal(await workflows.update(live, id, { name: 'x' }), null);
    assert.equal(await workflows.delete(live, id), false);
    const work = { origin: 'workflow', workflowId: id } as const;
    assert.notEqual((await storage.calls.accept(tenant.input({ work }))).result, 'accepted');

    const prompt = tenant.promptInput();
    assert.equal((await storage.calls.accept(prompt)).result, 'accepted');
    const { workflowId } = prompt.work;
    assert.ok((await workflows.get(live, workflowId)) !== null);
    assert.equal(await workflows.get(tried, workflowId), null, 'it says whom the call was with');
    assert.equal(await workflows.getVersion(tried, workflowId, 1), null);
  });

  test('test mode sees forms of live mode and changes none, and live mode sees none of test mode', async (storage) => {
    const tenant = await createTenant(storage);
    const { forms } = storage;
    const [[live, tried]] = modesOf(tenant) as [readonly [Scope, Scope]];
    const create = (scope: Scope) =>
      forms.create(scope, {
        id: createId('form'),
        title: 'Contact',
        fields: [{ name: 'Name', type: 'text', required: true }],
      });
    const seen = await create(live);
    assert.deepEqual(await forms.get(tried, seen.id), seen);
    assert.equal(await forms.update(tried, seen.id, { title: 'x' }), null);
    assert.equal(await forms.delete(tried, seen.id), false);
    assert.deepEqual(await forms.get(live, seen.id), seen);

    const { id } = await create(tried);
    assert.equal(await forms.get(live, id), null);
    assert.equal(await forms.getVersion(live, id, 1), null);
    assert.deepEqual((await forms.list(live, firstPage)).items, [seen]);
    assert.equal(await forms.update(live, id, { title: 'x' }), null);
    assert.equal(await forms.delete(live, id), false);
  });
}
