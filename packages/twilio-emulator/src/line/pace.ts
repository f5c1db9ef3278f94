const CHARACTERS_PER_SECOND = 15;

/** Turns the time of a simulated call into real time. */
export interface Pace {
  /** Real milliseconds that stand for `simulatedMs` of a call. */
  real(simulatedMs: number): number;
  /** Milliseconds of a call that `realMs` stand for. */
  simulated(realMs: number): number;
  /** Real milliseconds it takes to say `text`, at 15 characters per second of the call. */
  speech(text: string): number;
}

/** A pace `speed` times as fast as life. */
export function pace(speed: number): Pace {
  return {
    real: (simulatedMs) => simulatedMs / speed,
    simulated: (realMs) => realMs * speed,
    speech: (text) => (text.length / CHARACTERS_PER_SECOND) * (1000 / speed),
  };
}
