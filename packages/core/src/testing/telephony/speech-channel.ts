import assert from 'node:assert/strict';
import type { CalleeEvent } from '../../calls/speech.ts';
import { assertHolds, type FixtureTest, type TelephonyFixture } from './fixture.ts';
import { openChannel, upgradesContract } from './upgrades.ts';

const alone = { last: true, interruptible: true } as const;

export function speechChannelContract(test: FixtureTest): void {
  upgradesContract(test, 'words');

  test('delivers words in order, also from before anybody listened, and the end exactly once', async (fixture) => {
    const { frames } = fixture;
    const { socket, channel } = await open(fixture);
    socket.receive(frames.ready('call-1'));
    socket.receive(frames.said('Hello?'));
    const events: CalleeEvent[] = [];
    channel.listen((event) => events.push(event));
    socket.receive(frames.interrupted('I am'));
    socket.receive(frames.pressed('9'));
    socket.receive(frames.played('Good morning.'));
    socket.receive(frames.failed('Invalid message received'));
    socket.end();
    socket.receive(frames.said('Is anybody there?'));
    const expected = [
      { type: 'ready', providerCallId: 'call-1' },
      { type: 'said', text: 'Hello?' },
      { type: 'interrupted', heardText: 'I am' },
      { type: 'pressed', digit: '9' },
      { type: 'played', text: 'Good morning.' },
      { type: 'failed', description: 'Invalid message received' },
      { type: 'closed' },
    ];
    assert.deepEqual(
      events.map((event) => event.type),
      expected.map((event) => event.type),
    );
    for (const [index, event] of expected.entries()) assertHolds(events[index], event);
  });

  test('says that it is closed once, also when we close it', async (fixture) => {
    const { socket, channel, events } = await listening(fixture);
    channel.close();
    assert.equal(socket.closed, true);
    socket.receive(fixture.frames.said('Hello?'));
    socket.end();
    assert.deepEqual(
      events.map((event) => event.type),
      ['ready', 'closed'],
    );
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

  test('sends words in order, and keys', async (fixture) => {
    const { socket, channel } = await listening(fixture);
    const positionOf = (text: string) => socket.sent.findIndex((sent) => sent.includes(text));
    channel.speak('Good', { last: false, interruptible: true });
    channel.speak(' morning', alone);
    channel.pressDigits('42');
    assert.ok(positionOf('Good') >= 0 && positionOf('morning') > positionOf('Good'), 'the words');
    assert.ok(positionOf('42') > positionOf('morning'), 'the keys');
  });

  test('ends only after what was spoken has been played', async (fixture) => {
    const { socket, channel } = await listening(fixture);
    channel.speak('Goodbye.', alone);
    const before = socket.sent.length;
    assert.ok(before > 0);
    channel.end();
    assert.equal(socket.sent.length, before, 'it ends over the last words');
    assert.equal(socket.closed, false, 'it closes over the last words');
    socket.receive(fixture.frames.played('Goodbye.'));
    assert.ok(socket.sent.length > before || socket.closed, 'it does not end');
    socket.end();
  });

  test('says nothing on a channel that is closed', async (fixture) => {
    const { socket, channel } = await listening(fixture);
    channel.speak('Hello.', alone);
    assert.equal(socket.sent.length > 0, true);
    channel.close();
    assert.equal(socket.closed, true);
    const before = socket.sent.length;
    channel.speak('Are you there?', alone);
    channel.pressDigits('1');
    channel.end();
    channel.close();
    assert.equal(socket.sent.length, before);
  });

  test('drops a channel that does not drain', async (fixture) => {
    const { socket, channel } = await listening(fixture);
    socket.bufferedBytes = 16 * 1024 * 1024;
    channel.speak('Hello.', alone);
    assert.equal(socket.closed, true);
  });
}

async function open(fixture: TelephonyFixture) {
  const { socket, opened } = await openChannel(fixture, 'words');
  assert.ok(opened.kind === 'words', `the channel is one of ${opened.kind}`);
  return { socket, channel: opened.channel };
}

async function listening(fixture: TelephonyFixture) {
  const { socket, channel } = await open(fixture);
  const events: CalleeEvent[] = [];
  channel.listen((event) => events.push(event));
  socket.receive(fixture.frames.ready('call-1'));
  return { socket, channel, events };
}
