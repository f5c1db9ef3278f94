import assert from 'node:assert/strict';
import { CallkiteError } from '../../kernel/errors.ts';
import { assertHolds, attemptToken, eventually, type FixtureTest, place, placement } from './fixture.ts';

export function recordingsContract(test: FixtureTest): void {
  test('records a live call, and deletes what it recorded', async (fixture) => {
    const { telephony, account, answering } = fixture;
    const placed = await telephony.placeCall(account, { ...placement(fixture), to: answering });
    assert.ok(placed.outcome === 'placed');
    const { providerCallId } = placed;
    assert.deepEqual(await telephony.findRecordings(account, providerCallId), []);
    await eventually('the answer', async () => {
      const call = await telephony.fetchCall(account, providerCallId);
      return call?.status === 'in-progress' ? call : null;
    });
    await telephony.startRecording(account, providerCallId, attemptToken);
    const [recording] = await telephony.findRecordings(account, providerCallId);
    assertHolds(recording, { status: 'recording' });
    const { providerRecordingId } = recording ?? { providerRecordingId: '' };
    await eventually('the deletion', async () => {
      try {
        await telephony.deleteRecording(account, providerCallId, providerRecordingId);
        return true;
      } catch (error) {
        // Until the carrier has processed it.
        assert.ok(CallkiteError.isInstance(error));
        return null;
      }
    });
    assert.deepEqual(await telephony.findRecordings(account, providerCallId), []);
    assert.equal(await telephony.fetchRecording(account, providerRecordingId), null);
    await telephony.deleteRecording(account, providerCallId, providerRecordingId);
    await telephony.endCall(account, providerCallId);
  });

  test('ends a recording, and keeps it', async (fixture) => {
    const { telephony, account, answering } = fixture;
    const placed = await telephony.placeCall(account, { ...placement(fixture), to: answering });
    assert.ok(placed.outcome === 'placed');
    const { providerCallId } = placed;
    await eventually('the answer', async () => {
      const call = await telephony.fetchCall(account, providerCallId);
      return call?.status === 'in-progress' ? call : null;
    });
    await telephony.startRecording(account, providerCallId, attemptToken);
    const [recording] = await telephony.findRecordings(account, providerCallId);
    const { providerRecordingId } = recording ?? { providerRecordingId: '' };
    // A recording of no time at all comes to nothing.
    await new Promise((resolve) => setTimeout(resolve, 1000));
    await telephony.stopRecording(account, providerCallId, providerRecordingId);
    await telephony.stopRecording(account, providerCallId, providerRecordingId);
    await telephony.stopRecording(account, providerCallId, 'RE00000000000000000000000000000000');
    await eventually('the sound', () => telephony.fetchRecording(account, providerRecordingId));
    assertHolds(await telephony.fetchCall(account, providerCallId), { status: 'in-progress' });
    await telephony.endCall(account, providerCallId);
  });

  test('leaves a call that is over alone when it is to be recorded', async (fixture) => {
    const providerCallId = await place(fixture);
    await fixture.telephony.endCall(fixture.account, providerCallId);
    await fixture.telephony.startRecording(fixture.account, providerCallId, attemptToken);
    assert.deepEqual(await fixture.telephony.findRecordings(fixture.account, providerCallId), []);
  });

  test('has no recordings of a call that never was', async ({ telephony, account, unknownCallId }) => {
    assert.deepEqual(await telephony.findRecordings(account, unknownCallId), []);
  });

  test('does not lose a recording to a carrier that cannot be reached', async (fixture) => {
    const { unreachable, account, unknownCallId } = fixture;
    for (const request of [
      () => unreachable.startRecording(account, unknownCallId, attemptToken),
      () => unreachable.findRecordings(account, unknownCallId),
      () => unreachable.stopRecording(account, unknownCallId, 'RE1'),
      () => unreachable.deleteRecording(account, unknownCallId, 'RE1'),
      () => unreachable.fetchRecording(account, 'RE1'),
    ]) {
      await assert.rejects(request, (error) => {
        assert.ok(CallkiteError.isInstance(error));
        assert.equal(error.code, 'provider_unavailable');
        assert.ok(!JSON.stringify(error).includes(account.secret));
        return true;
      });
    }
  });
}
