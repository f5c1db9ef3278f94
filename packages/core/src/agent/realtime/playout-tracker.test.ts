import { beforeEach, describe, expect, it, vi } from 'vitest';
import type { SpokenEntry } from '../session/transcript.ts';
import { type PlayoutTracker, playoutTracker } from './playout-tracker.ts';
import { transcriptSequencer } from './transcript-sequencer.ts';

const sound = (ms: number) => Buffer.alloc(ms * 8, 0x55).toString('base64');

let entries: SpokenEntry[];
let did: string[];
let heard: string[];
let playback: PlayoutTracker;
/** Marks the channel was asked for, the oldest first. */
let marks: string[];

beforeEach(() => {
  entries = [];
  did = [];
  heard = [];
  marks = [];
  playback = playoutTracker({
    channel: {
      play: (audio) => did.push(`play ${Buffer.from(audio, 'base64').length / 8}`),
      mark: (name) => marks.push(name),
      clear: () => did.push('clear'),
    },
    order: transcriptSequencer({ add: (entry) => entries.push(entry) }),
    onPlaying: (isPlaying) => did.push(isPlaying ? 'on' : 'off'),
    onHeard: (id) => heard.push(id),
  });
});

const confirmNext = (count = 1) => {
  for (const mark of marks.splice(0, count)) playback.played(mark);
};

describe('playback', () => {
  it('is in the transcript once it was heard to its end', () => {
    playback.text('u1', 'Can you come ');
    playback.play('u1', sound(400));
    playback.play('u1', sound(600));
    playback.text('u1', 'on Monday?');
    confirmNext();
    playback.ended('u1');
    expect(entries).toEqual([]);
    expect(playback.unheard).toEqual(['Can you come on Monday?']);
    confirmNext();
    expect(entries).toEqual([{ role: 'assistant', content: 'Can you come on Monday?', interrupted: false }]);
    expect(heard).toEqual(['u1']);
    expect(did).toEqual(['play 400', 'on', 'play 600', 'off']);
    expect([playback.isPlaying, playback.isSpeaking, playback.leftMs]).toEqual([false, false, 0]);
  });

  it('that was cut is in the transcript as far as it was heard', () => {
    playback.play('u1', sound(1000));
    playback.play('u1', sound(1000));
    playback.text('u1', 'one two three four five six seven eight');
    playback.ended('u1');
    playback.play('u2', sound(500));
    playback.text('u2', 'never heard');
    playback.ended('u2');
    confirmNext();
    const cut = playback.cut();
    expect(cut.map(({ id }) => id)).toEqual(['u1', 'u2']);
    expect(cut[0]?.heardMs).toBeGreaterThanOrEqual(1000);
    expect(cut[0]?.heardMs).toBeLessThan(2000);
    expect(cut[1]?.heardMs).toBe(0);
    expect(entries).toHaveLength(1);
    expect(entries[0]?.interrupted).toBe(true);
    expect(entries[0]?.content).toMatch(/^one two three/);
    expect(entries[0]?.content).not.toContain('eight');
    expect(did).toContain('clear');
  });

  it('whose words are known ahead of its sound was not heard faster than people speak', () => {
    playback.play('u1', sound(1000));
    playback.text('u1', 'one two three four five six seven eight nine ten '.repeat(4));
    confirmNext();
    playback.cut();
    // The utterance goes on: how long it would have been is not known.
    expect(entries).toHaveLength(1);
    expect(entries[0]?.content).toMatch(/^one two three/);
    expect(entries[0]?.content).not.toContain('five');
  });

  it('is confirmed piece by piece while little is ahead, then every half a second, and at its end', () => {
    playback.text('u1', 'one two three four five six seven eight');
    for (let piece = 1; piece <= 20; piece += 1) playback.play('u1', sound(120));
    // 1080 ms are ahead of the tenth piece.
    expect(marks).toHaveLength(9 + 2);
    playback.ended('u1');
    expect(marks).toHaveLength(9 + 3);
    expect(playback.leftMs).toBeCloseTo(2400);
    confirmNext(10);
    expect(playback.leftMs).toBeCloseTo(2400 - (9 + 5) * 120);
    confirmNext(2);
    expect(heard).toEqual(['u1']);
    expect(playback.leftMs).toBeCloseTo(0);
  });

  it('that was cut between two marks is heard as far as time tells', async () => {
    vi.useFakeTimers({ toFake: ['performance'] });
    try {
      for (let piece = 1; piece <= 20; piece += 1) playback.play('u1', sound(120));
      confirmNext(9);
      vi.advanceTimersByTime(300);
      expect(playback.cut()).toMatchObject([{ id: 'u1', heardMs: 9 * 120 + 300 }]);
      for (let piece = 1; piece <= 20; piece += 1) playback.play('u2', sound(120));
      marks.splice(0, 2);
      confirmNext(9);
      vi.advanceTimersByTime(5000);
      // The mark that was due is not there: playback has stalled.
      expect(playback.cut()).toMatchObject([{ id: 'u2', heardMs: (9 + 5) * 120 }]);
    } finally {
      vi.useRealTimers();
    }
  });

  it('of one utterance is confirmed before the next begins', () => {
    for (let piece = 1; piece <= 10; piece += 1) playback.play('u1', sound(120));
    expect(marks).toHaveLength(9);
    playback.play('u2', sound(120));
    expect(marks).toHaveLength(10);
    playback.ended('u1');
    confirmNext(10);
    expect(heard).toEqual(['u1']);
  });

  it('drops what still comes of an utterance that was cut', () => {
    playback.play('u1', sound(100));
    playback.cut();
    playback.play('u1', sound(100));
    playback.text('u1', 'late');
    playback.ended('u1');
    expect(did.filter((each) => each.startsWith('play'))).toEqual(['play 100']);
    expect(entries).toEqual([]);
    expect(playback.isSpeaking).toBe(false);
  });

  it('cuts what was sent in full and is not played in full', () => {
    playback.text('u1', 'one two three four');
    playback.play('u1', sound(800));
    playback.ended('u1');
    const [cut] = playback.cut();
    expect(cut?.heardMs).toBeLessThan(800);
    expect(did).toContain('clear');
  });

  it('has nothing to cut when all was heard', () => {
    playback.text('u1', 'Goodbye.');
    playback.play('u1', sound(300));
    playback.ended('u1');
    confirmNext();
    expect(playback.cut()).toEqual([]);
    expect(did).not.toContain('clear');
  });

  it('does not take a tone for words', () => {
    playback.playTone(sound(300));
    expect(playback.isPlaying).toBe(true);
    expect(playback.isSpeaking).toBe(false);
    confirmNext();
    expect(entries).toEqual([]);
  });
});
