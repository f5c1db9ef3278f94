import assert from 'node:assert/strict';
import { createId } from '../../kernel/ids.ts';
import { createTenant, fictional, type StorageTest } from './tenant.ts';

/** Which connections are used when the phone network changes, and what becomes of calls on one that is gone. */
export function networksContract(test: StorageTest): void {
  test('connections of another network are out of use until it is used again', async (storage) => {
    const tenant = await createTenant(storage);
    const { organizations } = storage;
    const known = async (connectionId: string) => {
      const found = await organizations.getConnection(tenant, connectionId);
      return found && [found.network, found.status];
    };
    const defaults = async () =>
      (await organizations.listNumbers(tenant))
        .filter(({ isDefault }) => isDefault)
        .map(({ connectionId }) => connectionId);
    const changed = async (network: string) =>
      (await organizations.useNetwork('live', network))
        .filter(({ organizationId }) => organizationId === tenant.organizationId)
        .map(({ id, status }) => [id, status]);

    assert.deepEqual(await changed('first'), [], 'a connection without a network is taken for this one');
    assert.deepEqual(await known(tenant.connectionId), ['first', 'active']);
    assert.deepEqual(await changed('second'), [[tenant.connectionId, 'out_of_use']]);
    assert.deepEqual(await defaults(), []);
    const refused = await storage.calls.accept(tenant.input());
    assert.equal(refused.result, 'no-usable-number');

    const second = await organizations.saveConnection({
      id: createId('con'),
      organizationId: tenant.organizationId,
      mode: 'live',
      accountId: 'AC2',
      network: 'second',
      sealedSecret: 'sealed',
      accountName: 'Acme',
      accountType: 'full',
      businessProfile: 'Profile Approved',
      callsPerSecond: 1000,
      maximumConcurrentCalls: null,
    });
    const number = await organizations.connectNumber({
      id: createId('num'),
      organizationId: tenant.organizationId,
      connectionId: second.id,
      mode: 'live',
      phoneNumber: fictional(70),
      providerNumberId: 'PN2',
    });
    assert.equal(number.isDefault, true);
    assert.deepEqual(await changed('second'), [], 'nothing is left to change');
    await storage.calls.pauseConnection(tenant.connectionId);
    assert.deepEqual(await known(tenant.connectionId), ['first', 'out_of_use']);
    assert.equal(await organizations.disconnectNumber(tenant, number.id), true);
    assert.deepEqual(await defaults(), [], 'a number that is out of use is nobody’s default');

    assert.deepEqual(
      new Set(await changed('first')),
      new Set([
        [tenant.connectionId, 'active'],
        [second.id, 'out_of_use'],
      ]),
    );
    assert.deepEqual(await defaults(), [tenant.connectionId]);
    await tenant.accept();
  });

  test('calls and recordings on a network that is gone are settled', async (storage) => {
    const tenant = await createTenant(storage);
    const { calls, organizations, recordings } = storage;
    const talking = await tenant.placed();
    await calls.report(talking.attemptId, {
      providerCallId: talking.providerCallId,
      status: 'in-progress',
      answeredBy: 'human',
      durationSeconds: null,
    });
    const canceled = await tenant.placed();
    await calls.cancel(tenant, canceled.callId);
    const unsure = await tenant.accept();
    await calls.attemptUnknown((await tenant.claim()).attempt.id, 60_000);
    const intended = await tenant.accept();
    await tenant.claim();
    const queued = await tenant.accept();
    const wanted = { id: createId('rec'), lookInMs: 0 };
    await recordings.want(talking.callId, wanted);
    await recordings.want(canceled.callId, { id: createId('rec'), lookInMs: 0 });
    const recorded = { providerRecordingId: 'RE1', status: 'completed', durationSeconds: 3 } as const;
    await recordings.report(canceled.callId, { ...recorded, retentionDays: 30 });

    await organizations.useNetwork('live', 'gone');
    assert.deepEqual(
      await organizations.settleNetwork('live', 'gone'),
      { calls: 0, recordings: 0 },
      'a network in use is left alone',
    );
    await organizations.useNetwork('live', 'next');
    assert.deepEqual(await organizations.settleNetwork('live', 'gone'), { calls: 5, recordings: 2 });
    assert.deepEqual(await organizations.settleNetwork('live', 'gone'), { calls: 0, recordings: 0 });

    const end = async (callId: string) => {
      const { state, outcome, reason } = await tenant.call(callId);
      return [state, outcome?.callStatus, outcome?.providerStatus, reason];
    };
    const failed = ['completed', 'not_picked_up', 'failed'];
    assert.deepEqual(await end(talking.callId), [...failed, 'carrier_record_missing']);
    assert.deepEqual(await end(canceled.callId), [
      'completed',
      'not_picked_up',
      'canceled',
      'canceled_by_request',
    ]);
    assert.deepEqual(await end(unsure), [...failed, 'placement_unconfirmed']);
    assert.deepEqual(await end(intended), [...failed, 'placement_unconfirmed']);
    assert.deepEqual(await end(queued), [...failed, 'carrier_unavailable']);
    assert.deepEqual(await tenant.jobs('watch_attempt'), []);
    assert.deepEqual(await tenant.jobs('follow_recording'), []);
    assert.equal((await tenant.jobs('finish_call')).length, 5);
    const ofCalls = await recordings.ofCalls([talking.callId, canceled.callId]);
    assert.deepEqual(new Set(ofCalls.map(({ status }) => status)), new Set(['absent', 'deleted']));
    assert.equal(await organizations.deleteConnection(tenant, tenant.connectionId), true);
  });
}
