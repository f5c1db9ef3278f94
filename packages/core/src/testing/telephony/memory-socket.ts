import type { TextSocket } from '../../calls/speech.ts';

/** The carrier's end of a socket, in memory. */
export class MemorySocket implements TextSocket {
  bufferedBytes = 0;
  closed = false;
  readonly sent: string[] = [];
  #onMessage: (text: string) => void = () => {};
  #onClose: (code: number) => void = () => {};

  send(text: string): void {
    this.sent.push(text);
  }

  close(): void {
    this.closed = true;
  }

  onMessage(listener: (text: string) => void): void {
    this.#onMessage = listener;
  }

  onClose(listener: (code: number) => void): void {
    this.#onClose = listener;
  }

  receive(frames: readonly string[]): void {
    for (const frame of frames) this.#onMessage(frame);
  }

  end(): void {
    this.#onClose(1006);
  }
}
