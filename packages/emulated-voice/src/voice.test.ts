import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { listener } from './listener.ts';
import { isLoud, silence } from './mu-law.ts';
import { type SpokenAudio, speak } from './speak.ts';

const FRAME = 160;
const bytes = (ms: number) => Math.round(ms * 8);
const joined = (...pieces: Uint8Array[]) => new Uint8Array(Buffer.concat(pieces));
const texts = (words: readonly { text: string }[]) => words.map(({ text }) => text);

function heardIn(audio: Uint8Array, pieceLengths: readonly number[] = [FRAME]) {
  const ear = listener();
  for (let from = 0, piece = 0; from < audio.length; piece += 1) {
    const length = pieceLengths[piece % pieceLengths.length] ?? FRAME;
    ear.hear(audio.subarray(from, from + length));
    from += length;
  }
  return ear.take();
}

/** The words of which no part lies between two moments: each is sent after the end of the one before it. */
function untouched({ words }: SpokenAudio, fromMs: number, toMs: number): string[] {
  return texts(words.filter((word, index) => word.endMs <= fromMs || (words[index - 1]?.endMs ?? 0) >= toMs));
}

function isSubsequence(part: readonly string[], whole: readonly string[]): boolean {
  let at = 0;
  for (const each of whole) if (each === part[at]) at += 1;
  return at === part.length;
}

const word = fc.oneof(
  { weight: 3, arbitrary: fc.stringMatching(/^[A-Za-z]{1,9}[,.?]?$/) },
  { weight: 1, arbitrary: fc.string({ unit: 'grapheme', minLength: 1, maxLength: 6 }) },
);
const text = fc.array(word, { minLength: 1, maxLength: 6 }).map((words) => words.join(' '));
const share = fc.double({ min: 0, max: 1, noNaN: true });
const runs = { numRuns: 25 };

describe('speech that is heard', () => {
  it('is understood word by word, however it is cut into pieces', async () => {
    const lengths = fc.array(fc.integer({ min: 1, max: 700 }), { minLength: 1, maxLength: 5 });
    await fc.assert(
      fc.asyncProperty(text, lengths, async (said, pieceLengths) => {
        const spoken = await speak(said);
        expect(texts(spoken.words)).toEqual(said.split(/\s+/).filter(Boolean));
        const heard = heardIn(spoken.audio, pieceLengths);
        expect(texts(heard)).toEqual(texts(spoken.words));
        for (const [index, { atMs }] of heard.entries()) {
          expect(Math.abs(atMs - (spoken.words[index]?.endMs ?? 0))).toBeLessThanOrEqual(2);
        }
      }),
      runs,
    );
  });

  it('is understood up to where it is cut off', async () => {
    await fc.assert(
      fc.asyncProperty(text, share, async (said, at) => {
        const spoken = await speak(said, { voice: 'callee' });
        const cutAt = Math.round(spoken.audio.length * at);
        const heard = texts(heardIn(joined(spoken.audio.subarray(0, cutAt), silence(200))));
        const complete = spoken.words.filter(({ endMs }) => bytes(endMs) <= cutAt);
        // The last tone of a word need not be whole.
        const almost = spoken.words.filter(({ endMs }) => bytes(endMs - 10) <= cutAt);
        expect([texts(complete), texts(almost)]).toContainEqual(heard);
      }),
      runs,
    );
  });

  it('is understood from the next word on when listening begins in the middle', async () => {
    await fc.assert(
      fc.asyncProperty(text, share, async (said, at) => {
        const spoken = await speak(said);
        const from = Math.round(spoken.audio.length * at);
        const heard = texts(heardIn(spoken.audio.subarray(from)));
        const all = texts(spoken.words);
        expect(all.slice(all.length - heard.length)).toEqual(heard);
        expect(heard.length).toBeGreaterThanOrEqual(untouched(spoken, 0, from / 8).length);
      }),
      runs,
    );
  });

  it.each(['left out', 'silent'])('loses only the words that a %s gap touches', async (kind) => {
    await fc.assert(
      fc.asyncProperty(text, share, async (said, at) => {
        const spoken = await speak(said);
        const from = Math.round((spoken.audio.length - FRAME) * at);
        const gap = kind === 'silent' ? silence(20) : new Uint8Array();
        const audio = joined(spoken.audio.subarray(0, from), gap, spoken.audio.subarray(from + FRAME));
        const heard = texts(heardIn(audio));
        expect(isSubsequence(heard, texts(spoken.words)), heard.join(' ')).toBe(true);
        expect(isSubsequence(untouched(spoken, from / 8, from / 8 + 20), heard), heard.join(' ')).toBe(true);
      }),
      runs,
    );
  });

  it('may come from one speaker after another, cut off or not', async () => {
    await fc.assert(
      fc.asyncProperty(text, text, share, async (first, second, at) => {
        const agent = await speak(first);
        const callee = await speak(second, { voice: 'callee' });
        const cutAt = Math.round(agent.audio.length * at);
        const heard = texts(heardIn(joined(agent.audio.subarray(0, cutAt), callee.audio)));
        expect(heard.slice(-callee.words.length)).toEqual(texts(callee.words));
      }),
      runs,
    );
  });

  it('has nothing to understand in silence', () => {
    const ear = listener();
    ear.hear(silence(10_000));
    expect(ear.take()).toEqual([]);
  });

  it('gives every word once', async () => {
    const { audio } = await speak('One two.');
    const ear = listener();
    ear.hear(audio);
    expect(texts(ear.take())).toEqual(['One', 'two.']);
    expect(ear.take()).toEqual([]);
  });

  it('sends a word of more than 255 bytes in pieces', async () => {
    const said = '\u5317'.repeat(200);
    const { audio } = await speak(said);
    expect(texts(heardIn(audio)).join('')).toBe(said);
  });
});

describe('speech', () => {
  const sentence = 'I am calling about your appointment on Tuesday.';

  it('is the same every time', async () => {
    const [first, second] = await Promise.all([speak(sentence), speak(sentence)]);
    expect(second).toBe(first);
    expect((await speak(sentence, { voice: 'callee' })).audio).not.toEqual(first.audio);
  });

  it('comes in whole frames, and nothing comes of no words', async () => {
    expect((await speak(sentence)).audio.length % FRAME).toBe(0);
    expect(await speak(' \n')).toEqual({ audio: new Uint8Array(), words: [] });
  });

  it('takes longer when it is slower', async () => {
    const [slow, fast] = await Promise.all(
      [80, 320].map((wordsPerMinute) => speak(sentence, { wordsPerMinute })),
    );
    expect(slow?.audio.length).toBeGreaterThan((fast?.audio.length ?? 0) * 2);
  });

  it('is loud, and silence is not', async () => {
    const { audio } = await speak(sentence);
    const frames = Array.from({ length: audio.length / FRAME }, (_, index) =>
      audio.subarray(index * FRAME, (index + 1) * FRAME),
    );
    expect(frames.filter(isLoud).length).toBeGreaterThan(frames.length / 2);
    expect(isLoud(silence(20))).toBe(false);
    expect(silence(20)).toEqual(new Uint8Array(160).fill(0xff));
  });

  it('falls back to what it can say in a language it does not know', async () => {
    const { audio, words } = await speak('Saluton al vi.', { language: 'qqq' });
    expect(texts(heardIn(audio))).toEqual(texts(words));
  });
});
