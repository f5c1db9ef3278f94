import { dtmf, silence, speak } from '@callkite/emulated-voice';
import { describe, expect, it } from 'vitest';
import { CalleeEar, FRAME_BYTES, type HeardUtterance } from './callee-ear.ts';

function startEar() {
  const heard = { started: 0, words: [] as string[], utterances: [] as HeardUtterance[], keys: '', turns: 0 };
  const ear = new CalleeEar({
    started: () => {
      heard.started += 1;
    },
    word: ({ text }) => heard.words.push(text),
    ended: (utterance) => heard.utterances.push(utterance),
    finished: () => {
      heard.turns += 1;
    },
    key: (key) => {
      heard.keys += key;
    },
  });
  const hear = (audio: Uint8Array) => {
    for (let at = 0; at < audio.length; at += FRAME_BYTES) ear.hear(audio.subarray(at, at + FRAME_BYTES));
  };
  return { ear, heard, hear };
}

describe('the ear of a callee', () => {
  it('hears where speech begins and ends, and its words', async () => {
    const { heard, hear } = startEar();
    hear(silence(1000));
    const spoken = await speak('Good morning.');
    hear(spoken.audio);
    expect(heard.started).toBe(1);
    expect(heard.utterances).toEqual([]);
    hear(silence(400));
    expect(heard.words).toEqual(['Good', 'morning.']);
    expect(heard.utterances).toMatchObject([{ text: 'Good morning.' }]);
    const [utterance] = heard.utterances;
    expect(utterance?.fromMs).toBeGreaterThanOrEqual(1000);
    expect(utterance?.toMs).toBeLessThanOrEqual(1000 + spoken.audio.length / 8);
  });

  it('knows what it heard of speech that was cut off', async () => {
    const { ear, heard, hear } = startEar();
    const { audio, words } = await speak('Good morning, everybody.');
    const cutAt = Math.ceil((words[1]?.endMs ?? 0) / 20) * FRAME_BYTES;
    hear(audio.subarray(0, cutAt));
    expect(ear.hearsSpeech).toBe(true);
    expect(ear.heard).toBe('Good morning,');
    ear.end(true);
    expect(heard.utterances).toMatchObject([{ text: 'Good morning,', cutOff: true }]);
    expect(ear.hearsSpeech).toBe(false);
  });

  it('takes a long silence for its turn, but not the time in which nothing could be heard', async () => {
    const { heard, hear } = startEar();
    const { audio } = await speak('Good morning.');
    hear(audio);
    const until = performance.now() + 300;
    while (performance.now() < until);
    hear(silence(2000));
    expect(heard.turns).toBe(0);
    for (let waits = 0; waits < 100 && heard.turns === 0; waits += 1) {
      await new Promise((resolve) => setTimeout(resolve, 10));
      hear(silence(20));
    }
    expect(heard.turns).toBe(1);
    hear(silence(2000));
    expect(heard.turns).toBe(1);
  });

  it('takes tones for keys, not for speech', () => {
    const { heard, hear } = startEar();
    for (const key of '42#') {
      hear(dtmf(key, 500));
      hear(silence(500));
    }
    expect(heard.keys).toBe('42#');
    expect(heard.utterances.map(({ text }) => text)).toEqual(['', '', '']);
  });

  it('notices speech in which it understands no word', async () => {
    const { heard, hear } = startEar();
    const { audio } = await speak('Somebody else speaks.');
    // Keeps the loud samples only: the carrier of the words is gone.
    hear(audio.map((byte) => ((byte & 0x7f) > 0x50 ? 0xff : byte | 0x0f)));
    hear(silence(400));
    expect(heard.utterances.map(({ text }) => text)).toContain('(unintelligible)');
  });
});
