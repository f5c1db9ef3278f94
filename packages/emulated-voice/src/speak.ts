import { toSpeechBand } from './filters.ts';
import { LISTENING_DELAY } from './listener.ts';
import { encodeMuLaw, SAMPLE_RATE, SAMPLES_PER_MS } from './mu-law.ts';
import { babble } from './speech/babble.ts';
import { clip, DEFAULT_WORDS_PER_MINUTE, sentencesOf } from './speech/clips.ts';
import { espeak } from './speech/espeak.ts';
import type { RawSpeech, Utterance } from './speech/speech.ts';
import {
  CARRIER_AMPLITUDE,
  MAXIMUM_WORD_BYTES,
  SAMPLES_PER_SYMBOL,
  symbolsOf,
  tonePeriods,
} from './word-frame.ts';

/** A word, and when it is complete: a listener to the audio understands it at this millisecond. */
export interface SpokenWord {
  readonly text: string;
  readonly endMs: number;
}

/** Something said: µ-law, 8 kHz, mono, in whole frames of 20 ms. */
export interface SpokenAudio {
  readonly audio: Uint8Array;
  readonly words: readonly SpokenWord[];
}

/** How {@link speak} speaks. */
export interface SpeakOptions {
  /** @default 'agent' */
  voice?: 'agent' | 'callee' | undefined;
  /** @default 165 */
  wordsPerMinute?: number | undefined;
  /** BCP-47 tag. @default 'en-US' */
  language?: string | undefined;
}

const SENTENCE_PAUSE_MS = 250;
const FRAME_SAMPLES = 20 * SAMPLES_PER_MS;
const CACHE_BYTES = 16 * 1024 * 1024;

const SPEECH_LEVEL = 0.1;
const SPEECH_PEAK = 0.7;
// Quieter than this, relative to the loudest moment, is a pause.
const PAUSE_SHARE = 0.05;
const LEVEL_WINDOW = 10 * SAMPLES_PER_MS;
const PAUSE = 8 * LEVEL_WINDOW;
// How far from its estimated end, in level windows of sound, a word with punctuation may end.
const PAUSE_SEARCH = 25;
// Characters a digit takes to say, roughly.
const DIGIT_CHARACTERS = 4;

interface CachedSpeech {
  readonly spoken: Promise<SpokenAudio>;
  bytes: number;
}
const cache = new Map<string, CachedSpeech>();
let cachedBytes = 0;

/**
 * Says `text`: with `espeak-ng` where it is installed, else each sentence as a recording or as babble. Each word, set off by white space,
 * is also encoded in a quiet data carrier, in step with the speech, which {@link listener} reads back; a word of more than
 * 255 bytes arrives in pieces. The same text always sounds the same on one machine, unless there is so much to say at once that
 * some of it is babbled. Speech said lately is kept.
 */
export function speak(text: string, options: SpeakOptions = {}): Promise<SpokenAudio> {
  const utterance: Utterance = {
    text,
    voice: options.voice ?? 'agent',
    wordsPerMinute: options.wordsPerMinute ?? DEFAULT_WORDS_PER_MINUTE,
    language: options.language ?? 'en-US',
  };
  const key = JSON.stringify(utterance);
  const cached = cache.get(key) ?? { spoken: synthesize(utterance), bytes: 0 };
  const isNew = !cache.has(key);
  // Last in the map is used last.
  cache.delete(key);
  cache.set(key, cached);
  if (isNew) {
    void cached.spoken.then(
      ({ audio }) => keep(cached, audio.length),
      () => cache.delete(key),
    );
  }
  return cached.spoken;
}

function keep(cached: CachedSpeech, bytes: number): void {
  cached.bytes = bytes;
  cachedBytes += bytes;
  for (const [key, oldest] of cache) {
    if (cachedBytes <= CACHE_BYTES) return;
    if (oldest.bytes === 0) continue;
    cache.delete(key);
    cachedBytes -= oldest.bytes;
  }
}

async function synthesize(utterance: Utterance): Promise<SpokenAudio> {
  const words = wordsOf(utterance.text);
  if (words.length === 0) return { audio: new Uint8Array(), words: [] };
  const raw = (await espeak(utterance)) ?? (await clip(utterance)) ?? (await bySentence(utterance));
  const speech = levelled(toSpeechBand(raw.samples, raw.sampleRate));
  const spokenEnds = wordEnds(speech, words);
  const placed: { symbols: number[]; endsAt: number }[] = [];
  let free = 0;
  for (const [index, word] of words.entries()) {
    const symbols = symbolsOf(Buffer.from(word));
    // A word that takes longer to encode than to say is complete a little late.
    free = Math.max(free + symbols.length * SAMPLES_PER_SYMBOL, spokenEnds[index] ?? 0);
    placed.push({ symbols, endsAt: free });
  }
  const length = Math.max(speech.length, free + LISTENING_DELAY);
  const samples = new Float64Array(Math.ceil(length / FRAME_SAMPLES) * FRAME_SAMPLES);
  samples.set(speech);
  for (const { symbols, endsAt } of placed) addTones(samples, symbols, endsAt);
  return {
    audio: encodeMuLaw(samples),
    words: words.map((text, index) => ({
      text,
      endMs: Math.round(((placed[index]?.endsAt ?? 0) + LISTENING_DELAY) / SAMPLES_PER_MS),
    })),
  };
}

