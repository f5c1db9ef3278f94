import assert from 'node:assert/strict';
import { createId } from '../../kernel/ids.ts';
import { createTenant, type StorageTest } from './tenant.ts';

/** Sealed texts, for checking and changing the key they are sealed with. */
export function secretsContract(test: StorageTest): void {
  test('every secret that is sealed is listed, and replaced unless it changed meanwhile', async (storage) => {
    const tenant = await createTenant(storage);
    const { organizationId, mode, connectionId } = tenant;
    const { calls, deliveries, secrets } = storage;
    const { id: integrationId } = await deliveries.createIntegration(tenant, {
      id: createId('whk'),
      name: 'CRM',
      url: 'https://example.com/hook',
      sealedSecret: 'former',
    });
    const rotation = { sealedSecret: 'present', formerLifetimeMs: 60_000 };
    await deliveries.rotateSecret(tenant, integrationId, rotation);
    const callback = { callbackUrl: 'https://example.com/done', sealedCallbackSecret: 'bearer' };
    const finished = await tenant.placed(callback);
    const over = { providerCallId: finished.providerCallId, status: 'busy' } as const;
    await calls.report(finished.attemptId, { ...over, answeredBy: null, durationSeconds: null });
    const deliveryId = createId('dlv');
    await calls.finishCall(finished.callId, '', [
      {
        id: deliveryId,
        organizationId,
        mode,
        callId: finished.callId,
        kind: 'callback',
        integrationId: null,
        url: callback.callbackUrl,
        sealedBearer: 'bearer',
        body: '{}',
      },
    ]);
    const waiting = await tenant.accept(callback);

    const mine = [connectionId, integrationId, finished.callId, waiting, deliveryId];
    const listed = async () => (await secrets.list()).filter(({ id }) => mine.includes(id));
    const before = await listed();
    const places = (all: typeof before) => new Set(all.map(({ place, id, sealed }) => [place, id, sealed]));
    const expected = (change: (sealed: string) => string) =>
      new Set([
        ['connection', connectionId, change('sealed')],
        ['webhook', integrationId, change('present')],
        ['former_webhook', integrationId, change('former')],
        ['call', waiting, change('bearer')],
        ['delivery', deliveryId, change('bearer')],
      ]);
    assert.deepEqual(
      places(before),
      expected((sealed) => sealed),
    );
    const connection = before.find(({ place }) => place === 'connection');
    assert.ok(connection?.place === 'connection');
    assert.deepEqual(
      [connection.organizationId, connection.mode, connection.accountId, connection.isInUse],
      [organizationId, mode, 'AC1', true],
    );
    const delivery = before.find(({ place }) => place === 'delivery');
    assert.ok(delivery?.place === 'delivery' && delivery.callId === finished.callId);

    for (const secret of before) await secrets.replace(secret, `${secret.sealed} anew`);
    for (const secret of before) await secrets.replace(secret, 'too late');
    assert.deepEqual(
      places(await listed()),
      expected((sealed) => `${sealed} anew`),
    );
  });
}
