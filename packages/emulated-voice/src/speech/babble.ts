import type { RawSpeech, Utterance } from './speech.ts';

const SAMPLE_RATE = 8000;
const CHARACTERS_PER_SECOND_PER_WORD_PER_MINUTE = 15 / 165;
const PAUSE_CHARACTERS = 4;
const FADE_SAMPLES = 40;

const pitchHz = { agent: 190, callee: 110 } as const;

// First three formants of some vowels, in Hz.
const vowels: readonly (readonly number[])[] = [
  [730, 1090, 2440],
  [530, 1840, 2480],
  [270, 2290, 2700],
  [570, 840, 2410],
  [300, 870, 2240],
  [500, 1500, 2500],
];

/** Speech-like sound for any text in any script: a vowel or a short noise for each character. The same text sounds the same. */
export function babble({ text, voice, wordsPerMinute }: Utterance): RawSpeech {
  const perCharacter = Math.round(SAMPLE_RATE / (wordsPerMinute * CHARACTERS_PER_SECOND_PER_WORD_PER_MINUTE));
  const sounds = soundsOf(text);
  const samples = new Float64Array(sounds.length * perCharacter);
  for (const [index, sound] of sounds.entries()) {
    if (sound === 'pause') continue;
    const at = index * perCharacter;
    const declination = 1 - 0.2 * (index / sounds.length);
    const piece = samples.subarray(at, at + perCharacter);
    if (sound === 'noise') breathe(piece, index);
    else sing(piece, vowels[sound % vowels.length] ?? [], pitchHz[voice] * declination, at);
    fade(piece);
  }
  return { samples, sampleRate: SAMPLE_RATE };
}

type Sound = number | 'noise' | 'pause';

function soundsOf(text: string): Sound[] {
  return [...text].flatMap((character): Sound[] => {
    if (/[.,;:?!]/.test(character)) return Array.from<Sound>({ length: PAUSE_CHARACTERS }).fill('pause');
    if (/\s/.test(character)) return ['pause'];
    const vowel = 'aeiou'.indexOf(character.toLowerCase());
    if (vowel !== -1) return [vowel];
    return /[cfhkpqstxz]/i.test(character) ? ['noise'] : [character.codePointAt(0) ?? 0];
  });
}

function sing(piece: Float64Array, formants: readonly number[], pitch: number, startsAt: number): void {
  for (let harmonic = 1; harmonic * pitch < 2600; harmonic += 1) {
    const frequency = harmonic * pitch;
    const level = formants.reduce((sum, formant) => sum + 1 / (1 + ((frequency - formant) / 90) ** 2), 0.02);
    const step = (2 * Math.PI * frequency) / SAMPLE_RATE;
    for (let at = 0; at < piece.length; at += 1) {
      piece[at] = (piece[at] ?? 0) + 0.3 * level * Math.sin(step * (startsAt + at));
    }
  }
}

function breathe(piece: Float64Array, seed: number): void {
  let state = (seed * 2654435761 + 1) >>> 0;
  for (let at = 0; at < piece.length; at += 1) {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    piece[at] = 0.25 * (state / 2 ** 31 - 1);
  }
}

function fade(piece: Float64Array): void {
  for (let at = 0; at < Math.min(FADE_SAMPLES, piece.length / 2); at += 1) {
    const gain = at / FADE_SAMPLES;
    const end = piece.length - 1 - at;
    piece[at] = (piece[at] ?? 0) * gain;
    piece[end] = (piece[end] ?? 0) * gain;
  }
}
