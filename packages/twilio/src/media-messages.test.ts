import { describe, expect, it } from 'vitest';
import { mediaFrameOf, parseMediaMessage } from './media-messages.ts';

const media = { track: 'inbound', chunk: '2', timestamp: '40', payload: '//8AfwB/' };

describe('sound', () => {
  it('is found wherever it stands in the message', () => {
    const orders = [
      { event: 'media', sequenceNumber: '3', media, streamSid: 'MZ1' },
      {
        event: 'media',
        streamSid: 'MZ1',
        media: { payload: media.payload, timestamp: '40', track: 'inbound' },
      },
      { streamSid: 'MZ1', media, event: 'media' },
    ];
    for (const message of orders) {
      expect(mediaFrameOf(JSON.stringify(message))).toEqual({ payload: media.payload, timestampMs: 40 });
      expect(mediaFrameOf(JSON.stringify(message, null, 1))).toEqual({
        payload: media.payload,
        timestampMs: 40,
      });
    }
  });

  it('is not found in anything else', () => {
    const others = [
      '',
      '{',
      '{"event":"media"',
      '{"event":"media","media":{}}',
      '{"event":"media","media":{"timestamp":"1","payload":7}}',
      JSON.stringify({ event: 'mark', mark: { name: '"media"' } }),
    ];
    for (const text of others) expect(mediaFrameOf(text)).toBeNull();
  });
});

describe('a mark', () => {
  it.each(['0:p1', 'a"b', 'back\\slash', '{"mark":{"name":"x"}}', 'ünï', ''])('is named %j', (name) => {
    for (const message of [
      { event: 'mark', sequenceNumber: '4', streamSid: 'MZ1', mark: { name } },
      { event: 'mark', mark: { name }, streamSid: 'MZ1' },
      { streamSid: 'MZ1', mark: { name }, event: 'mark' },
    ]) {
      const read = { event: 'mark', mark: { name } };
      expect(parseMediaMessage(JSON.stringify(message))).toEqual(read);
      expect(parseMediaMessage(JSON.stringify(message, null, 1))).toEqual(read);
    }
  });

  it('is none without a name', () => {
    for (const text of [
      '{"event":"mark"}',
      '{"event":"mark","mark":{"name":1}}',
      '{"event":"mark","mark":{',
    ]) {
      expect(parseMediaMessage(text)).toBeNull();
    }
  });
});

describe('other messages', () => {
  it('are told apart', () => {
    const start = { event: 'start', streamSid: 'MZ1', start: { callSid: 'CA1' } };
    expect(parseMediaMessage(JSON.stringify(start))).toEqual(start);
    for (const text of ['', 'null', '{"event":"connected"}', '{"event":"start","streamSid":"a\\"b"}']) {
      expect(parseMediaMessage(text)).toBeNull();
    }
  });
});
