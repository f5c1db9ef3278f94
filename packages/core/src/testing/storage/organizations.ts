import assert from 'node:assert/strict';
import type { CarrierConnection, ConnectedNumber } from '../../calls/carrier-connection.ts';
import { createId } from '../../kernel/ids.ts';
import { createTenant, fictional, firstPage, type StorageTest, type Tenant, tick } from './tenant.ts';

/** Organizations, their keys, carrier connections and numbers. */
export function organizationsContract(test: StorageTest): void {
  test('organizations are stored and paged', async (storage) => {
    const created = [];
    for (const name of ['One', 'Two', 'Three']) {
      created.unshift(
        await storage.organizations.create({ id: createId('org'), name, allowedCountries: ['US', 'CA'] }),
      );
      await tick();
    }
    assert.deepEqual(await storage.organizations.get(created[0]?.id ?? ''), created[0]);
    assert.equal(await storage.organizations.get(createId('org')), null);
    const first = await storage.organizations.list({ limit: 2, cursor: null });
    assert.deepEqual(first.items, created.slice(0, 2));
    const second = await storage.organizations.list({ limit: 1, cursor: first.nextCursor });
    assert.deepEqual(second.items, created.slice(2));
    await assert.rejects(storage.organizations.list({ limit: 1, cursor: 'bm90IGEgY3Vyc29y' }), {
      code: 'validation_failed',
    });
  });

  test('API keys are found by their lookup id, and revoked once', async (storage) => {
    const tenant = await createTenant(storage);
    const stranger = await createTenant(storage);
    const { organizations } = storage;
    const lookupId = createId('key');
    const key = await organizations.createApiKey({
      id: createId('key'),
      organizationId: tenant.organizationId,
      mode: 'test',
      name: 'ci',
      lookupId,
      hash: 'abc',
    });
    assert.equal(key.mode, 'test');
    assert.deepEqual(await organizations.findApiKey(lookupId), key);
    assert.equal(await organizations.findApiKey('nobody'), null);
    assert.deepEqual((await organizations.listApiKeys(tenant.organizationId, firstPage)).items, [key]);
    assert.deepEqual((await organizations.listApiKeys(stranger.organizationId, firstPage)).items, []);
    assert.equal(await organizations.revokeApiKey(stranger.organizationId, key.id), null);
    const revoked = await organizations.revokeApiKey(tenant.organizationId, key.id);
    assert.ok(revoked !== null && revoked.revokedAt !== null);
    assert.deepEqual(await organizations.revokeApiKey(tenant.organizationId, key.id), revoked);
    assert.deepEqual(await organizations.findApiKey(lookupId), revoked);
  });

  test('connecting an account again updates it and lifts its blocks', async (storage) => {
    const tenant = await createTenant(storage);
    const stranger = await createTenant(storage);
    const { organizations } = storage;
    await storage.calls.pauseConnection(tenant.connectionId);
    await storage.calls.setConnectionDown(tenant.connectionId, 60_000);
    const before = await organizations.getConnection(tenant, tenant.connectionId);
    assert.ok(before !== null && before.downUntil !== null);
    assert.equal(before.status, 'paused');
    const { createdAt, status, downUntil, ...facts } = before;
    const saved = await organizations.saveConnection({
      ...facts,
      id: createId('con'),
      sealedSecret: 'new',
      callsPerSecond: 5,
      maximumConcurrentCalls: 7,
    });
    const expected: CarrierConnection = {
      ...before,
      sealedSecret: 'new',
      callsPerSecond: 5,
      maximumConcurrentCalls: 7,
      status: 'active',
      downUntil: null,
    };
    assert.deepEqual(saved, expected, 'the connection keeps its id');
    assert.deepEqual(await organizations.listConnections(tenant), [expected]);
    assert.equal(await organizations.getConnection(stranger, tenant.connectionId), null);
    assert.equal(await organizations.deleteConnection(stranger, tenant.connectionId), false);
  });

  test('the first number is the default, and another follows it', async (storage) => {
    const tenant = await createTenant(storage);
    const stranger = await createTenant(storage);
    const { organizations } = storage;
    const second = await organizations.connectNumber(number(tenant, fictional(50)));
    assert.equal(second.isDefault, false);
    const repeated = await organizations.connectNumber({
      ...number(tenant, fictional(50)),
      id: createId('num'),
    });
    assert.deepEqual(repeated, second, 'connecting again changes nothing');
    assert.equal((await organizations.listNumbers(tenant)).length, 2);
    assert.equal(await organizations.disconnectNumber(stranger, tenant.numberId), false);
    assert.equal(await organizations.disconnectNumber(tenant, tenant.numberId), true);
    assert.equal(await organizations.disconnectNumber(tenant, tenant.numberId), false);
    assert.deepEqual(await organizations.listNumbers(tenant), [{ ...second, isDefault: true }]);
    const callId = await tenant.accept();
    assert.equal((await tenant.call(callId)).from, fictional(50));
    assert.equal((await organizations.listNumbers(stranger)).length, 1);
  });

  test('of several first numbers at once exactly one is the default', async (storage) => {
    const tenant = await createTenant(storage);
    await storage.organizations.disconnectNumber(tenant, tenant.numberId);
    await Promise.all(
      [1, 2, 3, 4].map((index) => storage.organizations.connectNumber(number(tenant, fictional(60 + index)))),
    );
    const numbers = await storage.organizations.listNumbers(tenant);
    assert.equal(numbers.length, 4);
    assert.equal(numbers.filter((each) => each.isDefault).length, 1);
  });

  test('a number is not connected through another organization’s account', async (storage) => {
    const tenant = await createTenant(storage);
    const stranger = await createTenant(storage);
    await assert.rejects(
      storage.organizations.connectNumber({
        ...number(tenant, fictional(70)),
        connectionId: stranger.connectionId,
      }),
      { code: 'not_found' },
    );
  });
}

function number(tenant: Tenant, phoneNumber: string): Omit<ConnectedNumber, 'createdAt' | 'isDefault'> {
  return {
    id: createId('num'),
    organizationId: tenant.organizationId,
    connectionId: tenant.connectionId,
    mode: 'live',
    phoneNumber,
    providerNumberId: 'PN2',
  };
}
