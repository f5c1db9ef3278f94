import assert from 'node:assert/strict';
import { CallkiteError } from '../errors.ts';
import type { HttpRequest } from '../ports/http.ts';
import type { CalleeEvent, TextSocket } from '../ports/speech.ts';
import type { CarrierAccount, PlaceCallRequest, Telephony } from '../ports/telephony.ts';

/** What a carrier sends to us, as it leaves the carrier: signed, and ready to be tampered with. */
export interface CarrierRequest {
  /** Path below `/carriers/{name}/`. */
  readonly path: string;
  readonly method: string;
  /** Path and query as sent. */
  readonly target: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** A carrier to test an adapter against: an emulator, or a server of the test's own. */
export interface TelephonyFixture {
  /** The adapter, speaking to the carrier. */
  readonly telephony: Telephony;
  /** The adapter, speaking to an address where nobody listens. */
  readonly unreachable: Telephony;
  /** An account that exists and may call. */
  readonly account: CarrierAccount;
  /** A number of the account, E.164. */
  readonly from: string;
  /** A number that rings for at least ten seconds, E.164. */
  readonly to: string;
  /** A number that answers within ten seconds, and stays on the line for some, E.164. */
  readonly answering: string;
  /** A number the carrier refuses as invalid, E.164. */
  readonly invalidNumber: string;
  /** An id as the carrier makes them, of no call. */
  readonly unknownCallId: string;
  /** A webhook that says the call is ringing. */
  ringingWebhook(call: { attemptToken: string; providerCallId: string; secret: string }): CarrierRequest;
  /** A webhook that says a recording of the call, `RE1`, is complete after 12 s. */
  recordingWebhook(call: { attemptToken: string; providerCallId: string; secret: string }): CarrierRequest;
  upgrade(call: { attemptToken: string; secret: string }): CarrierRequest;
  /** What the carrier sends over a speech channel, one list of frames for each event. */
  readonly frames: {
    ready(providerCallId: string): readonly string[];
    said(text: string): readonly string[];
    interrupted(heardText: string): readonly string[];
  };
  stop(): Promise<void>;
}

/** The part of a test runner that is needed: vitest, `node:test` and others have it. */
export type TestFunction = (name: string, run: () => Promise<void>) => unknown;

/**
 * What every carrier adapter must do, as tests.
 *
 * @param options.it registers a test
 * @param options.createFixture called for each test; its `stop` is called at the test's end
 */
export function telephonyContract(options: {
  it: TestFunction;
  createFixture(): Promise<TelephonyFixture>;
}): void {
  const test = (name: string, run: (fixture: TelephonyFixture) => Promise<void>) =>
    options.it(name, async () => {
      const fixture = await options.createFixture();
      try {
        await run(fixture);
      } finally {
        await fixture.stop();
      }
    });

  test('has a name that fits into a path', async ({ telephony }) => {
    assert.match(telephony.name, /^[a-z0-9][a-z0-9-]*$/);
  });
  placementTests(test);
  callTests(test);
  recordingTests(test);
  accountTests(test);
  webhookTests(test);
  instructionTests(test);
  channelTests(test);
}

type FixtureTest = (name: string, run: (fixture: TelephonyFixture) => Promise<void>) => void;

const attemptToken = 'att_0123456789abcdef.QUFB-_c2ln';

function placement(fixture: TelephonyFixture): PlaceCallRequest {
  return {
    to: fixture.to,
    from: fixture.from,
    attemptToken,
    ringSeconds: 30,
    maximumDurationSeconds: 600,
    detectMachine: true,
  };
}

async function place(fixture: TelephonyFixture): Promise<string> {
  const placed = await fixture.telephony.placeCall(fixture.account, placement(fixture));
  assert.equal(placed.outcome, 'placed');
  return placed.outcome === 'placed' ? placed.providerCallId : '';
}

function placementTests(test: FixtureTest): void {
  test('places a call', async (fixture) => {
    assert.notEqual(await place(fixture), '');
  });

  test('never places a call to an invalid number', async (fixture) => {
    const request = { ...placement(fixture), to: fixture.invalidNumber };
    const result = await fixture.telephony.placeCall(fixture.account, request);
    assertHolds(result, { outcome: 'not-placed', retry: false, scope: 'call', reason: 'invalid_number' });
  });

  test('says that the account is refused when the secret is wrong', async (fixture) => {
    const account = { ...fixture.account, secret: 'not-the-secret' };
    const result = await fixture.telephony.placeCall(account, placement(fixture));
    assertHolds(result, { outcome: 'not-placed', retry: false, scope: 'account' });
  });

  test('knows that nothing was placed when the carrier cannot be reached', async (fixture) => {
    const result = await fixture.unreachable.placeCall(fixture.account, placement(fixture));
    assertHolds(result, {
      outcome: 'not-placed',
      retry: true,
      scope: 'call',
      reason: 'carrier_unavailable',
      tooManyCalls: false,
    });
  });
}

function callTests(test: FixtureTest): void {
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
    const { from, to } = fixture;
    const found = await fixture.telephony.findCalls(fixture.account, { from, to, sinceMs });
    assert.deepEqual(
      found.map((call) => call.providerCallId),
      [providerCallId],
    );
    const others = await fixture.telephony.findCalls(fixture.account, { from: to, to: from, sinceMs });
    assert.deepEqual(others, []);
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

  test('reports an unreachable carrier as retryable', async (fixture) => {
    await assert.rejects(fixture.unreachable.fetchCall(fixture.account, fixture.unknownCallId), (error) => {
      assert.ok(CallkiteError.isInstance(error));
      assert.equal(error.code, 'provider_unavailable');
      assert.equal(error.retryable, true);
      return true;
    });
  });
}

function recordingTests(test: FixtureTest): void {
  const eventually = async <T>(what: string, ask: () => Promise<T | null>): Promise<T> => {
    for (let tries = 0; tries < 200; tries += 1) {
      const answer = await ask();
      if (answer !== null) return answer;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    assert.fail(`${what} did not happen`);
  };

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

function accountTests(test: FixtureTest): void {
  test('describes an account', async (fixture) => {
    const facts = await fixture.telephony.describeAccount(fixture.account);
    assertHolds(facts, { accountId: fixture.account.accountId, active: true });
  });

  test('refuses to describe an account whose secret is wrong', async (fixture) => {
    const account = { ...fixture.account, secret: 'not-the-secret' };
    await assert.rejects(fixture.telephony.describeAccount(account), (error) => {
      assert.ok(CallkiteError.isInstance(error));
      assert.equal(error.code, 'provider_rejected');
      assert.ok(!JSON.stringify(error).includes('not-the-secret'));
      return true;
    });
  });

  test('lists the numbers of an account', async (fixture) => {
    const numbers = await fixture.telephony.listNumbers(fixture.account);
    const own = numbers.find((number) => number.phoneNumber === fixture.from);
    assert.equal(own?.canCall, true);
  });
}

function webhookTests(test: FixtureTest): void {
  const call = { attemptToken, providerCallId: 'CA00000000000000000000000000000abc' };
  const receive = (fixture: TelephonyFixture, request: CarrierRequest, secret: string | null) =>
    fixture.telephony.receiveWebhook(request.path, httpRequest(request), async (token) =>
      token === attemptToken ? secret : null,
    );

  test('reads a genuine webhook', async (fixture) => {
    const { secret } = fixture.account;
    const received = await receive(fixture, fixture.ringingWebhook({ ...call, secret }), secret);
    assertHolds(received, call);
    assertHolds(received?.event, { type: 'status', status: 'ringing' });
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
    const genuine = fixture.ringingWebhook({ ...call, secret });
    const forged = fixture.ringingWebhook({ ...call, secret: 'not-the-secret' });
    const stolen = fixture.ringingWebhook({ ...call, attemptToken: 'somebody-elses', secret });
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

function instructionTests(test: FixtureTest): void {
  test('renders every instruction', async ({ telephony }) => {
    const say = { type: 'say', text: 'Goodbye.', language: 'en-US', voice: null } as const;
    const converse = {
      type: 'converse',
      attemptToken,
      language: 'en-US',
      voice: null,
      record: true,
    } as const;
    const inWords = { ...converse, mode: 'relay', preamble: null } as const;
    const inSound = { ...converse, mode: 'realtime', preamble: 'Hello.' } as const;
    const leg = { attemptToken, legId: 'leg_1' };
    const dial = {
      type: 'dial',
      ...leg,
      to: '+12025550160',
      callerId: '+12025550183',
      ringSeconds: 25,
      maximumTalkSeconds: 3600,
      screened: true,
    } as const;
    const ask = {
      type: 'ask',
      ...leg,
      text: 'A call for you.',
      question: 'Do you take it?',
      expected: ['yes', 'no'],
      language: 'en-US',
      voice: null,
      round: 1,
    } as const;
    const plain = [{ type: 'connect' }, { type: 'hang-up' }] as const;
    for (const instruction of [say, inWords, inSound, dial, ask, ...plain]) {
      const response = telephony.renderInstruction(instruction);
      assert.equal(response.status, 200);
      assert.ok(response.headers['content-type']);
      assert.ok(response.body !== null && response.body.length > 0);
    }
  });

  test('does not let text become an instruction', async ({ telephony }) => {
    const text = '</Say><Dial>+12025550199</Dial> & "quotes" \u0000\u0001';
    const response = telephony.renderInstruction({
      type: 'say',
      text,
      language: 'en-US"/><Dial>',
      voice: '"><Dial>',
    });
    const body = String(response.body);
    assert.ok(!body.includes('<Dial>') && !body.includes('</Say><Dial'), body);
    assert.ok(!body.includes('\u0000') && !body.includes('\u0001'), 'control characters');
  });
}

function channelTests(test: FixtureTest): void {
  const receive = (fixture: TelephonyFixture, request: CarrierRequest, secret: string | null) =>
    fixture.telephony.receiveUpgrade(request.path, httpRequest(request), async (token) =>
      token === attemptToken ? secret : null,
    );

  async function open(fixture: TelephonyFixture) {
    const { secret } = fixture.account;
    const upgrade = await receive(fixture, fixture.upgrade({ attemptToken, secret }), secret);
    assert.ok(upgrade !== null, 'the upgrade was refused');
    const socket = new MemorySocket();
    const opened = upgrade.open(socket);
    assert.ok(opened.kind === 'words', 'the channel is one of words');
    return { socket, channel: opened.channel, attemptToken: upgrade.attemptToken };
  }

  test('accepts a genuine socket and knows its attempt', async (fixture) => {
    assert.equal((await open(fixture)).attemptToken, attemptToken);
  });

  test('refuses a socket that is forged or tampered with', async (fixture) => {
    const { secret } = fixture.account;
    const genuine = fixture.upgrade({ attemptToken, secret });
    const forged = fixture.upgrade({ attemptToken, secret: 'not-the-secret' });
    const stolen = fixture.upgrade({ attemptToken: 'somebody-elses', secret });
    assert.equal(await receive(fixture, forged, secret), null, 'signed with another secret');
    assert.equal(await receive(fixture, { ...genuine, headers: {} }, secret), null, 'not signed');
    assert.equal(await receive(fixture, genuine, null), null, 'of an unknown attempt');
    assert.equal(await receive(fixture, stolen, secret), null, 'with a forged token');
    assert.equal(await receive(fixture, { ...genuine, target: `${genuine.target}x` }, secret), null);
  });

  test('delivers what happened before anybody listened, and the end exactly once', async (fixture) => {
    const { socket, channel } = await open(fixture);
    socket.receive(fixture.frames.ready('call-1'));
    socket.receive(fixture.frames.said('Hello?'));
    const events: CalleeEvent[] = [];
    channel.listen((event) => events.push(event));
    socket.receive(fixture.frames.interrupted('I am'));
    socket.end();
    const [ready, said, interrupted, closed] = events;
    assertHolds(ready, { type: 'ready', providerCallId: 'call-1' });
    assertHolds(said, { type: 'said', text: 'Hello?' });
    assertHolds(interrupted, { type: 'interrupted', heardText: 'I am' });
    assertHolds(closed, { type: 'closed' });
    assert.equal(events.length, 4);
  });

  test('survives frames that make no sense', async (fixture) => {
    const { socket, channel } = await open(fixture);
    const events: CalleeEvent[] = [];
    channel.listen((event) => events.push(event));
    socket.receive(['', 'null', '[]', '{', '"text"', '{"type":"never-heard-of"}', '{"type":null}']);
    socket.receive(fixture.frames.ready('call-1'));
    assert.deepEqual(
      events.map((event) => event.type),
      ['ready'],
    );
  });

  test('says nothing on a channel that is closed', async (fixture) => {
    const { socket, channel } = await open(fixture);
    socket.receive(fixture.frames.ready('call-1'));
    channel.speak('Hello.', { last: true, interruptible: true });
    assert.equal(socket.sent.length > 0, true);
    channel.close();
    assert.equal(socket.closed, true);
    const before = socket.sent.length;
    channel.speak('Are you there?', { last: true, interruptible: true });
    channel.end();
    channel.close();
    assert.equal(socket.sent.length, before);
  });

  test('drops a channel that does not drain', async (fixture) => {
    const { socket, channel } = await open(fixture);
    socket.receive(fixture.frames.ready('call-1'));
    socket.bufferedBytes = 16 * 1024 * 1024;
    channel.speak('Hello.', { last: true, interruptible: true });
    assert.equal(socket.closed, true);
  });
}

/** Whether `actual` has the expected values; it may have others besides. */
function assertHolds(actual: object | null | undefined, expected: Readonly<Record<string, unknown>>): void {
  const shown = Object.entries(actual ?? {}).filter(([name]) => name in expected);
  assert.deepEqual(Object.fromEntries(shown), expected);
}

function httpRequest(request: CarrierRequest): HttpRequest {
  return {
    method: request.method,
    target: request.target,
    headers: request.headers,
    remoteAddress: '127.0.0.1',
    readBody: async () => new TextEncoder().encode(request.body),
  };
}

/** The carrier's end of a socket, in memory. */
class MemorySocket implements TextSocket {
  bufferedBytes = 0;
  closed = false;
  readonly sent: string[] = [];
  #onMessage: (text: string) => void = () => {};
  #onClose: (code: number) => void = () => {};

  send(text: string): void {
    this.sent.push(text);
  }

  close(): void {
    this.closed = true;
  }

  onMessage(listener: (text: string) => void): void {
    this.#onMessage = listener;
  }

  onClose(listener: (code: number) => void): void {
    this.#onClose = listener;
  }

  receive(frames: readonly string[]): void {
    for (const frame of frames) this.#onMessage(frame);
  }

  end(): void {
    this.#onClose(1006);
  }
}
