import type { AccountOptions } from './accounts.ts';
import type { Callee } from './callees/callee.ts';
import type { Faults } from './faults.ts';

/** Something that happened in a call, as it happens: for a demo, a trace or a test. */
export interface CallEvent {
  type: 'ringing' | 'answered' | 'agent-speech' | 'callee-speech' | 'ended';
  callSid: string;
  to: string;
  from: string;
  /** What was said, for the two speech events. */
  text?: string;
  /** How the call ended. */
  status?: string;
}

/** How {@link startTwilioEmulator} starts. */
export interface EmulatorOptions {
  /** TCP port; 0 takes any free one. @default 0 */
  port?: number | undefined;
  /** Address to listen on. @default '127.0.0.1' */
  host?: string | undefined;
  /** The accounts that exist. @default the three of `builtInAccounts` */
  accounts?: readonly AccountOptions[] | undefined;
  /** Callees that answer before the built-in ones do. @default none */
  callees?: readonly Callee[] | undefined;
  /** Faults from the start. @default none */
  faults?: Partial<Faults> | undefined;
  /**
   * How much faster than life calls run: ringing, speech, pauses, and every time limit inside a call. The rate at which
   * calls leave the queue, webhook timeouts and reported durations stay real. @default 1
   */
  speed?: number | undefined;
  /** Also accept `http:` and `ws:` addresses whose host is this machine. @default false */
  allowInsecureLoopback?: boolean | undefined;
  /** Told what happens in every call. @default nobody */
  onEvent?: ((event: CallEvent) => void) | undefined;
  /** Seed of the dice that faults are thrown with. @default 1 */
  seed?: number | undefined;
  /** How many call records are kept; the oldest finished ones are forgotten. @default 100000 */
  recordLimit?: number | undefined;
  /** Keep what was said in the call records. @default true */
  transcripts?: boolean | undefined;
  /** Keep the sound of media streams, some seventy minutes of it, for `recording`. @default false */
  recordAudio?: boolean | undefined;
}
