import assert from 'node:assert/strict';
import { workflowDefinition } from '@callkite/contract';
import { createId } from '../../kernel/ids.ts';
import type { Storage } from '../../storage.ts';
import {
  byApi,
  createTenant,
  fictional,
  firstPage,
  hashed,
  keyOf,
  optedOutOn,
  type StorageTest,
  type Tenant,
  tick,
  transferOf,
} from './tenant.ts';

const blank = { name: 'Blank', definition: workflowDefinition.parse({ objective: 'None.' }) };

/** A call whose callee asked for no more calls, and which was erased afterwards. */
async function erasedOptOut(storage: Storage, tenant: Tenant, to: string): Promise<void> {
  const { callId, attemptId, providerCallId } = await tenant.placed({ to });
  await storage.doNotCall.add(tenant, [hashed(to)], optedOutOn(callId));
  const over = { providerCallId, status: 'completed', answeredBy: null, durationSeconds: 9 } as const;
  await storage.calls.report(attemptId, over);
  assert.ok((await storage.calls.erase(tenant, callId, blank)) !== null);
}

/** Numbers that are not called. */
export function doNotCallContract(test: StorageTest): void {
  test('numbers are listed newest first, in their organization and mode only', async (storage) => {
    const tenant = await createTenant(storage);
    const stranger = await createTenant(storage);
    const { doNotCall } = storage;
    const numbers = [fictional(1), fictional(2), fictional(3)];
    for (const number of numbers) {
      assert.equal(await doNotCall.add(tenant, [hashed(number)], { ...byApi, reason: 'Moved away' }), 1);
      await tick();
    }
    const first = await doNotCall.list(tenant, { lifted: false }, { limit: 2, cursor: null });
    const rest = await doNotCall.list(tenant, { lifted: false }, { limit: 2, cursor: first.nextCursor });
    assert.deepEqual(
      [...first.items, ...rest.items].map(({ phoneNumber }) => phoneNumber),
      numbers.toReversed(),
    );
    assert.equal(rest.nextCursor, null);
    const [entry] = first.items;
    assert.deepEqual(
      [entry?.source, entry?.reason, entry?.addedBy, entry?.callId, entry?.liftedAt],
      ['api', 'Moved away', 'key_1', null, null],
    );
    const found = await doNotCall.list(tenant, { lifted: false, number: hashed(fictional(2)) }, firstPage);
    assert.deepEqual(
      found.items.map(({ phoneNumber }) => phoneNumber),
      [fictional(2)],
    );
    for (const other of [stranger, { ...tenant, mode: 'test' } as const]) {
      assert.deepEqual((await doNotCall.list(other, { lifted: false }, firstPage)).items, []);
      assert.equal(await doNotCall.find(other, hashed(fictional(1))), null);
      const by = { liftedBy: 'key_2', reason: null };
      assert.equal(await doNotCall.lift(other, hashed(fictional(1)), by), null);
    }
  });

  test('many numbers are put on the list at once, each once', async (storage) => {
    const tenant = await createTenant(storage);
    const to = fictional(5);
    const callId = await tenant.accept({ to });
    await storage.doNotCall.add(tenant, [hashed(fictional(6))], byApi);
    const numbers = [5, 6, 7].map((index) => hashed(fictional(index)));
    assert.equal(await storage.doNotCall.add(tenant, numbers, { ...byApi, source: 'import' }), 2);
    assert.equal((await tenant.call(callId)).reason, 'blocked_dnc');
    assert.equal((await storage.doNotCall.find(tenant, hashed(fictional(6))))?.source, 'api');
  });

  test('a number that is lifted is called again, and the entry stays on record', async (storage) => {
    const tenant = await createTenant(storage);
    const to = fictional(8);
    const { doNotCall } = storage;
    await doNotCall.add(tenant, [hashed(to)], byApi);
    const refused = await storage.calls.accept(tenant.input({ to }));
    assert.equal(refused.result, 'number-opted-out');
    const lifted = await doNotCall.lift(tenant, hashed(to), {
      liftedBy: 'key_2',
      reason: 'Changed their mind',
    });
    assert.deepEqual([lifted?.liftedBy, lifted?.liftReason], ['key_2', 'Changed their mind']);
    assert.ok(lifted?.liftedAt);
    assert.equal(await doNotCall.lift(tenant, hashed(to), { liftedBy: 'key_2', reason: null }), null);
    await tenant.accept({ to });
    assert.equal((await tenant.claim()).call.to, to);
    assert.deepEqual((await doNotCall.list(tenant, { lifted: true }, firstPage)).items, [lifted]);
    assert.equal(await doNotCall.add(tenant, [hashed(to)], byApi), 1);
    assert.equal((await doNotCall.list(tenant, { lifted: false }, firstPage)).items.length, 1);
  });

  test('a number whose call is erased is not kept, and still not called', async (storage) => {
    const tenant = await createTenant(storage);
    const to = fictional(20);
    await erasedOptOut(storage, tenant, to);
    const { items } = await storage.doNotCall.list(tenant, { lifted: false }, firstPage);
    assert.deepEqual(
      items.map(({ phoneNumber, callId, source }) => ({ phoneNumber, callId, source })),
      [{ phoneNumber: null, callId: null, source: 'callee' }],
    );
    const refused = await storage.calls.accept(tenant.input({ to }));
    assert.equal(refused.result, 'number-opted-out');
    assert.equal(await storage.doNotCall.add(tenant, [hashed(to)], byApi), 0, 'it is on the list already');
    const by = { liftedBy: 'key_2', reason: 'Changed their mind' };
    assert.equal((await storage.doNotCall.lift(tenant, hashed(to), by))?.phoneNumber, null);
    await tenant.accept({ to });
  });

  test('a call that waits is not dialed to a number that was erased meanwhile', async (storage) => {
    const tenant = await createTenant(storage);
    const to = fictional(21);
    const { callId, attemptId, providerCallId } = await tenant.placed({ to });
    const waiting = await tenant.accept({ to });
    // Not by `add`, which ends calls that wait: the entry comes to be between the two looks of a claim.
    const over = { providerCallId, status: 'completed', answeredBy: null, durationSeconds: 9 } as const;
    await storage.calls.report(attemptId, over);
    await storage.doNotCall.add(
      tenant,
      [{ phoneNumber: fictional(99), numberKey: keyOf(to) }],
      optedOutOn(callId),
    );
    await storage.calls.erase(tenant, callId, blank);
    const claim = () => storage.calls.claimNext(tenant.connectionId, createId('att'), null);
    let claimed = await claim();
    // The line has just dialed, and waits its turn.
    while (claimed.result === 'wait') {
      await new Promise((resolve) => setTimeout(resolve, 50));
      claimed = await claim();
    }
    assert.equal(claimed.result, 'idle');
    assert.equal((await tenant.call(waiting)).reason, 'blocked_dnc');
  });

  test('nobody is put through to a number that was erased', async (storage) => {
    const tenant = await createTenant(storage);
    await erasedOptOut(storage, tenant, fictional(60));
    const { callId, attemptId, providerCallId } = await tenant.placed({ to: fictional(22) });
    const answered = {
      providerCallId,
      status: 'in-progress',
      answeredBy: null,
      durationSeconds: null,
    } as const;
    await storage.calls.report(attemptId, answered);
    await storage.transfers.request(transferOf(callId, [fictional(60), fictional(61)]));
    const step = await storage.transfers.proceed(callId, keyOf, null);
    assert.equal('leg' in step ? step.leg.to : step.step, fictional(61));
  });

  test('an opt-out that is stored after the erasure of its call is a hash at once', async (storage) => {
    const tenant = await createTenant(storage);
    const { callId, attemptId, providerCallId } = await tenant.placed({ to: fictional(23) });
    const over = { providerCallId, status: 'completed', answeredBy: null, durationSeconds: 9 } as const;
    await storage.calls.report(attemptId, over);
    await storage.calls.erase(tenant, callId, blank);
    await storage.doNotCall.add(tenant, [hashed(fictional(23))], optedOutOn(callId));
    const entry = await storage.doNotCall.find(tenant, hashed(fictional(23)));
    assert.deepEqual([entry?.phoneNumber, entry?.callId], [null, null]);
  });

  test('the key of the hashes is the first one that was given, until it is sealed anew', async (storage) => {
    const first = await storage.doNotCall.hashKey('sealed one');
    assert.equal(await storage.doNotCall.hashKey('sealed two'), first);
    await storage.doNotCall.resealHashKey('sealed again');
    assert.equal(await storage.doNotCall.hashKey('sealed two'), 'sealed again');
    await storage.doNotCall.resealHashKey(first);
  });
}
