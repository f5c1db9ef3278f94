import { keepPace, type Pace } from './pace.ts';
import type { SilenceWatch } from './silence.ts';

/** The answers a speech model owes. While it owes any, the callee waits: their silence is not counted. */
export interface OwedAnswers {
  readonly areAny: boolean;
  /** One more is owed. */
  expect(): void;
  /** The model has begun to speak, or goes on. */
  progressed(): void;
  /** A tool is at work for an answer. */
  toolBegan(): void;
  toolEnded(): void;
  /** One was given. */
  given(): void;
  /** None is owed any more. */
  drop(): void;
  /** Whatever was owed, it is one answer now. The callee goes on waiting. */
  renew(): void;
}

export function owedAnswers(options: {
  silence: SilenceWatch;
  /** The callee has waited for a while. */
  onSlow(): void;
  /** The model has long been silent. */
  onStalled(): void;
  /** No answer is to be expected any more. */
  onGone(): void;
}): OwedAnswers {
  const { silence, onSlow, onStalled, onGone } = options;
  let count = 0;
  let pace: Pace | null = null;

  function drop(): void {
    count = 0;
    pace?.stop();
    pace = null;
    silence.release();
  }

  function expect(): void {
    count += 1;
    if (count > 1) return;
    silence.hold();
    const own = keepPace(onSlow, onStalled);
    pace = own;
    own.signal.addEventListener('abort', () => {
      if (pace === own) onGone();
    });
  }

  return {
    get areAny() {
      return count > 0;
    },
    expect,
    progressed: () => pace?.progressed(),
    toolBegan: () => pace?.toolBegan(),
    toolEnded: () => pace?.toolEnded(),
    given() {
      count = Math.max(0, count - 1);
      if (count === 0) drop();
      else pace?.progressed();
    },
    drop,
    renew() {
      if (count === 0) expect();
      count = 1;
    },
  };
}
