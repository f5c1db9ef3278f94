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

/** So many characters are spoken at once, or a little more: a long text is heard before all of it is made. */
const pieceCharacters = 200;

function piecesOf(text: string): string[] {
  const pieces: string[] = [];
  for (const sentence of text.match(/.+?[.!?:](?=\s|$)|.+$/gs) ?? []) {
    const last = pieces.at(-1);
    if (last === undefined || last.length >= pieceCharacters) pieces.push(sentence);
    else pieces[pieces.length - 1] = last + sentence;
  }
  return pieces;
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

/** Speaks a text, in pieces of `chunkMs` or less. */
export function utter(text: string, chunkMs: number): AsyncGenerator<SpeechFragment> {
  const [first = '', ...others] = piecesOf(text);
  return utterPieces(first, others, make(first), chunkMs);
}

async function* utterPieces(
  first: string,
  others: readonly string[],
  firstSpoken: ReturnType<typeof speak>,
  chunkMs: number,
): AsyncGenerator<SpeechFragment> {
  let spoken = await firstSpoken;
  let beganMs = 0;
  for (const [index, piece] of [first, ...others].entries()) {
    const following = others[index];
    const next = following === undefined ? undefined : make(following);
    yield* fragmentsOf(spoken.audio, timedWords(piece, spoken), chunkMs, beganMs);
    beganMs += spoken.audio.length / BYTES_PER_MS;
    if (next) spoken = await next;
  }
}

function make(piece: string): ReturnType<typeof speak> {
  const spoken = speak(piece, { voice: 'agent' });
  // Nobody may ask for it any more.
  spoken.catch(() => undefined);
  return spoken;
}

/** Sound that grows piece by piece. */
export function growingSound(): { add(piece: Uint8Array): Uint8Array } {
  let room = new Uint8Array(8 * 1024);
  let length = 0;
  return {
    add(piece) {
      if (length + piece.length > room.length) {
        const larger = new Uint8Array(2 * (length + piece.length));
        larger.set(room);
        room = larger;
      }
      room.set(piece, length);
      length += piece.length;
      return room.subarray(0, length);
    },
  };
}

function* fragmentsOf(
  sound: Uint8Array,
  words: readonly TimedWord[],
  chunkMs: number,
  beganMs: number,
): Generator<SpeechFragment> {
  const chunkBytes = chunkMs * BYTES_PER_MS;
  for (let at = 0; at < sound.length; at += chunkBytes) {
    const audio = sound.subarray(at, at + chunkBytes);
    const startMs = at / BYTES_PER_MS;
    const endMs = startMs + audio.length / BYTES_PER_MS;
    const isLast = at + chunkBytes >= sound.length;
    const inside = words.filter((word) => word.endMs > startMs && (word.endMs <= endMs || isLast));
    yield {
      audio,
      text: inside.map((word) => word.text).join(''),
      words: inside.map((word) => ({ ...word, endMs: beganMs + word.endMs })),
      startMs: beganMs + startMs,
      endMs: beganMs + endMs,
    };
  }
}

/** A text that is written and not spoken: word by word, without sound. */
export function written(text: string): SpeechFragment[] {
  const words = text.match(/\s*\S+/g) ?? [];
  const silent = { audio: new Uint8Array(), startMs: 0, endMs: 0 };
  return words.map((word) => ({ ...silent, text: word, words: [{ text: word, endMs: 0 }] }));
}
