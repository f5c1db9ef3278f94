import assert from 'node:assert/strict';
import { CallkiteError } from '../../kernel/errors.ts';
import { assertHolds, eventually, type FixtureTest, place } from './fixture.ts';

/** More than any carrier lists on one page unless it is asked for more. */
const MANY = 120;

export function callsContract(test: FixtureTest): void {
  test('fetches a call', async (fixture) => {
    const providerCallId = await place(fixture);
    const call = await fixture.telephony.fetchCall(fixture.account, providerCallId);
    assertHolds(call, { providerCallId, from: fixture.from, to: fixture.to });
  });

  test('does not know a call that never was', async (fixture) => {
    assert.equal(await fixture.telephony.fetchCall(fixture.account, fixture.unknownCallId), null);
  });

  test('finds a call that was just placed, by its two numbers', async (fixture) => {
    const sinceMs = Date.now();
    const providerCallId = await place(fixture);
    const other = await place(fixture, { to: fixture.answering });
    const find = async (from: string, to: string) => {
      const found = await fixture.telephony.findCalls(fixture.account, { from, to, sinceMs });
      return found.map((call) => call.providerCallId);
    };
    const { from, to, answering } = fixture;
    assert.deepEqual(await find(from, to), [providerCallId]);
    assert.deepEqual(await find(from, answering), [other]);
    assert.deepEqual(await find(answering, to), []);
    assert.deepEqual(await find(to, from), []);
  });

  test('finds calls from a point in time on, as exactly as the carrier dates them', async (fixture) => {
    const { telephony, account, from, to, datesToMs } = fixture;
    const providerCallId = await place(fixture);
    const createdAtMs = (await telephony.fetchCall(account, providerCallId))?.createdAtMs ?? null;
    assert.ok(createdAtMs !== null, 'the call has no date');
    // The carrier may have rounded its date down: the call can be as young as this.
    const youngest = createdAtMs + datesToMs - 1;
    assert.equal((await telephony.findCalls(account, { from, to, sinceMs: youngest })).length, 1);
    assert.deepEqual(await telephony.findCalls(account, { from, to, sinceMs: youngest + 60_000 }), []);
  });

  test('finds calls that wait in the queue of the carrier', async (fixture) => {
    const { account, from } = fixture.slowLine;
    const { to } = fixture;
    const sinceMs = Date.now();
    const placed = [];
    for (let count = 0; count < 3; count += 1) placed.push(await place(fixture, { from }, account));
    const found = await fixture.telephony.findCalls(account, { from, to, sinceMs });
    assert.deepEqual(found.map((call) => call.providerCallId).toSorted(), placed.toSorted());
  });

  test('finds all of very many calls', async (fixture) => {
    const { telephony, account, from, to } = fixture;
    const sinceMs = Date.now();
    for (let count = 0; count < MANY; count += 10) {
      await Promise.all(Array.from({ length: 10 }, () => place(fixture)));
    }
    const found = await telephony.findCalls(account, { from, to, sinceMs });
    assert.equal(new Set(found.map((call) => call.providerCallId)).size, MANY);
    assert.equal(found.length, MANY);
  });

  test('finds a call that the carrier lists late, once it does', async (fixture) => {
    const { telephony, account, from, to } = fixture;
    fixture.misbehave('lists-late');
    const sinceMs = Date.now();
    const providerCallId = await place(fixture);
    const find = () => telephony.findCalls(account, { from, to, sinceMs });
    await find();
    fixture.misbehave('none');
    const found = await find();
    assert.deepEqual(
      found.map((call) => call.providerCallId),
      [providerCallId],
    );
  });

  test('ends a call, and may be told so again', async (fixture) => {
    const providerCallId = await place(fixture);
    await fixture.telephony.endCall(fixture.account, providerCallId);
    const call = await fixture.telephony.fetchCall(fixture.account, providerCallId);
    const live = ['queued', 'initiated', 'ringing', 'in-progress'];
    assert.ok(call !== null && !live.includes(call.status), `the call is still ${call?.status}`);
    await fixture.telephony.endCall(fixture.account, providerCallId);
  });

  test('leaves a call that is over alone when it is redirected', async (fixture) => {
    const providerCallId = await place(fixture);
    await fixture.telephony.endCall(fixture.account, providerCallId);
    await fixture.telephony.redirectCall(fixture.account, providerCallId, { type: 'hang-up' });
  });

  test('hangs up on a live call that is redirected to its end', async (fixture) => {
    const { telephony, account, answering } = fixture;
    const providerCallId = await place(fixture, { to: answering });
    const status = async () => (await telephony.fetchCall(account, providerCallId))?.status;
    await eventually('the answer', async () => ((await status()) === 'in-progress' ? true : null));
    await telephony.redirectCall(account, providerCallId, { type: 'hang-up' });
    await eventually('the end', async () => ((await status()) === 'completed' ? true : null));
  });

  const isRetryable = (error: unknown) => {
    assert.ok(CallkiteError.isInstance(error));
    assert.equal(error.code, 'provider_unavailable');
    assert.equal(error.retryable, true);
    return true;
  };

  test('reports an unreachable carrier as retryable', async (fixture) => {
    const { unreachable, account, from, to, unknownCallId } = fixture;
    await assert.rejects(unreachable.fetchCall(account, unknownCallId), isRetryable);
    await assert.rejects(unreachable.findCalls(account, { from, to, sinceMs: 0 }), isRetryable);
    await assert.rejects(unreachable.endCall(account, unknownCallId), isRetryable);
  });

  test('does not take a carrier that fails for one that has no such call', async (fixture) => {
    const { telephony, account, from, to } = fixture;
    const providerCallId = await place(fixture);
    fixture.misbehave('fails-reads');
    await assert.rejects(telephony.fetchCall(account, providerCallId), isRetryable);
    await assert.rejects(telephony.findCalls(account, { from, to, sinceMs: 0 }), isRetryable);
  });
}
