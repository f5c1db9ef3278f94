import type { AudioChannel } from '../../calls/speech.ts';
import { audioDurationMs } from './audio.ts';
import { charactersPerSecond, lastWordBoundary } from './spoken-text.ts';
import type { TranscriptSequencer, TranscriptSlot } from './transcript-sequencer.ts';

interface Utterance {
  readonly id: string;
  readonly place: TranscriptSlot;
  text: string;
  /** Of its sound: given to the channel, and heard for certain. */
  sentMs: number;
  heardMs: number;
  hasEnded: boolean;
}

interface Piece {
  /** What the channel confirms it by, with all before it; `null` for a piece that is confirmed by a later one. */
  mark: string | null;
  readonly utterance: Utterance | null;
  readonly ms: number;
}

/** How much of an utterance the callee heard before it was cut off. */
export interface CutUtterance {
  readonly id: string;
  readonly heardMs: number;
  /** Its words, as far as they were known: those that were heard, and those that were not. */
  readonly heard: string;
  readonly rest: string;
  /** All of it had been given. */
  readonly isWhole: boolean;
}

/** Plays the agent's sound, and knows at any time what of it was heard: the channel confirms piece after piece. */
export interface PlayoutTracker {
  /** Something is being played. */
  readonly isPlaying: boolean;
  /** An utterance was begun, is not heard to its end, and was not cut off. */
  readonly isSpeaking: boolean;
  /** Milliseconds of sound whose playback is not confirmed. */
  readonly leftMs: number;
  /** What was said and is not in the transcript yet. */
  readonly unheard: readonly string[];
  /** Sound and words of utterances that were cut off are dropped. */
  play(utteranceId: string, audio: string): void;
  text(utteranceId: string, text: string): void;
  ended(utteranceId: string): void;
  /** Nothing more comes of any utterance. */
  endAll(): void;
  /** Plays sound that is nobody's words. */
  playTone(audio: string): void;
  /** The channel's confirmation. */
  played(mark: string): void;
  /** Stops at once. What was heard goes to the transcript. */
  cut(): readonly CutUtterance[];
}

/** With so much sound ahead, playback does not run dry, and is confirmed at longer intervals. */
const amplyAheadMs = 1000;
const confirmEveryMs = 500;

/** Speech faster than this is not believed, of an utterance whose length is not known yet. */
const fastestSpeech = charactersPerSecond * 1.3;

function heardOf({ text, sentMs, heardMs, hasEnded }: Utterance): string {
  if (sentMs === 0) return '';
  if (hasEnded && heardMs >= sentMs) return text.trim();
  const inStep = text.length * Math.min(1, heardMs / sentMs);
  const believed = hasEnded ? inStep : Math.min(inStep, (heardMs / 1000) * fastestSpeech);
  return text.slice(0, lastWordBoundary(text, Math.floor(believed))).trim();
}

