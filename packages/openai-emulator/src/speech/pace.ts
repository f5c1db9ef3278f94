import { setTimeout as delay, setImmediate as nextLoop } from 'node:timers/promises';
import * as z from 'zod';

/** How fast the emulated speech models are. */
export const speechPace = z.strictObject({
  /** Milliseconds from a request for a response to its first sound. @default 250 */
  thinkMs: z.int().min(0).default(250),
  /** Milliseconds of sound in one delta. @default 200 */
  chunkMs: z.int().min(20).default(200),
  /** How many times faster than it is played realtime sound is sent. @default 10 */
  timesRealTime: z.number().positive().default(10),
  /** The same for the Live API, which stops itself when it is interrupted. @default 1 */
  liveTimesRealTime: z.number().positive().default(1),
  /** Milliseconds from the end of a turn to its transcription. @default 500 */
  transcriptionMs: z.int().min(0).default(500),
  /** Milliseconds after which a session ends by itself. @default 3,600,000 */
  sessionMs: z.int().min(1).default(3_600_000),
});

export type SpeechPace = z.output<typeof speechPace>;

/**
 * Waits until a point of the monotonic clock, and lets other events in even when it has passed.
 * Resolves to false, at once, when the signal fires.
 */
export async function waitUntil(dueMs: number, signal: AbortSignal): Promise<boolean> {
  const waitMs = dueMs - performance.now();
  try {
    if (waitMs >= 1) await delay(waitMs, undefined, { signal });
    else await nextLoop(undefined, { signal });
  } catch {
    return false;
  }
  return !signal.aborted;
}
