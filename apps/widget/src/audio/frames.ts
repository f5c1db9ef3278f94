/** Bytes of 20 ms of µ-law at 8 kHz. */
const frameBytes = 160;

/** Cuts a stream of bytes into frames of 20 ms. */
export class Frames {
  #frame = new Uint8Array(frameBytes);
  #filled = 0;
  readonly #emit: (frame: Uint8Array<ArrayBuffer>) => void;

  /** @param emit receives each frame, to keep */
  constructor(emit: (frame: Uint8Array<ArrayBuffer>) => void) {
    this.#emit = emit;
  }

  push(byte: number): void {
    this.#frame[this.#filled++] = byte;
    if (this.#filled < frameBytes) return;
    const full = this.#frame;
    this.#frame = new Uint8Array(frameBytes);
    this.#filled = 0;
    this.#emit(full);
  }
}
