import { decodedMuLaw } from './mu-law.ts';

/** Sound that is collected before playing begins, to ride out an uneven network: 80 ms. */
const headStartSamples = 640;

/**
 * What is still to be played, at 8 kHz. Playing begins when enough has come, or when what came has waited as long, and
 * pauses for that again after running dry. Marks are reached when everything before them has been taken.
 */
export class PlaybackQueue {
  #pieces: Uint8Array[] = [];
  /** Samples of the first piece that were taken already. */
  #taken = 0;
  #queued = 0;
  #total = 0;
  #marks: { readonly name: string; readonly at: number }[] = [];
  #waited = 0;
  #playing = false;

  /** Whether sound is being taken right now. */
  get playing(): boolean {
    return this.#playing;
  }

  /** Plays this µ-law after everything that was given before. */
  push(audio: Uint8Array): void {
    if (audio.length === 0) return;
    this.#pieces.push(audio);
    this.#queued += audio.length;
  }

  /** Asks to be told when everything given so far has been taken. */
  mark(name: string): void {
    this.#marks.push({ name, at: this.#total + this.#queued });
  }

  /** Drops what is left, and the marks in it. */
  clear(): void {
    this.#pieces = [];
    this.#taken = 0;
    this.#queued = 0;
    this.#marks = [];
    this.#waited = 0;
    this.#playing = false;
  }

  /** Fills `samples` with the next sound, and silence where there is none. @returns the marks reached by that */
  take(samples: Float32Array): string[] {
    samples.fill(0);
    if (!this.#playing && this.#queued > 0) {
      this.#waited += samples.length;
      this.#playing = this.#queued >= headStartSamples || this.#waited >= headStartSamples;
    }
    if (this.#playing) this.#fill(samples);
    const reached = this.#marks.filter(({ at }) => at <= this.#total).map(({ name }) => name);
    if (reached.length > 0) this.#marks.splice(0, reached.length);
    return reached;
  }

  #fill(samples: Float32Array): void {
    for (let index = 0; index < samples.length; index++) {
      const piece = this.#pieces[0];
      if (piece === undefined) break;
      samples[index] = decodedMuLaw[piece[this.#taken++] ?? 0xff] ?? 0;
      this.#queued--;
      this.#total++;
      if (this.#taken === piece.length) {
        this.#pieces.shift();
        this.#taken = 0;
      }
    }
    if (this.#queued === 0) {
      this.#playing = false;
      this.#waited = 0;
    }
  }
}
