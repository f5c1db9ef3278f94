import assert from 'node:assert/strict';
import { createTenant, type StorageTest } from './tenant.ts';

/** Uses of embedders' tools. */
export function toolCallsContract(test: StorageTest): void {
  test('a use of a tool is recorded before it runs, once', async (storage) => {
    const tenant = await createTenant(storage);
    const callId = await tenant.accept();
    const { toolCalls } = storage;
    const use = { turn: 2, index: 0, name: 'find_order', input: '{"number":"7"}' };
    const begun = await Promise.all([toolCalls.begin(callId, use), toolCalls.begin(callId, use)]);
    assert.deepEqual(
      begun.map((found) => found?.status ?? null).toSorted(),
      ['running', null].toSorted(),
      'one of two may run',
    );
    await toolCalls.finish(callId, use, { status: 'ok', result: '{"state":"sent"}' });
    await toolCalls.finish(callId, use, { status: 'failed', result: 'too late' });
    const again = await toolCalls.begin(callId, { ...use, name: 'other' });
    assert.equal(again?.name, 'find_order');
    assert.equal(again?.input, use.input);
    assert.equal(again?.status, 'ok');
    assert.equal(again?.result, '{"state":"sent"}');
    assert.ok(again.at instanceof Date);
    assert.ok(again.durationMs !== null && again.durationMs >= 0);
  });

  test('uses are listed in order, of their call only', async (storage) => {
    const tenant = await createTenant(storage);
    const callId = await tenant.accept();
    const other = await tenant.accept();
    const { toolCalls } = storage;
    for (const [turn, index] of [
      [10, 1],
      [2, 0],
      [10, 0],
    ] as const) {
      assert.equal(await toolCalls.begin(callId, { turn, index, name: 'a', input: '{}' }), null);
    }
    assert.equal(await toolCalls.begin(other, { turn: 2, index: 0, name: 'a', input: '{}' }), null);
    const listed = await toolCalls.ofCall(callId);
    assert.deepEqual(
      listed.map(({ turn, index, status, result, durationMs }) => [turn, index, status, result, durationMs]),
      [
        [2, 0, 'running', null, null],
        [10, 0, 'running', null, null],
        [10, 1, 'running', null, null],
      ],
    );
  });
}
