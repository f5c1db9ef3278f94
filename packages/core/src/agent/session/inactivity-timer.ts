import { charactersPerSecond } from '../realtime/spoken-text.ts';

/** Longest time anybody is believed to speak without an end being reported. */
const longestSpeechMs = 60_000;

/** A callee who put the call on hold is waited for so long. */
const longestPauseMs = 5 * 60_000;

/** Tells when, after the agent finished speaking, the callee has said nothing for a while. */
export interface InactivityTimer {
  /** This many characters more are on their way to the callee's ear. */
  agentSaid(characters: number): void;
  /** The carrier's own word on it; sets the estimate right. */
  agentSpeaking(speaking: boolean): void;
  /** This many characters are still to be played. */
  agentHasLeft(characters: number): void;
  calleeSpeaking(speaking: boolean): void;
  /** No silence counts while an answer is being made. */
  hold(): void;
  release(): void;
  /** No silence counts while the callee has the call on hold, for five minutes at most. */
  pause(on: boolean): void;
  /** From now on so much silence is waited for; `null` for as much as at first. */
  waitFor(ms: number | null): void;
  stop(): void;
}

export function inactivityTimer(options: { silenceMs: number; onSilence: () => void }): InactivityTimer {
  const { onSilence } = options;
  let { silenceMs } = options;
  let quietAtMs = performance.now();
  let agentSpeaks = false;
  let calleeSpeaks = false;
  let held = false;
  let pauseLimit: NodeJS.Timeout | undefined;
  let stopped = false;
  let timer: NodeJS.Timeout | undefined;

  function arm(): void {
    clearTimeout(timer);
    if (held || pauseLimit || stopped) return;
    const quietInMs = Math.max(0, quietAtMs - performance.now());
    const waitMs = agentSpeaks || calleeSpeaks ? Math.max(quietInMs, longestSpeechMs) : quietInMs;
    timer = setTimeout(onSilence, waitMs + silenceMs);
  }

  function setPaused(on: boolean): void {
    if (stopped) return;
    clearTimeout(pauseLimit);
    pauseLimit = on ? setTimeout(() => setPaused(false), longestPauseMs) : undefined;
    quietAtMs = Math.max(quietAtMs, performance.now());
    arm();
  }

  return {
    agentSaid(characters) {
      quietAtMs = Math.max(quietAtMs, performance.now()) + (characters / charactersPerSecond) * 1000;
      arm();
    },
    agentSpeaking(speaking) {
      agentSpeaks = speaking;
      if (!speaking) quietAtMs = performance.now();
      arm();
    },
    agentHasLeft(characters) {
      quietAtMs = performance.now() + (characters / charactersPerSecond) * 1000;
      arm();
    },
    calleeSpeaking(speaking) {
      calleeSpeaks = speaking;
      arm();
    },
    hold() {
      held = true;
      arm();
    },
    release() {
      held = false;
      arm();
    },
    pause(on) {
      if (on !== (pauseLimit !== undefined)) setPaused(on);
    },
    waitFor(ms) {
      silenceMs = ms ?? options.silenceMs;
      arm();
    },
    stop() {
      stopped = true;
      clearTimeout(timer);
      clearTimeout(pauseLimit);
    },
  };
}
