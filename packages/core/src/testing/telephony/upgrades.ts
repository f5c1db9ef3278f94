import assert from 'node:assert/strict';
import type { CallChannel } from '../../calls/speech.ts';
import {
  attemptToken,
  type CarrierRequest,
  type FixtureTest,
  httpRequest,
  type TelephonyFixture,
} from './fixture.ts';
import { MemorySocket } from './memory-socket.ts';

/** Both kinds of socket are let in by the same rules. */
export function upgradesContract(test: FixtureTest, kind: 'words' | 'audio'): void {
  test(`accepts a genuine socket for ${kind} and knows its attempt`, async (fixture) => {
    const { secret } = fixture.account;
    const upgrade = await receive(fixture, fixture.upgrade(kind, { attemptToken, secret }), secret);
    assert.equal(upgrade?.attemptToken, attemptToken);
  });

  test(`refuses a socket for ${kind} that is forged or tampered with`, async (fixture) => {
    const { secret } = fixture.account;
    const genuine = fixture.upgrade(kind, { attemptToken, secret });
    const forged = fixture.upgrade(kind, { attemptToken, secret: 'not-the-secret' });
    const stolen = fixture.upgrade(kind, { attemptToken: 'somebody-elses', secret });
    assert.equal(await receive(fixture, forged, secret), null, 'signed with another secret');
    assert.equal(await receive(fixture, { ...genuine, headers: {} }, secret), null, 'not signed');
    assert.equal(await receive(fixture, genuine, null), null, 'of an unknown attempt');
    assert.equal(await receive(fixture, stolen, secret), null, 'with a forged token');
    assert.equal(await receive(fixture, { ...genuine, target: `${genuine.target}x` }, secret), null);
  });
}

/** An accepted socket and its channel. */
export async function openChannel(
  fixture: TelephonyFixture,
  kind: CallChannel['kind'],
): Promise<{ socket: MemorySocket; opened: CallChannel }> {
  const { secret } = fixture.account;
  const upgrade = await receive(fixture, fixture.upgrade(kind, { attemptToken, secret }), secret);
  assert.ok(upgrade !== null, 'the upgrade was refused');
  const socket = new MemorySocket();
  return { socket, opened: upgrade.open(socket) };
}

function receive(fixture: TelephonyFixture, request: CarrierRequest, secret: string | null) {
  return fixture.telephony.receiveUpgrade(request.path, httpRequest(request), async (token) =>
    token === attemptToken ? secret : null,
  );
}
