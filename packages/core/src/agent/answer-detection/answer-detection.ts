import type { HeardAnswer } from '../../calls/call-store.ts';
import type { AnsweredBy } from '../../calls/carrier-adapter.ts';
import { type AnswerAction, type AnswerEvent, answering, answerState } from './answering.ts';

/** Longest time anybody is believed to speak without an end, or words, being reported. */
const longestSpeechMs = 60_000;

/** Follows on one live call who answered, and tells what to do about it. */
export interface AnswerDetection {
  /** The agent is to say nothing of its own: a machine speaks, or takes a message. */
  readonly isWaiting: boolean;
  said(words: string): void;
  /** The callee pressed a key. */
  pressed(): void;
  /** The agent pressed keys. */
  keysSent(): void;
  /** The tone after which a mailbox records. */
  beeped(): void;
  calleeSpeaking(speaking: boolean): void;
  /**
   * The callee has been silent for long. Where next to nothing was heard of them, the carrier's verdict is looked up, and
   * a machine's gets its message.
   * @param goOn called where there is a person to be asked whether they are still there
   */
  silent(goOn: () => void): void;
  /** What the agent was saying was heard to its end, or the callee spoke over it. */
  spoken(how: 'whole' | 'cut'): void;
  /** The line was lost and is back. @returns whether that is for a machine, not for the agent */
  resumed(): boolean;
  stop(): void;
}

export function answerDetection(options: {
  /** What is on record of the call. */
  record: { readonly heard: HeardAnswer | null; readonly keyPresses: number };
  /** How long ago the call was answered. */
  ageMs: number;
  act: (action: AnswerAction) => void;
  /** Who answered has become known, or is another. Called before `act`. */
  note: (heard: HeardAnswer) => void;
  /** What the carrier has detected by now. */
  detected: () => Promise<AnsweredBy | null>;
}): AnswerDetection {
  const answeredAtMs = performance.now() - options.ageMs;
  let state = answerState(options.record);
  let patienceMs = 0;
  let wasDoubted = false;
  let timer: NodeJS.Timeout | undefined;

  function arm(afterMs: number): void {
    clearTimeout(timer);
    timer = setTimeout(() => take({ type: 'silent' }), afterMs);
  }

  async function doubt(goOn: () => void): Promise<void> {
    const before = state;
    // A store that does not answer says nothing against a person.
    const answeredBy = await options.detected().catch(() => null);
    if (state !== before) return;
    if (answeredBy === 'machine') take({ type: 'doubted' });
    else goOn();
  }

  function take(event: AnswerEvent): void {
    const { heard } = state;
    const { state: next, action } = answering(state, event);
    state = next;
    if (next.heard !== null && next.heard !== heard) options.note(next.heard);
    if (action === null) return;
    clearTimeout(timer);
    if ('forMs' in action) {
      patienceMs = action.forMs;
      arm(patienceMs);
    }
    options.act(action);
  }

  return {
    get isWaiting() {
      return state.isWaiting;
    },
    said: (words) => take({ type: 'said', words, atMs: performance.now() - answeredAtMs }),
    pressed: () => take({ type: 'pressed' }),
    keysSent: () => take({ type: 'keys-sent' }),
    beeped: () => take({ type: 'beep' }),
    calleeSpeaking(speaking) {
      if (state.isWaiting) arm(speaking ? longestSpeechMs : patienceMs);
    },
    silent(goOn) {
      if (state.isWaiting) return;
      if (state.heard !== 'someone' || wasDoubted) {
        goOn();
        return;
      }
      wasDoubted = true;
      void doubt(goOn);
    },
    spoken: (how) => take({ type: 'spoken', how }),
    resumed() {
      take({ type: 'resumed' });
      return state.isWaiting;
    },
    stop: () => clearTimeout(timer),
  };
}

/** For calls that only a person can have opened: whatever is said there is said by one. */
export function noDetection(talk: () => void): AnswerDetection {
  const nothing = () => undefined;
  return {
    isWaiting: false,
    said: talk,
    pressed: nothing,
    keysSent: nothing,
    beeped: nothing,
    calleeSpeaking: nothing,
    silent: (goOn) => goOn(),
    spoken: nothing,
    resumed: () => false,
    stop: nothing,
  };
}
