import { silence, tone } from '@callkite/emulated-voice';
import { describe, expect, it } from 'vitest';
import { Playback } from './playback.ts';

const bytes = (value: number, length: number) => new Uint8Array(length).fill(value);

describe('what waits to be played', () => {
  it('is played in order, frame by frame, whatever the length of its pieces', () => {
    const playback = new Playback();
    playback.add(bytes(1, 100));
    playback.add(bytes(2, 300));
    expect(playback.next().frame).toEqual(Uint8Array.from([...bytes(1, 100), ...bytes(2, 60)]));
    expect(playback.next().frame).toEqual(bytes(2, 160));
    expect(playback.next().frame).toEqual(Uint8Array.from([...bytes(2, 80), ...bytes(0xff, 80)]));
    expect(playback.next().frame).toEqual(silence(20));
  });

  it('passes a mark once everything before it was played', () => {
    const playback = new Playback();
    expect(playback.mark('nothing waits')).toBe(false);
    playback.add(bytes(1, 160));
    expect(playback.mark('one')).toBe(true);
    playback.add(bytes(2, 80));
    expect(playback.mark('two')).toBe(true);
    expect(playback.next().marks).toEqual([]);
    expect(playback.next().marks).toEqual(['one']);
    // The last frame is still being played.
    expect(playback.mark('three')).toBe(true);
    expect(playback.next().marks).toEqual(['two', 'three']);
    expect(playback.mark('nothing waits')).toBe(false);
  });

  it('gives back all marks when it is dropped', () => {
    const playback = new Playback();
    playback.add(bytes(1, 160));
    playback.mark('one');
    playback.add(bytes(1, 1600));
    playback.mark('two');
    playback.next();
    expect(playback.clear()).toEqual(['one', 'two']);
    expect(playback.next()).toEqual({ frame: silence(20), marks: [] });
  });

  it('knows whether speech is left', () => {
    const playback = new Playback();
    playback.add(tone([500], 20));
    playback.add(silence(500));
    expect(playback.hasSpeech).toBe(true);
    playback.next();
    expect(playback.hasSpeech).toBe(false);
  });

  it('is gathered for a moment before it breaks a silence, where that is wanted', async () => {
    const playback = new Playback(50);
    const addedAt = performance.now();
    playback.add(bytes(1, 320));
    playback.mark('end');
    let frame = playback.next().frame;
    while (frame[0] !== 1) {
      await new Promise((resolve) => setTimeout(resolve, 5));
      frame = playback.next().frame;
    }
    expect(performance.now() - addedAt).toBeGreaterThanOrEqual(50);
    playback.add(bytes(2, 160));
    expect(playback.next().frame).toEqual(bytes(1, 160));
    expect(playback.next()).toEqual({ frame: bytes(2, 160), marks: ['end'] });
  });

  it('is bounded', () => {
    const playback = new Playback();
    const minute = bytes(1, 60 * 8000);
    const taken = Array.from({ length: 31 }, () => playback.add(minute));
    expect(taken.lastIndexOf(true)).toBe(29);
  });
});
