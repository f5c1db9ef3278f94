import { type AudioEvent, silentLogger, type TextSocket } from '@callkite/core';
import { describe, expect, it } from 'vitest';
import { MediaChannel } from './media-channel.ts';

const silence = (ms: number) => Buffer.alloc(ms * 8, 0xff).toString('base64');
const sound = Buffer.alloc(160, 0x2a).toString('base64');

/** The carrier's end of a socket. */
function carrierSocket() {
  const sent: unknown[] = [];
  const closes: number[] = [];
  let onMessage: (text: string) => void = () => {};
  let onClose: (code: number) => void = () => {};
  const socket = {
    bufferedBytes: 0,
    send: (text: string) => sent.push(JSON.parse(text)),
    close: (code: number) => closes.push(code),
    onMessage: (listener: (text: string) => void) => {
      onMessage = listener;
    },
    onClose: (listener: (code: number) => void) => {
      onClose = listener;
    },
  } satisfies TextSocket;
  const channel = new MediaChannel(socket, silentLogger);
  const events: AudioEvent[] = [];
  const receive = (message: unknown) => onMessage(JSON.stringify(message));
  return {
    socket,
    channel,
    events,
    sent,
    closes,
    receive,
    receiveText: onMessageText,
    hangUp: () => onClose(1000),
  };

  function onMessageText(text: string): void {
    onMessage(text);
  }
}

const start = {
  event: 'start',
  sequenceNumber: '1',
  streamSid: 'MZ1',
  start: { callSid: 'CA1', streamSid: 'MZ1' },
};
const media = (timestamp: number, payload = sound) => ({
  event: 'media',
  sequenceNumber: '2',
  media: { track: 'inbound', chunk: '1', timestamp: String(timestamp), payload },
  streamSid: 'MZ1',
});

function openChannel() {
  const side = carrierSocket();
  side.channel.listen((event) => side.events.push(event));
  side.receive({ event: 'connected', protocol: 'Call', version: '1.0.0' });
  side.receive(start);
  return side;
}

describe('what the stream sends', () => {
  it('reaches a listener who comes late', () => {
    const { channel, events, receive, hangUp } = carrierSocket();
    receive(start);
    receive(media(0));
    receive({ event: 'dtmf', streamSid: 'MZ1', dtmf: { track: 'inbound_track', digit: '9' } });
    channel.listen((event) => events.push(event));
    hangUp();
    expect(events).toEqual([
      { type: 'ready', providerCallId: 'CA1', sessionId: 'MZ1' },
      { type: 'audio', audio: sound },
      { type: 'pressed', digit: '9' },
      { type: 'closed' },
    ]);
  });

  it('is filled with silence where frames were lost', () => {
    const { events, receive } = openChannel();
    for (const timestamp of [5, 25, 46, 106, 126]) receive(media(timestamp));
    const audio = events.flatMap((event) => (event.type === 'audio' ? [event.audio] : []));
    expect(audio).toEqual([sound, sound, sound, silence(40), sound, sound]);
  });

  it('is ignored when it makes no sense, or comes before the start', () => {
    const { channel, events, receive, receiveText } = carrierSocket();
    channel.listen((event) => events.push(event));
    receive(media(0));
    receive({ event: 'mark', mark: { name: '0:a' } });
    for (const text of ['', '{', 'null', '[]', '{"event":"media"}', '{"event":"other"}']) receiveText(text);
    receive({ ...start, streamSid: 'MZ"1' });
    expect(events).toEqual([]);
  });
});

describe('what is sent to the stream', () => {
  it('is sound, marks and clearings', () => {
    const { channel, sent } = openChannel();
    channel.play(sound);
    channel.mark('a"b');
    channel.clear();
    expect(sent).toEqual([
      { event: 'media', streamSid: 'MZ1', media: { payload: sound } },
      { event: 'mark', streamSid: 'MZ1', mark: { name: '0:a"b' } },
      { event: 'clear', streamSid: 'MZ1' },
    ]);
  });

  it('takes marks back that a clearing returned', () => {
    const { channel, events, receive } = openChannel();
    channel.mark('first');
    receive({ event: 'mark', mark: { name: '0:first' } });
    channel.mark('second');
    channel.clear();
    receive({ event: 'mark', mark: { name: '0:second' } });
    channel.mark('third:x');
    receive({ event: 'mark', mark: { name: '1:third:x' } });
    expect(events.filter(({ type }) => type === 'played')).toEqual([
      { type: 'played', mark: 'first' },
      { type: 'played', mark: 'third:x' },
    ]);
  });

  it('ends with the channel', () => {
    const { channel, sent, closes, hangUp, events } = openChannel();
    channel.end();
    channel.play(sound);
    channel.close();
    hangUp();
    expect(sent).toEqual([]);
    expect(closes).toEqual([1000]);
    expect(events.at(-1)).toEqual({ type: 'closed' });
  });

  it('does not pile up at a peer that does not read', () => {
    const { socket, channel, closes, sent } = openChannel();
    socket.bufferedBytes = 2 * 1024 * 1024;
    channel.play(sound);
    channel.play(sound);
    expect(closes).toEqual([1008]);
    expect(sent).toHaveLength(1);
  });
});
