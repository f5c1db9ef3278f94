import assert from 'node:assert/strict';
import {
  assertHolds,
  attemptToken,
  type CarrierRequest,
  type FixtureTest,
  httpRequest,
  type TelephonyFixture,
} from './fixture.ts';

export function webhooksContract(test: FixtureTest): void {
  const call = { attemptToken, providerCallId: 'CA00000000000000000000000000000abc' };
  const receive = (fixture: TelephonyFixture, request: CarrierRequest, secret: string | null) =>
    fixture.telephony.receiveWebhook(request.path, httpRequest(request), async (token) =>
      token === attemptToken ? secret : null,
    );

  test('reads genuine webhooks', async (fixture) => {
    const { secret } = fixture.account;
    const told = ['initiated', 'ringing', 'in-progress', 'completed', 'busy', 'no-answer', 'failed'] as const;
    for (const status of told) {
      const received = await receive(fixture, fixture.statusWebhook({ ...call, secret }, status), secret);
      assertHolds(received, call);
      const durationSeconds = status === 'completed' ? { durationSeconds: 12 } : {};
      assertHolds(received?.event, { type: 'status', status, ...durationSeconds });
    }
  });

  test('reads what a webhook says of a recording', async (fixture) => {
    const { secret } = fixture.account;
    const received = await receive(fixture, fixture.recordingWebhook({ ...call, secret }), secret);
    assertHolds(received, call);
    assert.deepEqual(received?.event, {
      type: 'recording',
      recording: { providerRecordingId: 'RE1', status: 'completed', durationSeconds: 12 },
    });
  });

  test('refuses a webhook that is forged or tampered with', async (fixture) => {
    const { secret } = fixture.account;
    const genuine = fixture.statusWebhook({ ...call, secret }, 'ringing');
    const forged = fixture.statusWebhook({ ...call, secret: 'not-the-secret' }, 'ringing');
    const stolen = fixture.statusWebhook({ ...call, attemptToken: 'somebody-elses', secret }, 'ringing');
    assert.equal(await receive(fixture, forged, secret), null, 'signed with another secret');
    assert.equal(await receive(fixture, { ...genuine, headers: {} }, secret), null, 'not signed');
    assert.equal(await receive(fixture, genuine, null), null, 'of an unknown attempt');
    assert.equal(await receive(fixture, stolen, secret), null, 'with a forged token');
    const otherBody = { ...genuine, body: genuine.body.replace('ringing', 'completed') };
    assert.notEqual(otherBody.body, genuine.body);
    assert.equal(await receive(fixture, otherBody, secret), null, 'with another body');
    const otherTarget = { ...genuine, target: `${genuine.target}&more=1` };
    assert.equal(await receive(fixture, otherTarget, secret), null, 'sent to another address');
  });

  test('acknowledges webhooks with a success', async ({ telephony }) => {
    const { status } = telephony.acknowledge();
    assert.ok(status >= 200 && status < 300);
  });
}
