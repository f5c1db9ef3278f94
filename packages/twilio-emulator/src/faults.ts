import * as z from 'zod';

const probability = z.number().min(0).max(1).default(0);
const milliseconds = z.number().min(0).default(0);

/** What the emulated carrier may do wrong. See {@link Faults} for the shape with every default filled in. */
export const faultsSchema = z.strictObject({
  /** Probability that a create is accepted, and its HTTP request never answered. */
  createTimeout: probability,
  /** Probability that a create is accepted, and its connection then reset without an answer. */
  createReset: probability,
  /** Probability that a create is accepted, and answered with an HTML 502 page. */
  create5xx: probability,
  /** Probability that a create is accepted, and answered with a 201 that is a page and no JSON. */
  createGarbled: probability,
  /** Probability that a create is accepted, and answered a byte a second. */
  createTrickles: probability,
  /** Probability that a create is not accepted and answered with 503. */
  createRefused5xx: probability,
  /** Probability that a create is not accepted, and its connection reset without an answer. */
  createRefusedReset: probability,
  /** Probability that a create is not accepted, and never answered. */
  createRefusedTimeout: probability,
  /** Probability that a create is not accepted and answered with 429 and code 20429. */
  rateLimited: probability,
  /** Probability that a status callback is sent `callbacksLateMs` late. */
  callbacksLate: probability,
  /** Delay of a late status callback, in real milliseconds. */
  callbacksLateMs: z.number().min(0).default(3000),
  /** Probability that a status callback is sent twice. */
  callbacksDuplicated: probability,
  /** Probability that a status callback is overtaken by the next one of its call (or sent 2 s late if none follows). */
  callbacksReordered: probability,
  /** Probability that a status callback is never sent. */
  callbacksLost: probability,
  /** Probability that a recording status callback is never sent. */
  recordingCallbacksLost: probability,
  /** Probability that a recording is started over REST, and the request answered with 503 all the same. */
  recordingStart5xx: probability,
  /** Probability that deleting a recording is answered with 503. */
  recordingDeleteFails: probability,
  /** How long a new call is missing from listings, in real milliseconds. */
  listLagMs: milliseconds,
  /** How long a listing takes to be answered, in real milliseconds. */
  listSlowMs: milliseconds,
  /** Probability that reading a call, or listing calls, is answered with 500. */
  fetchFails: probability,
  /** Probability that the relay or media socket of a call is destroyed once, in the middle of the conversation. */
  socketDrop: probability,
  /** Probability that a frame of the callee's sound on a media stream is lost: the next one tells by its timestamp. */
  framesLost: probability,
  /** Probability that a call which ended stays `in-progress` for ever: no terminal callback, and updates change nothing. */
  stuckInProgress: probability,
  /** Probability that the instructions of an answered call are never requested: the callee hears silence. */
  answerNeverFetched: probability,
});

/** Every fault: probabilities from 0 to 1, and delays in milliseconds. All off by default. */
export type Faults = z.output<typeof faultsSchema>;

/** Names of the faults that happen with a probability. */
export type RandomFault = {
  [Name in keyof Faults]: Name extends `${string}Ms` ? never : Name;
}[keyof Faults];

/** The faults in force, and the seeded dice that decide when one happens. */
export class FaultInjector {
  #faults: Faults;
  readonly #random: () => number;

  constructor(faults: Partial<Faults>, seed: number) {
    this.#faults = faultsSchema.parse(faults);
    this.#random = seededRandom(seed);
  }

  get current(): Faults {
    return this.#faults;
  }

  /** Changes the named faults and leaves the others as they are. */
  configure(change: Partial<Faults>): Faults {
    this.#faults = faultsSchema.parse({ ...this.#faults, ...change });
    return this.#faults;
  }

  /** Whether the fault happens this time. */
  happens(fault: RandomFault): boolean {
    const chance = this.#faults[fault];
    return chance > 0 && this.#random() < chance;
  }

  /** A number from `low` to `high`, from the same seeded sequence. */
  between(low: number, high: number): number {
    return low + this.#random() * (high - low);
  }
}

// mulberry32: small, fast, and the same sequence for the same seed on every machine.
function seededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
