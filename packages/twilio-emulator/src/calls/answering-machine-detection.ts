import type { Callee } from '../callees/callee.ts';
import type { Pace } from '../line/pace.ts';
import type { MachineDetection } from './call.ts';

// A person says a short hello, and the detector then waits for the end of it: 4 s with Twilio's defaults.
const HELLO_MS = 2800;
const FAX_TONE_MS = 1500;
const BEEP_MS = 500;

/** The verdict on who answered, and how long after the answer it falls, in milliseconds of the call. */
export interface Verdict {
  answeredBy: string;
  afterMs: number;
}

/** What answering machine detection says about a callee, with the thresholds of the create request. */
export function detectMachine(callee: Callee, detection: MachineDetection, pace: Pace): Verdict {
  const timeoutMs = detection.timeoutSeconds * 1000;
  const verdict = undisturbedVerdict(callee, detection, pace);
  if (verdict.afterMs <= timeoutMs) return verdict;
  const { answeredBy } = callee;
  const inGreeting =
    typeof answeredBy === 'object' && 'greeting' in answeredBy && detection.mode === 'DetectMessageEnd';
  return { answeredBy: inGreeting ? 'machine_end_other' : 'unknown', afterMs: timeoutMs };
}

function undisturbedVerdict(callee: Callee, detection: MachineDetection, pace: Pace): Verdict {
  const who = callee.answeredBy ?? 'human';
  if (who === 'human') return { answeredBy: 'human', afterMs: HELLO_MS + detection.speechEndThresholdMs };
  if (who === 'unknown') return { answeredBy: 'unknown', afterMs: detection.silenceTimeoutMs };
  if (who === 'fax') return { answeredBy: 'fax', afterMs: FAX_TONE_MS };
  if ('mistakenFor' in who) return { answeredBy: who.mistakenFor, afterMs: detection.speechEndThresholdMs };
  if (detection.mode === 'Enable')
    return { answeredBy: 'machine_start', afterMs: detection.speechThresholdMs };
  const greetingMs = pace.speech(who.greeting) / pace.real(1);
  return who.beep
    ? { answeredBy: 'machine_end_beep', afterMs: greetingMs + BEEP_MS }
    : { answeredBy: 'machine_end_silence', afterMs: greetingMs + detection.speechEndThresholdMs };
}
