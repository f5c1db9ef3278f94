/** A carrier's playback buffer in real time: what was given is played one after the other; marks come when they are due. */
export class PlaybackClock {
  readonly #onMark: (name: string) => void;
  readonly #marks = new Map<NodeJS.Timeout, string>();
  #queue: { piece: number; beginsAtMs: number; endsAtMs: number }[] = [];
  #emptyAtMs = 0;

  constructor(onMark: (name: string) => void) {
    this.#onMark = onMark;
  }

  play(piece: number, ms: number): void {
    const now = performance.now();
    const beginsAtMs = Math.max(now, this.#emptyAtMs);
    this.#emptyAtMs = beginsAtMs + ms;
    this.#queue = this.#queue.filter(({ endsAtMs }) => endsAtMs > now);
    this.#queue.push({ piece, beginsAtMs, endsAtMs: this.#emptyAtMs });
  }

  mark(name: string): void {
    const timer = setTimeout(
      () => {
        this.#marks.delete(timer);
        this.#onMark(name);
      },
      Math.max(0, this.#emptyAtMs - performance.now()),
    );
    this.#marks.set(timer, name);
  }

  /** Empties the buffer; every open mark comes at once. @returns the piece that was being played, and how far it got */
  clear(): { piece: number; playedMs: number } | null {
    const now = performance.now();
    const playing = this.#queue.find(({ beginsAtMs, endsAtMs }) => beginsAtMs <= now && now < endsAtMs);
    this.#queue = [];
    this.#emptyAtMs = now;
    const names = [...this.#marks.values()];
    this.stop();
    for (const name of names) this.#onMark(name);
    return playing ? { piece: playing.piece, playedMs: now - playing.beginsAtMs } : null;
  }

  stop(): void {
    for (const timer of this.#marks.keys()) clearTimeout(timer);
    this.#marks.clear();
  }
}
