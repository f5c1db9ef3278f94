import { isLoud, silence } from '@callkite/emulated-voice';
import { FRAME_BYTES, FRAME_MS } from '../line/callee-ear.ts';

const MAXIMUM_BYTES = 30 * 60 * 8000;
export const silentFrame: Uint8Array = silence(FRAME_MS);

/** Sound that is played frame by frame, in order, with marks between its pieces. */
export class Playback {
  #pieces: (Uint8Array | { mark: string })[] = [];
  #offset = 0;
  #bytes = 0;
  /** A frame of sound is being played until the next one is taken; these marks follow it. */
  #isPlaying = false;
  #passed: string[] = [];
  readonly #gatherMs: number;
  #startsAt = 0;

  /** @param gatherMs real milliseconds by which sound that comes into silence is played later. @default 0 */
  constructor(gatherMs = 0) {
    this.#gatherMs = gatherMs;
  }

  /** Whether any of the sound that waits is as loud as speech. */
  get hasSpeech(): boolean {
    return this.#pieces.some((piece, index) => {
      if (!(piece instanceof Uint8Array)) return false;
      for (let at = index === 0 ? this.#offset : 0; at < piece.length; at += FRAME_BYTES) {
        if (isLoud(piece.subarray(at, at + FRAME_BYTES))) return true;
      }
      return false;
    });
  }

  /** @returns false when half an hour of sound waits already: the audio is dropped */
  add(audio: Uint8Array): boolean {
    if (this.#bytes + audio.length > MAXIMUM_BYTES) return false;
    if (audio.length === 0) return true;
    if (this.#pieces.length === 0 && !this.#isPlaying) this.#startsAt = performance.now() + this.#gatherMs;
    this.#pieces.push(audio);
    this.#bytes += audio.length;
    return true;
  }

  /** Marks the end of what was added so far. @returns false when all of it was played already */
  mark(name: string): boolean {
    if (this.#pieces.length > 0) this.#pieces.push({ mark: name });
    else if (this.#isPlaying) this.#passed.push(name);
    else return false;
    return true;
  }

  /** Takes the next frame, filled up with silence. @returns also the marks behind the frame before, now played */
  next(): { frame: Uint8Array; marks: string[] } {
    const marks = this.#passed;
    this.#passed = [];
    this.#isPlaying =
      this.#pieces.length > 0 && (this.#gatherMs === 0 || performance.now() >= this.#startsAt);
    return { frame: this.#isPlaying ? this.#take() : silentFrame, marks };
  }

  /** Drops everything. @returns the marks that were not played */
  clear(): string[] {
    const waiting = this.#pieces.flatMap((piece) => ('mark' in piece ? [piece.mark] : []));
    const marks = [...this.#passed, ...waiting];
    this.#pieces = [];
    this.#offset = 0;
    this.#bytes = 0;
    this.#isPlaying = false;
    this.#passed = [];
    return marks;
  }

  #take(): Uint8Array {
    const frame = silentFrame.slice();
    let filled = 0;
    for (let piece = this.#pieces[0]; piece; piece = this.#pieces[0]) {
      if (piece instanceof Uint8Array) {
        const part = piece.subarray(this.#offset, this.#offset + FRAME_BYTES - filled);
        frame.set(part, filled);
        filled += part.length;
        this.#bytes -= part.length;
        this.#offset += part.length;
        if (this.#offset < piece.length) break;
        this.#offset = 0;
      } else {
        this.#passed.push(piece.mark);
      }
      this.#pieces.shift();
    }
    return frame;
  }
}