/** Without a speech program: a recording of each sentence that has one, and babble for the others. */
async function bySentence(utterance: Utterance): Promise<RawSpeech> {
  const pause = new Float64Array(SENTENCE_PAUSE_MS * SAMPLES_PER_MS);
  const pieces: Float64Array[] = [];
  for (const text of sentencesOf(utterance.text)) {
    const sentence = { ...utterance, text };
    const { samples } = (await clip(sentence)) ?? babble(sentence);
    pieces.push(...(pieces.length === 0 ? [] : [pause]), samples);
  }
  const joined = new Float64Array(pieces.reduce((length, piece) => length + piece.length, 0));
  let at = 0;
  for (const piece of pieces) {
    joined.set(piece, at);
    at += piece.length;
  }
  return { samples: joined, sampleRate: SAMPLE_RATE };
}

/** The words of a text, those too long to send in pieces. */
function wordsOf(text: string): string[] {
  return text
    .split(/\s+/)
    .filter((word) => word !== '')
    .flatMap((word) => {
      const pieces = [''];
      for (const character of Buffer.from(word).toString()) {
        const piece = pieces.at(-1) ?? '';
        if (Buffer.byteLength(piece + character) > MAXIMUM_WORD_BYTES) pieces.push(character);
        else pieces[pieces.length - 1] = piece + character;
      }
      return pieces;
    });
}

/** Brings speech to the level of telephone speech. */
function levelled(samples: Float64Array): Float64Array {
  let energy = 0;
  let loud = 0;
  let peak = 0;
  for (const sample of samples) {
    const magnitude = Math.abs(sample);
    if (magnitude > peak) peak = magnitude;
    if (magnitude < 0.01) continue;
    energy += sample * sample;
    loud += 1;
  }
  if (loud === 0) return samples;
  const gain = Math.min(SPEECH_LEVEL / Math.sqrt(energy / loud), SPEECH_PEAK / peak);
  return samples.map((sample) => sample * gain);
}

/** The sample at which each word ends: words take their share of the time that is not pause, and punctuation pauses. */
function wordEnds(speech: Float64Array, words: readonly string[]): number[] {
  const levels: number[] = [];
  for (let from = 0; from < speech.length; from += LEVEL_WINDOW) {
    levels.push(
      speech.subarray(from, from + LEVEL_WINDOW).reduce((sum, sample) => sum + Math.abs(sample), 0),
    );
  }
  const threshold = PAUSE_SHARE * levels.reduce((most, level) => Math.max(most, level), 0);
  const loudEnds = levels.flatMap((level, index) => (level > threshold ? [(index + 1) * LEVEL_WINDOW] : []));
  const isPause = (index: number) => (loudEnds[index + 1] ?? 0) - (loudEnds[index] ?? 0) >= PAUSE;
  const weights = words.map(charactersToSay);
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  let said = 0;
  return words.map((word, at) => {
    said += weights[at] ?? 0;
    const estimate = Math.max(0, Math.round((said / total) * loudEnds.length) - 1);
    if (!/\p{P}$/u.test(word)) return loudEnds[estimate] ?? 0;
    for (let off = 0; off <= PAUSE_SEARCH; off += 1) {
      if (isPause(estimate - off)) return loudEnds[estimate - off] ?? 0;
      if (isPause(estimate + off)) return loudEnds[estimate + off] ?? 0;
    }
    return loudEnds[estimate] ?? 0;
  });
}

function charactersToSay(word: string): number {
  const characters = [...word.replaceAll(/\p{P}/gu, '')];
  return characters.reduce(
    (sum, character) => sum + (/\p{N}/u.test(character) ? DIGIT_CHARACTERS : 1),
    characters.length === 0 ? 1 : 0,
  );
}

function addTones(samples: Float64Array, symbols: readonly number[], endsAt: number): void {
  const startsAt = endsAt - symbols.length * SAMPLES_PER_SYMBOL;
  for (const [index, symbol] of symbols.entries()) {
    const step = (2 * Math.PI * (tonePeriods[symbol] ?? 0)) / SAMPLES_PER_SYMBOL;
    const from = startsAt + index * SAMPLES_PER_SYMBOL;
    for (let at = 0; at < SAMPLES_PER_SYMBOL; at += 1) {
      samples[from + at] = (samples[from + at] ?? 0) + CARRIER_AMPLITUDE * Math.sin(step * at);
    }
  }
}
