import { describe, expect, it } from 'vitest';
import { dtmf, dtmfListener, tone } from './dtmf.ts';
import { silence } from './mu-law.ts';
import { speak } from './speak.ts';

function keysIn(audio: Uint8Array, pieceLength = 160): string {
  const ear = dtmfListener();
  for (let from = 0; from < audio.length; from += pieceLength)
    ear.hear(audio.subarray(from, from + pieceLength));
  return ear.take().join('');
}

const pressed = (keys: string, offsetMs = 0) =>
  Buffer.concat([silence(offsetMs), ...[...keys].flatMap((key) => [dtmf(key), silence(80)])]);

describe('keys as tones', () => {
  it.each([0, 3, 7, 13])('are understood %i ms off the beat', (offsetMs) => {
    expect(keysIn(pressed('0123456789*#ABCD', offsetMs))).toBe('0123456789*#ABCD');
    expect(keysIn(pressed('5500', offsetMs), 37)).toBe('5500');
  });

  it('count once however long they sound', () => {
    expect(keysIn(dtmf('7', 1000))).toBe('7');
  });

  it('are not heard in speech', async () => {
    const { audio } = await speak('Nineteen ninety-nine, oh two, five five five: call me at eleven, Louie.');
    expect(keysIn(audio)).toBe('');
    expect(keysIn(tone([1000], 500))).toBe('');
  });

  it('exist on a telephone only', () => {
    expect(() => dtmf('E')).toThrow("not 'E'");
    expect(() => dtmf('12')).toThrow("not '12'");
  });
});
