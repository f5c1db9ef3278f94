import { speak } from '@callkite/emulated-voice';
import { BYTES_PER_MS } from './ear.ts';

/** A piece of speech, and the words that end in it. */
export interface SpeechFragment {
  audio: Uint8Array;
  text: string;
  words: TimedWord[];
  /** Where the piece lies in the utterance. */
  startMs: number;
  endMs: number;
}

/** A word of an utterance, and when it is complete. */
export interface TimedWord {
  /** With the white space before it: the words join to exactly the text. */
  text: string;
  endMs: number;
}

export interface Utterance {
  audio: Uint8Array;
  fragments: SpeechFragment[];
}

function timedWords(
  text: string,
  spoken: { audio: Uint8Array; words: readonly { endMs: number }[] },
): TimedWord[] {
  const parts = text.match(/\s*\S+/g) ?? [];
  const wholeMs = spoken.audio.length / BYTES_PER_MS;
  return parts.map((part, index) => ({
    text: part,
    endMs:
      (parts.length === spoken.words.length ? spoken.words[index]?.endMs : undefined) ??
      (wholeMs * (index + 1)) / parts.length,
  }));
}

/** Speaks a text, in pieces of `chunkMs`. */
export async function utter(text: string, chunkMs: number): Promise<Utterance> {
  const spoken = await speak(text, { voice: 'agent' });
  const words = timedWords(text, spoken);
  const fragments: SpeechFragment[] = [];
  const chunkBytes = chunkMs * BYTES_PER_MS;
  for (let at = 0; at < spoken.audio.length; at += chunkBytes) {
    const audio = spoken.audio.subarray(at, at + chunkBytes);
    const startMs = at / BYTES_PER_MS;
    const endMs = startMs + audio.length / BYTES_PER_MS;
    const isLast = at + chunkBytes >= spoken.audio.length;
    const inside = words.filter((word) => word.endMs > startMs && (word.endMs <= endMs || isLast));
    fragments.push({ audio, text: inside.map((word) => word.text).join(''), words: inside, startMs, endMs });
  }
  return { audio: spoken.audio, fragments };
}

/** A text that is written and not spoken: word by word, without sound. */
export function written(text: string): Utterance {
  const words = text.match(/\s*\S+/g) ?? [];
  const silent = { audio: new Uint8Array(), startMs: 0, endMs: 0 };
  return {
    audio: silent.audio,
    fragments: words.map((word) => ({ ...silent, text: word, words: [{ text: word, endMs: 0 }] })),
  };
}
