import assert from 'node:assert/strict';
import type { Delivery, NewDelivery } from '../../calls/delivery.ts';
import { createId } from '../../kernel/ids.ts';
import type { Storage } from '../../storage.ts';
import { createTenant, firstPage, type StorageTest, sleep, type Tenant } from './tenant.ts';

const integrationOf = (tenant: Tenant, { deliveries }: Storage, sealedSecret: string) =>
  deliveries.createIntegration(tenant, {
    id: createId('whk'),
    name: 'CRM',
    url: 'https://example.com/hook',
    sealedSecret,
  });

/** Webhook integrations, and what becomes of deliveries. */
export function deliveriesContract(test: StorageTest): void {
  test('integrations belong to their organization', async (storage) => {
    const tenant = await createTenant(storage);
    const stranger = await createTenant(storage);
    const { deliveries } = storage;
    const created = await integrationOf(tenant, storage, 'sealed');
    assert.deepEqual(await deliveries.getIntegration(tenant, created.id), created);
    assert.deepEqual(await deliveries.listIntegrations(tenant, firstPage), {
      items: [created],
      nextCursor: null,
    });
    assert.equal(await deliveries.getIntegration(stranger, created.id), null);
    assert.deepEqual((await deliveries.listIntegrations(stranger, firstPage)).items, []);
    assert.equal(await deliveries.deleteIntegration(stranger, created.id), false);
    assert.equal(await deliveries.deleteIntegration(tenant, created.id), true);
    assert.equal(await deliveries.deleteIntegration(tenant, created.id), false);
  });

  test('a changed integration keeps its id and secret, and pending deliveries go to its new address', async (storage) => {
    const tenant = await createTenant(storage);
    const stranger = await createTenant(storage);
    const { deliveries } = storage;
    const created = await integrationOf(tenant, storage, 'sealed');
    const other = await integrationOf(tenant, storage, 'sealed');
    const sentTo = async ({ id: integrationId }: { id: string }, ended?: 'delivered' | 'failed') => {
      const { id } = await deliveries.create(webhook(tenant, { integrationId }));
      if (ended) await attempt(storage, id, ended);
      return id;
    };
    const pending = await sentTo(created);
    const failed = await sentTo(created, 'failed');
    const elsewhere = await sentTo(other);
    const url = 'https://example.com/moved';
    const test = { ...tenant, mode: 'test' } as const;
    for (const scope of [stranger, test]) {
      assert.equal(await deliveries.updateIntegration(scope, created.id, { url }), null);
    }
    assert.deepEqual(await deliveries.getIntegration(tenant, created.id), created);
    assert.deepEqual(await deliveries.updateIntegration(tenant, created.id, { url }), { ...created, url });
    const renamed = { ...created, url, name: 'Other CRM' };
    assert.deepEqual(await deliveries.updateIntegration(tenant, created.id, { name: 'Other CRM' }), renamed);
    assert.deepEqual(await deliveries.getIntegration(tenant, created.id), renamed);
    const urlOf = async (id: string) => (await deliveries.load(id))?.url;
    assert.equal(await urlOf(pending), url);
    assert.equal(await urlOf(failed), created.url);
    assert.equal(await urlOf(elsewhere), other.url);
    assert.equal((await deliveries.resend(tenant, failed))?.url, url);
  });

  test('a rotated secret leaves the one before good for its time, and no other', async (storage) => {
    const tenant = await createTenant(storage);
    const stranger = await createTenant(storage);
    const { deliveries } = storage;
    const created = await integrationOf(tenant, storage, 'first');
    assert.equal(created.formerSecret, null);
    const rotate = (sealedSecret: string, formerLifetimeMs: number, of: Tenant = tenant) =>
      deliveries.rotateSecret({ organizationId: of.organizationId, mode: 'live' }, created.id, {
        sealedSecret,
        formerLifetimeMs,
      });

    assert.equal(await rotate('theirs', 60_000, stranger), null);
    assert.deepEqual(await deliveries.getIntegration(tenant, created.id), created);

    const second = await rotate('second', 60_000);
    assert.equal(second?.sealedSecret, 'second');
    assert.equal(second.formerSecret?.sealed, 'first');
    const leftMs = second.formerSecret.expiresAt.getTime() - (await storage.ping()).nowMs;
    assert.ok(leftMs > 30_000 && leftMs < 61_000, `${leftMs} ms`);
    assert.deepEqual(await deliveries.getIntegration(tenant, created.id), second);
    assert.deepEqual((await deliveries.listIntegrations(tenant, firstPage)).items, [second]);

    const third = await rotate('third', 1);
    assert.equal(third?.sealedSecret, 'third');
    await sleep(5);
    const over = await deliveries.getIntegration(tenant, created.id);
    assert.deepEqual(over, { ...created, sealedSecret: 'third' });
    assert.equal((await rotate('fourth', 60_000))?.formerSecret?.sealed, 'third');
  });

  test('with an integration its pending deliveries end, and no others', async (storage) => {
    const tenant = await createTenant(storage);
    const integration = await storage.deliveries.createIntegration(tenant, {
      id: createId('whk'),
      name: 'CRM',
      url: 'https://example.com/hook',
      sealedSecret: 'sealed',
    });
    const { id: integrationId } = integration;
    const pending = await storage.deliveries.create(webhook(tenant, { integrationId }));
    const delivered = await storage.deliveries.create(webhook(tenant, { integrationId }));
    const other = await storage.deliveries.create(webhook(tenant));
    await attempt(storage, delivered.id, 'delivered');
    await storage.deliveries.deleteIntegration(tenant, integrationId);
    assert.equal((await storage.deliveries.load(pending.id))?.status, 'failed');
    assert.equal((await storage.deliveries.load(delivered.id))?.status, 'delivered');
    assert.equal((await storage.deliveries.load(other.id))?.status, 'pending');
    const jobs = (await tenant.jobs('deliver')).map((job) => job.subjectId);
    assert.equal(jobs.includes(pending.id), false);
    assert.equal(jobs.includes(other.id), true);
    const listed = await storage.deliveries.list(tenant, { integrationId }, firstPage);
    assert.deepEqual(listed.items.map(({ id }) => id).toSorted(), [pending.id, delivered.id].toSorted());
  });

  test('a webhook is attempted until it is delivered', async (storage) => {
    const tenant = await createTenant(storage);
    const stranger = await createTenant(storage);
    const { deliveries } = storage;
    const { id } = await deliveries.create(webhook(tenant));
    assert.equal((await tenant.jobs('deliver')).length, 1);
    assert.deepEqual(await deliveries.beginAttempt(id), { number: 1, body: '{}' });
    await deliveries.finishAttempt(id, 1, { statusCode: 500, error: null, status: 'pending' });
    assert.deepEqual(await deliveries.beginAttempt(id), { number: 2, body: '{}' });
    await deliveries.finishAttempt(id, 2, { statusCode: 200, error: null, status: 'delivered' });
    assert.equal(await deliveries.beginAttempt(id), null);
    const delivery = await deliveries.load(id);
    assert.equal(delivery?.status, 'delivered');
    assert.equal(delivery?.attempts, 2);
    const attempts = await deliveries.listAttempts(tenant, id);
    assert.deepEqual(
      attempts.map(({ number, statusCode }) => ({ number, statusCode })),
      [
        { number: 1, statusCode: 500 },
        { number: 2, statusCode: 200 },
      ],
    );
    assert.ok(attempts.every((each) => each.finishedAt !== null));
    assert.deepEqual(await deliveries.listAttempts(stranger, id), []);
    assert.equal(await deliveries.load(createId('dlv')), null);
  });

  test('an attempt that comes back late does not undo a later one', async (storage) => {
    const tenant = await createTenant(storage);
    const { deliveries } = storage;
    const { id } = await deliveries.create(webhook(tenant));
    await deliveries.beginAttempt(id);
    await deliveries.beginAttempt(id);
    await deliveries.finishAttempt(id, 1, { statusCode: null, error: 'timeout', status: 'failed' });
    assert.equal((await deliveries.load(id))?.status, 'pending');
    await deliveries.finishAttempt(id, 2, { statusCode: 204, error: null, status: 'delivered' });
    await deliveries.finishAttempt(id, 1, { statusCode: null, error: 'timeout', status: 'pending' });
    assert.equal((await deliveries.load(id))?.status, 'delivered');
  });

  test('a callback is begun once; interrupted, its outcome is unknown', async (storage) => {
    const tenant = await createTenant(storage);
    const { deliveries } = storage;
    const { id } = await deliveries.create({ ...webhook(tenant), kind: 'callback', sealedBearer: 'sealed' });
    assert.deepEqual(await deliveries.beginAttempt(id), { number: 1, body: '{}' });
    assert.equal(await deliveries.beginAttempt(id), null);
    assert.equal((await deliveries.load(id))?.status, 'unknown');
    assert.equal((await deliveries.load(id))?.attempts, 1);
    assert.equal(await deliveries.beginAttempt(id), null);
    const [begun] = await deliveries.listAttempts(tenant, id);
    assert.equal(begun?.finishedAt, null);
  });

  test('of several who begin a callback at once, one does', async (storage) => {
    const tenant = await createTenant(storage);
    const { deliveries } = storage;
    const { id } = await deliveries.create({ ...webhook(tenant), kind: 'callback' });
    const begun = await Promise.all(Array.from({ length: 6 }, () => deliveries.beginAttempt(id)));
    assert.equal(begun.filter((each) => each !== null).length, 1);
  });

  test('a finished webhook is sent again with the same bytes', async (storage) => {
    const tenant = await createTenant(storage);
    const stranger = await createTenant(storage);
    const { deliveries } = storage;
    const created = await deliveries.create(webhook(tenant, { body: '{"same":"bytes"}' }));
    await assert.rejects(deliveries.resend(tenant, created.id), { code: 'conflict' });
    await attempt(storage, created.id, 'failed');
    const [job] = await tenant.jobs('deliver');
    assert.ok(job !== undefined);
    await storage.jobs.complete(job);
    assert.equal(await deliveries.resend(stranger, created.id), null);
    const again: Delivery | null = await deliveries.resend(tenant, created.id);
    assert.deepEqual(again, { ...created, attempts: 1 });
    assert.deepEqual(
      (await tenant.jobs('deliver')).map(({ subjectId, tries }) => ({ subjectId, tries })),
      [{ subjectId: created.id, tries: 1 }],
    );
    assert.deepEqual(await deliveries.beginAttempt(created.id), { number: 2, body: created.body });

    const callback = await deliveries.create({ ...webhook(tenant), kind: 'callback' });
    await attempt(storage, callback.id, 'failed');
    await assert.rejects(deliveries.resend(tenant, callback.id), { code: 'conflict' });
  });
}

function webhook(tenant: Tenant, changes: Partial<NewDelivery> = {}): NewDelivery {
  return {
    id: createId('dlv'),
    organizationId: tenant.organizationId,
    mode: 'live',
    callId: null,
    kind: 'webhook',
    integrationId: null,
    url: 'https://example.com/hook',
    sealedBearer: null,
    body: '{}',
    ...changes,
  };
}

async function attempt(storage: Storage, id: string, status: 'delivered' | 'failed'): Promise<void> {
  const begun = await storage.deliveries.beginAttempt(id);
  assert.ok(begun !== null);
  await storage.deliveries.finishAttempt(id, begun.number, { statusCode: 200, error: null, status });
}
