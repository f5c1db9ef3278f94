import assert from 'node:assert/strict';
import { createId } from '../../kernel/ids.ts';
import type { Storage } from '../../storage.ts';
import { createTenant, type StorageTest, sleep, type Tenant } from './tenant.ts';

/** Leases, fences, and what is left of them when their holder dies. */
export function jobsContract(test: StorageTest, openAnother?: () => Promise<Storage>): void {
  test('a leased job is nobody else’s until the lease runs out', async (storage) => {
    const tenant = await createTenant(storage);
    const deliveryId = await addDelivery(storage, tenant);
    const [first] = await tenant.jobs('deliver', 150);
    assert.deepEqual(first === undefined ? null : { ...first, leaseToken: '', id: '' }, {
      id: '',
      kind: 'deliver',
      organizationId: tenant.organizationId,
      subjectId: deliveryId,
      tries: 1,
      leaseToken: '',
    });
    assert.ok(first !== undefined);
    assert.deepEqual(await tenant.jobs('deliver'), []);
    assert.deepEqual(await tenant.jobs('finish_call'), []);
    await sleep(200);
    const [second] = await tenant.jobs('deliver');
    assert.equal(second?.tries, 2);
    assert.equal(second?.id, first.id);
    assert.notEqual(second?.leaseToken, first.leaseToken);

    assert.equal(await storage.jobs.complete(first), false, 'the first holder lost it');
    assert.equal(await storage.jobs.reschedule(first, { delayMs: 0 }), false);
    assert.equal(await storage.jobs.bury(first, 'no'), false);
    assert.deepEqual(await storage.jobs.extend([first], 1000), []);
    assert.ok(second !== undefined);
    assert.equal(await storage.jobs.complete(second), true);
    assert.equal(await storage.jobs.complete(second), false);
  });

  test('it is known of which kinds there are jobs to claim', async (storage) => {
    const tenant = await createTenant(storage);
    await addDelivery(storage, tenant);
    const due = await storage.jobs.dueKinds();
    assert.ok(due.includes('deliver'));
    assert.equal(new Set(due).size, due.length);
    const everything = { kind: 'deliver', limit: 10_000, leaseMs: 60_000, perOrganization: 10_000 } as const;
    const claimed = await storage.jobs.claim(everything);
    assert.ok(!(await storage.jobs.dueKinds()).includes('deliver'));
    const [one] = claimed;
    assert.ok(one !== undefined);
    await storage.jobs.reschedule(one, { delayMs: 0 });
    assert.ok((await storage.jobs.dueKinds()).includes('deliver'));
  });

  test('an expired lease changes nothing, even before somebody else has the job', async (storage) => {
    const tenant = await createTenant(storage);
    await addDelivery(storage, tenant);
    const [job] = await tenant.jobs('deliver', 20);
    assert.ok(job !== undefined);
    await sleep(40);
    assert.equal(await storage.jobs.complete(job), false);
    assert.deepEqual(await storage.jobs.extend([job], 1000), []);
    assert.equal((await tenant.jobs('deliver')).length, 1);
  });

  test('an extended lease lasts', async (storage) => {
    const tenant = await createTenant(storage);
    await addDelivery(storage, tenant);
    const [job] = await tenant.jobs('deliver', 300);
    assert.ok(job !== undefined);
    assert.deepEqual(await storage.jobs.extend([job], 60_000), [job.id]);
    assert.deepEqual(await storage.jobs.extend([], 60_000), []);
    await sleep(350);
    assert.deepEqual(await tenant.jobs('deliver'), []);
    assert.equal(await storage.jobs.complete(job), true);
  });

  test('a rescheduled job is due later and keeps or forgets its tries', async (storage) => {
    const tenant = await createTenant(storage);
    await addDelivery(storage, tenant);
    const [first] = await tenant.jobs('deliver');
    assert.ok(first !== undefined);
    assert.equal(await storage.jobs.reschedule(first, { delayMs: 80 }), true);
    assert.deepEqual(await tenant.jobs('deliver'), []);
    await sleep(120);
    const [second] = await tenant.jobs('deliver');
    assert.equal(second?.tries, 2);
    assert.ok(second !== undefined);
    assert.equal(await storage.jobs.reschedule(second, { delayMs: 0, resetTries: true }), true);
    assert.equal((await tenant.jobs('deliver'))[0]?.tries, 1);
  });

  test('a buried job is not claimed again, but counted', async (storage) => {
    const tenant = await createTenant(storage);
    const buried = async () =>
      (await storage.jobs.stats()).find(({ kind }) => kind === 'deliver')?.buried ?? 0;
    await addDelivery(storage, tenant);
    const [job] = await tenant.jobs('deliver', 50);
    assert.ok(job !== undefined);
    const before = await buried();
    assert.equal(await storage.jobs.bury(job, 'TypeError: not a function'), true);
    assert.equal(await buried(), before + 1);
    await sleep(80);
    assert.deepEqual(await tenant.jobs('deliver'), []);
  });

  test('waiting jobs are counted, with the age of the oldest that is due', async (storage) => {
    const tenant = await createTenant(storage);
    await addDelivery(storage, tenant);
    await sleep(20);
    const stats = (await storage.jobs.stats()).find(({ kind }) => kind === 'deliver');
    assert.ok(stats !== undefined && stats.waiting >= 1 && stats.oldestDueMs >= 15);
    await tenant.jobs('deliver');
  });

  test('an organization holds no more leases of a kind than it may', async (storage) => {
    const busy = await createTenant(storage);
    const quiet = await createTenant(storage);
    for (let count = 0; count < 6; count += 1) await addDelivery(storage, busy);
    await addDelivery(storage, quiet);
    const claim = async (store: Storage) => {
      const jobs = await store.jobs.claim({
        kind: 'deliver',
        limit: 1000,
        leaseMs: 30_000,
        perOrganization: 2,
      });
      return jobs.map((job) => job.organizationId);
    };
    const others = openAnother === undefined ? [] : [await openAnother(), await openAnother()];
    try {
      const claimed = (await Promise.all([storage, storage, ...others].map(claim))).flat();
      assert.equal(claimed.filter((id) => id === busy.organizationId).length, 2);
      assert.equal(claimed.filter((id) => id === quiet.organizationId).length, 1);
      assert.equal((await claim(storage)).includes(busy.organizationId), false);
    } finally {
      await Promise.all(others.map((store) => store.stop()));
    }
  });

  test('no job is handed out twice', async (storage) => {
    const tenant = await createTenant(storage);
    for (let count = 0; count < 20; count += 1) await addDelivery(storage, tenant);
    const claims = await Promise.all(
      Array.from({ length: 6 }, () =>
        storage.jobs.claim({ kind: 'deliver', limit: 5, leaseMs: 30_000, perOrganization: 1000 }),
      ),
    );
    const ids = claims.flat().map((job) => job.id);
    assert.equal(new Set(ids).size, ids.length);
    assert.ok(claims.every((jobs) => jobs.length <= 5));
    await tenant.jobs('deliver');
  });
}

async function addDelivery(storage: Storage, tenant: Tenant): Promise<string> {
  const { id } = await storage.deliveries.create({
    id: createId('dlv'),
    organizationId: tenant.organizationId,
    mode: tenant.mode,
    callId: null,
    kind: 'webhook',
    integrationId: null,
    url: 'https://example.com/hook',
    sealedBearer: null,
    body: '{}',
  });
  return id;
}
