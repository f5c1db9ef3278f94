/** The phone line as the script of a callee sees it. Every method rejects once the call is over, which ends the script. */
export interface CalleeLine {
  /** Own number and the number that calls, both E.164. */
  readonly to: string;
  readonly from: string;
  /** What the agent says next, once it has finished. Times are in milliseconds of the call. */
  heard(): Promise<string>;
  /** The same, but `undefined` when the agent stays silent for `withinMs`, or half a real second if that is longer. */
  heard(options: { withinMs: number }): Promise<string | undefined>;
  /** The next key the agent presses, or `undefined` when it presses none for `withinMs`. */
  keyPressed(options: { withinMs: number }): Promise<string | undefined>;
  /** Resolves once the agent begins to speak, at once if it already does. */
  agentSpeaks(): Promise<void>;
  /**
   * Speaks. Resolves when everything is said.
   * @param options.language BCP-47 tag: a recognizer that listens for another language mishears it. Left out, any
   *   recognizer understands it.
   */
  say(text: string, options?: { language: string }): Promise<void>;
  /**
   * Waits for the agent to speak, lets it talk for `afterMs`, and speaks over it.
   * @returns what the agent had said by then
   */
  interrupt(text: string, options: { afterMs: number }): Promise<string>;
  /** Presses one key: `0`-`9`, `*` or `#`. */
  press(digit: string): Promise<void>;
  /** Plays the tone that ends a voicemail greeting. */
  beep(): Promise<void>;
  /** Does nothing for a while. */
  wait(milliseconds: number): Promise<void>;
  /** Stays on the line without a word until the call is over. */
  silence(): Promise<never>;
  /** Ends the call. */
  hangUp(): Promise<never>;
}

/** Somebody, or some machine, at the far end of emulated calls. Times are in milliseconds of the call. */
export interface Callee {
  /** Short name, for traces. */
  readonly name: string;
  /** What it does, for people. */
  readonly description: string;
  /** The numbers it answers: E.164 numbers, or patterns over them. */
  readonly numbers: readonly (string | RegExp)[];
  /** Time from dialing until the phone rings. @default 150 ms */
  readonly ring?: { readonly afterMs: number } | undefined;
  /** When the phone is picked up after it began to ring, or why it is not. @default after 1500 ms */
  readonly pickUp?: { readonly afterMs: number } | 'no-answer' | 'busy' | 'failed' | undefined;
  /** SIP response reported when the call is not picked up. @default 487 no-answer, 486 busy, 404 failed */
  readonly sipResponseCode?: number | undefined;
  /**
   * What answering machine detection finds. A machine plays its greeting before anything else; a `mistakenFor` is
   * found when the callee has spoken twice and been silent for a while.
   * @default 'human'
   */
  readonly answeredBy?:
    | 'human'
    | 'unknown'
    | 'fax'
    | { readonly greeting: string; readonly beep: boolean }
    | { readonly mistakenFor: 'machine_end_silence' | 'machine_end_other' }
    | undefined;
  /** What happens once the phone is picked up. When it returns, the callee stays on the line in silence. */
  converse?(line: CalleeLine): Promise<void>;
}

/** Declares a callee. It only checks types: scripts pass the callee to the `callees` option themselves. */
export function defineCallee(callee: Callee): Callee {
  return callee;
}

/** Whether `callee` answers `number`. */
export function answersNumber(callee: Callee, number: string): boolean {
  return callee.numbers.some((each) => (typeof each === 'string' ? each === number : each.test(number)));
}
