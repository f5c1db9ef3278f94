/** What may cut the agent off while it speaks. */
export type InterruptibleBy = 'none' | 'dtmf' | 'speech' | 'any';

/** A piece of agent speech: a token, a sentence, an audio file. */
export interface SpeechPiece {
  text: string;
  /** Real milliseconds it takes to play. */
  durationMs: number;
  interruptibleBy: InterruptibleBy;
  /** Cut when a later piece arrives. */
  preemptible: boolean;
  /** Called once the whole piece has been played. */
  onPlayed?: (() => void) | undefined;
}

/** What the callee heard of a talk cycle that was cut. */
export interface CutSpeech {
  /** What was played of the talk cycle. */
  text: string;
  /** Everything played since the agent was last silent. */
  heard: string;
  /** Real milliseconds since the talk cycle began to play. */
  durationMs: number;
}

/** Told when the agent starts to speak and when nothing is left to say. */
export interface VoiceListener {
  started(): void;
  /** `heard` is what was played since the last time; `finished` is false while the talk cycle may still grow. */
  silent(heard: string, finished: boolean): void;
}

interface ScheduledPiece extends SpeechPiece {
  cycle: number;
  startsAt: number;
  endsAt: number;
}

/**
 * Plays the agent's speech in simulated time. Every piece knows when it starts and ends, so one timer, set to the end of
 * what is known, is enough however many tokens arrive.
 */
export class AgentVoice {
  readonly #listener: VoiceListener;
  #queue: ScheduledPiece[] = [];
  #timer: NodeJS.Timeout | undefined;
  #cycle = 0;
  #cycleOpen = false;
  #cycleStartedAt = 0;
  #playingCycle = -1;
  #heardInCycle = '';
  #heard = '';

  constructor(listener: VoiceListener) {
    this.#listener = listener;
  }

  get speaking(): boolean {
    return this.#queue.length > 0;
  }

  /** What may cut off the piece that is playing now; undefined in silence. */
  get interruptibleBy(): InterruptibleBy | undefined {
    this.#advance();
    return this.#queue[0]?.interruptibleBy;
  }

  /** Adds a piece to the talk cycle. Preemptible pieces before it are cut. */
  play(piece: SpeechPiece): void {
    this.#advance();
    if (this.#queue.some((queued) => queued.preemptible)) this.#preempt();
    this.#cycleOpen = true;
    const now = performance.now();
    const wasSilent = this.#queue.length === 0;
    const startsAt = Math.max(now, this.#queue.at(-1)?.endsAt ?? now);
    this.#queue.push({ ...piece, cycle: this.#cycle, startsAt, endsAt: startsAt + piece.durationMs });
    if (this.#timer === undefined || piece.onPlayed) this.#arm();
    if (wasSilent) this.#listener.started();
  }

  /** Ends the talk cycle: what comes next is a new one. */
  finishCycle(): void {
    this.#advance();
    if (!this.#cycleOpen) return;
    this.#cycleOpen = false;
    this.#cycle += 1;
    if (this.#queue.length === 0) this.#fallSilent();
  }

  /** Stops the talk cycle that is playing and drops the rest of it. */
  interrupt(): CutSpeech | undefined {
    this.#advance();
    const playing = this.#queue[0];
    if (!playing) return undefined;
    const now = performance.now();
    const part = heardPart(playing, now);
    const cut = {
      text: (this.#heardInCycle + part).trim(),
      heard: (this.#heard + part).trim(),
      durationMs: now - this.#cycleStartedAt,
    };
    this.#queue = this.#queue.filter((piece) => piece.cycle !== playing.cycle);
    this.#reschedule(now);
    if (playing.cycle === this.#cycle) {
      this.#cycle += 1;
      this.#cycleOpen = false;
    }
    this.#heard = '';
    this.#heardInCycle = '';
    return cut;
  }

  /** Stops everything. @returns what was heard of the speech that was playing, empty in silence */
  stop(): string {
    this.#advance();
    const playing = this.#queue[0];
    const heard = this.#heard + (playing ? heardPart(playing, performance.now()) : '');
    this.#queue = [];
    this.#heard = '';
    this.#heardInCycle = '';
    this.#cycleOpen = false;
    this.#cycle += 1;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    return heard.trim();
  }

  #preempt(): void {
    const now = performance.now();
    const playing = this.#queue[0];
    if (playing?.preemptible) {
      const part = heardPart(playing, now);
      this.#heard += part;
      this.#heardInCycle += part;
    }
    this.#queue = this.#queue.filter((piece) => !piece.preemptible);
    this.#reschedule(now);
  }

  #reschedule(now: number): void {
    let startsAt = now;
    for (const [index, piece] of this.#queue.entries()) {
      if (index === 0 && piece.startsAt <= now) {
        startsAt = piece.endsAt;
        continue;
      }
      const durationMs = piece.durationMs;
      piece.startsAt = startsAt;
      piece.endsAt = startsAt + durationMs;
      startsAt = piece.endsAt;
    }
    this.#arm();
  }

  #arm(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const next = this.#queue.find((piece) => piece.onPlayed) ?? this.#queue.at(-1);
    if (!next) return;
    this.#timer = setTimeout(
      () => {
        this.#timer = undefined;
        this.#advance();
        if (this.#timer === undefined) this.#arm();
      },
      Math.max(0, next.endsAt - performance.now()),
    );
  }

  /** Moves past everything that has been played by now. */
  #advance(): void {
    const now = performance.now();
    let played: ScheduledPiece | undefined;
    while (this.#queue[0] && this.#queue[0].startsAt <= now) {
      const piece = this.#queue[0];
      if (piece.cycle !== this.#playingCycle) {
        this.#playingCycle = piece.cycle;
        this.#cycleStartedAt = piece.startsAt;
        this.#heardInCycle = '';
      }
      // Timers may fire a fraction of a millisecond early.
      if (piece.endsAt > now + 1) break;
      this.#queue.shift();
      this.#heard += piece.text;
      this.#heardInCycle += piece.text;
      played = piece;
      piece.onPlayed?.();
    }
    if (played && this.#queue.length === 0) this.#fallSilent();
  }

  #fallSilent(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const heard = this.#heard;
    this.#heard = '';
    this.#listener.silent(heard, !this.#cycleOpen);
  }
}

function heardPart(piece: ScheduledPiece, now: number): string {
  const share = (now - piece.startsAt) / (piece.endsAt - piece.startsAt || 1);
  if (share >= 1) return piece.text;
  const part = piece.text.slice(0, Math.max(0, Math.floor(piece.text.length * share)));
  const atWord = part.lastIndexOf(' ');
  return atWord > 0 ? part.slice(0, atWord) : piece.text.includes(' ') ? '' : part;
}