export function playoutTracker(options: {
  channel: Pick<AudioChannel, 'play' | 'mark' | 'clear'>;
  order: TranscriptSequencer;
  /** Sound began to be played, or nothing is left to play. */
  onPlaying(isPlaying: boolean): void;
  /** An utterance was heard to its end. */
  onHeard(utteranceId: string): void;
}): PlayoutTracker {
  const { channel, order, onPlaying, onHeard } = options;
  const utterances = new Map<string, Utterance>();
  const cutOff = new Set<string>();
  const pieces: Piece[] = [];
  let marks = 0;
  let leftMs = 0;
  /** Of sound that was given after the last mark. */
  let unmarkedMs = 0;
  /** When the first of `pieces` began to be played. */
  let pieceBeganAtMs = 0;

  function utteranceOf(id: string): Utterance | null {
    if (cutOff.has(id)) return null;
    const known = utterances.get(id);
    if (known) return known;
    const place = order.next();
    const utterance = { id, place, text: '', sentMs: 0, heardMs: 0, hasEnded: false };
    utterances.set(id, utterance);
    return utterance;
  }

  function give(utterance: Utterance | null, audio: string): void {
    if (pieces.at(-1)?.utterance !== utterance) mark();
    const ms = audioDurationMs(audio);
    pieces.push({ mark: null, utterance, ms });
    channel.play(audio);
    unmarkedMs += ms;
    if (utterance === null || leftMs < amplyAheadMs || unmarkedMs >= confirmEveryMs) mark();
    leftMs += ms;
    if (pieces.length > 1) return;
    pieceBeganAtMs = performance.now();
    onPlaying(true);
  }

  /** Has all that was given confirmed once it is played. */
  function mark(): void {
    const last = pieces.at(-1);
    if (!last || last.mark !== null) return;
    marks += 1;
    last.mark = `p${marks}`;
    unmarkedMs = 0;
    channel.mark(last.mark);
  }

  /** What was played of what is not confirmed: at most up to the next mark, which would have come. */
  function countUnconfirmed(): void {
    let playedMs = performance.now() - pieceBeganAtMs;
    for (const { mark: end, utterance, ms } of pieces) {
      if (utterance) utterance.heardMs += Math.min(ms, playedMs);
      playedMs -= ms;
      if (end !== null || playedMs <= 0) return;
    }
  }

  function concludeIfHeard(utterance: Utterance): void {
    if (!utterance.hasEnded || utterance.heardMs < utterance.sentMs) return;
    utterances.delete(utterance.id);
    const content = utterance.text.trim();
    utterance.place.fill(content === '' ? null : { role: 'assistant', content, interrupted: false });
    onHeard(utterance.id);
  }

  function end(utterance: Utterance): void {
    utterance.hasEnded = true;
    if (pieces.at(-1)?.utterance === utterance) mark();
    concludeIfHeard(utterance);
  }

  return {
    get isPlaying() {
      return pieces.length > 0;
    },
    get isSpeaking() {
      return utterances.size > 0;
    },
    get leftMs() {
      return leftMs;
    },
    get unheard() {
      return [...utterances.values()].map(({ text }) => text.trim()).filter((text) => text !== '');
    },
    play(id, audio) {
      const utterance = utteranceOf(id);
      if (!utterance) return;
      utterance.sentMs += audioDurationMs(audio);
      give(utterance, audio);
    },
    text(id, text) {
      const utterance = utteranceOf(id);
      if (utterance) utterance.text += text;
    },
    ended(id) {
      const utterance = utterances.get(id);
      if (utterance) end(utterance);
    },
    endAll() {
      for (const utterance of [...utterances.values()]) end(utterance);
    },
    playTone: (audio) => give(null, audio),
    played(name) {
      const index = pieces.findIndex((piece) => piece.mark === name);
      if (index < 0) return;
      for (const { utterance, ms } of pieces.splice(0, index + 1)) {
        leftMs -= ms;
        if (!utterance) continue;
        utterance.heardMs += ms;
        concludeIfHeard(utterance);
      }
      pieceBeganAtMs = performance.now();
      if (pieces.length === 0) onPlaying(false);
    },
    cut() {
      const wasPlaying = pieces.length > 0;
      countUnconfirmed();
      if (wasPlaying) channel.clear();
      pieces.length = 0;
      leftMs = 0;
      unmarkedMs = 0;
      const cut = [...utterances.values()];
      utterances.clear();
      const told = cut.map((utterance): CutUtterance => {
        const { id, heardMs, hasEnded, text } = utterance;
        cutOff.add(id);
        const heard = heardOf(utterance);
        utterance.place.fill(heard === '' ? null : { role: 'assistant', content: heard, interrupted: true });
        const rest = text.trim().slice(heard.length).trim();
        return { id, heardMs: Math.floor(heardMs), heard, rest, isWhole: hasEnded };
      });
      if (wasPlaying) onPlaying(false);
      return told;
    },
  };
}
