import assert from 'node:assert/strict';
import type { AudioEvent } from '../../calls/speech.ts';
import { type AudioCommand, assertHolds, type FixtureTest, type TelephonyFixture } from './fixture.ts';
import type { MemorySocket } from './memory-socket.ts';
import { openChannel, upgradesContract } from './upgrades.ts';

const bytesPerMs = 8;
const tone = (byte: number, ms = 20) => Buffer.alloc(ms * bytesPerMs, byte).toString('base64');

export function audioChannelContract(test: FixtureTest): void {
  upgradesContract(test, 'audio');

  test('delivers sound in order, also from before anybody listened, and the end exactly once', async (fixture) => {
    const { audioFrames: frames } = fixture;
    const { socket, channel } = await open(fixture);
    socket.receive(frames.ready('call-1'));
    socket.receive(frames.heard(tone(1), 100));
    const events: AudioEvent[] = [];
    channel.listen((event) => events.push(event));
    socket.receive(frames.heard(tone(2), 120));
    socket.receive(frames.pressed('9'));
    socket.receive(frames.heard(tone(3), 140));
    socket.end();
    socket.receive(frames.heard(tone(4), 160));
    assertHolds(events[0], { type: 'ready', providerCallId: 'call-1' });
    assert.deepEqual(events.slice(1), [
      { type: 'audio', audio: tone(1) },
      { type: 'audio', audio: tone(2) },
      { type: 'pressed', digit: '9' },
      { type: 'audio', audio: tone(3) },
      { type: 'closed' },
    ]);
  });

  test('fills what was lost on the way with silence', async (fixture) => {
    const { events, socket } = await listening(fixture);
    socket.receive(fixture.audioFrames.heard(tone(1), 100));
    socket.receive(fixture.audioFrames.heard(tone(2), 160));
    const heard = events.flatMap((event) => (event.type === 'audio' ? [event.audio] : []));
    const sound = Buffer.concat(heard.map((audio) => Buffer.from(audio, 'base64')));
    const expected = [tone(1), tone(0xff, 40), tone(2)].map((audio) => Buffer.from(audio, 'base64'));
    assert.ok(sound.equals(Buffer.concat(expected)), `${sound.length / bytesPerMs} ms were heard`);
  });

  test('plays sound as it is, in order', async (fixture) => {
    const { played, channel } = await listening(fixture);
    channel.play(tone(1));
    channel.play(tone(2, 400));
    channel.play(tone(3, 1));
    assert.deepEqual(played(), [tone(1), tone(2, 400), tone(3, 1)]);
  });

  test('knows when a mark was heard, and says so once', async (fixture) => {
    const { carrier, channel, events } = await listening(fixture);
    channel.play(tone(1));
    channel.mark('one');
    channel.play(tone(2));
    channel.mark('two "2"');
    assert.deepEqual(marksIn(events), [], 'nothing was played yet');
    carrier.playTo(1);
    assert.deepEqual(marksIn(events), ['one']);
    carrier.playTo(2);
    channel.mark('three');
    carrier.playTo(3);
    assert.deepEqual(marksIn(events), ['one', 'two "2"', 'three']);
  });

  test('takes back what was not heard, with its marks', async (fixture) => {
    const { carrier, channel, events, commands } = await listening(fixture);
    channel.play(tone(1));
    channel.mark('heard');
    channel.play(tone(2));
    channel.mark('taken back');
    carrier.playTo(1);
    channel.clear();
    assert.equal(commands().at(-1)?.type, 'clear');
    // Carriers return the marks that they dropped as if they had been played.
    carrier.playTo(2);
    channel.play(tone(3));
    channel.mark('taken back');
    channel.mark('later');
    assert.deepEqual(marksIn(events), ['heard']);
    carrier.playTo(4);
    assert.deepEqual(marksIn(events), ['heard', 'taken back', 'later']);
  });

  test('says that sound is closed once, also when we close it', async (fixture) => {
    for (const close of ['close', 'end'] as const) {
      const { socket, channel, events } = await listening(fixture);
      channel[close]();
      assert.equal(socket.closed, true);
      socket.receive(fixture.audioFrames.heard(tone(1), 100));
      socket.end();
      assert.deepEqual(
        events.map((event) => event.type),
        ['ready', 'closed'],
      );
    }
  });

  test('plays nothing on a channel that is closed', async (fixture) => {
    const { socket, channel } = await listening(fixture);
    channel.play(tone(1));
    const before = socket.sent.length;
    assert.ok(before > 0);
    channel.close();
    channel.play(tone(2));
    channel.mark('never');
    channel.clear();
    channel.end();
    channel.close();
    assert.equal(socket.sent.length, before);
  });

  test('survives frames of sound that make no sense', async (fixture) => {
    const { socket, events } = await listening(fixture);
    socket.receive(['', 'null', '[]', '{', '"media"', '{"event":"media"}', '{"event":"never-heard-of"}']);
    socket.receive(fixture.audioFrames.pressed('1'));
    assert.deepEqual(
      events.map((event) => event.type),
      ['ready', 'pressed'],
    );
  });

  test('drops a channel of sound that does not drain', async (fixture) => {
    const { socket, channel } = await listening(fixture);
    socket.bufferedBytes = 16 * 1024 * 1024;
    channel.play(tone(1));
    assert.equal(socket.closed, true);
  });
}

function marksIn(events: readonly AudioEvent[]): string[] {
  return events.flatMap((event) => (event.type === 'played' ? [event.mark] : []));
}

async function open(fixture: TelephonyFixture) {
  const { socket, opened } = await openChannel(fixture, 'audio');
  assert.ok(opened.kind === 'audio', `the channel is one of ${opened.kind}`);
  return { socket, channel: opened.channel };
}

async function listening(fixture: TelephonyFixture) {
  const { socket, channel } = await open(fixture);
  const events: AudioEvent[] = [];
  channel.listen((event) => events.push(event));
  socket.receive(fixture.audioFrames.ready('call-1'));
  return { socket, channel, events, ...carrierOf(fixture, socket) };
}

/** The carrier at the other end, which plays what it is sent. */
function carrierOf(fixture: TelephonyFixture, socket: MemorySocket) {
  const commands = (): AudioCommand[] => socket.sent.map((sent) => fixture.audioFrames.read(sent));
  const marks = () => commands().flatMap((command) => (command.type === 'mark' ? [command.played] : []));
  let reached = 0;
  return {
    commands,
    played: () => commands().flatMap((command) => (command.type === 'play' ? [command.audio] : [])),
    carrier: {
      /** Plays on until this many marks were reached. */
      playTo(count: number): void {
        for (const played of marks().slice(reached, count)) socket.receive(played);
        reached = count;
      },
    },
  };
}
