import type { RecordingRecord } from '../../features/recordings/recording-store.ts';
import { asksForNoRecording, judgeConsent } from '../languages/consent-wording.ts';

/** What the callee decides about the recording of this call. */
export interface CallRecording {
  /** On record from earlier; `null` before a decision. */
  readonly consent: RecordingRecord['consent'] | null;
  agree(): Promise<void>;
  /** The callee said no: ends the recording, deletes what there is of it, and keeps no transcript after the call. */
  refuse(): Promise<void>;
  /** Nobody agreed: ends the recording, and deletes what there is of it. */
  forgo(): Promise<void>;
}

/** Asks the callee of one call whether it may be recorded, and understands what they say about it at any time. */
export interface RecordingConsent {
  /** The callee was asked, and has not decided. */
  readonly isOpen: boolean;
  /** The opening line that is said now may ask. @returns whether it does */
  ask(): boolean;
  /** The callee said this, whoever the callee is. `knowsAll`: after all that was said to them. */
  heard(words: string, options: { readonly knowsAll: boolean }): void;
  /**
   * It was a person who said that. What comes of it:
   * `again`: they spoke before they had heard the question. `withdrawn`: nobody had asked.
   */
  conclude(): 'agreed' | 'refused' | 'again' | 'withdrawn' | null;
  /** Nobody answers the question any more. */
  giveUp(): void;
  /** Nobody may have heard that the call is recorded. */
  forgo(): void;
}

export function recordingConsent(options: {
  mode: 'off' | 'announce' | 'ask';
  language: string;
  recording: CallRecording;
  /** Stores something, however long that takes. */
  write: (what: string, operation: () => Promise<void>) => void;
}): RecordingConsent {
  const { mode, language, recording, write } = options;
  let isOpen = false;
  let isDecided = recording.consent !== null;
  let hasAskedAgain = false;
  let isWithdrawn = false;
  /** What was said since the question, and whether any of it came before it had been heard. */
  const words: string[] = [];
  let isEarly = false;

  function decide(decision: 'agree' | 'refuse' | 'forgo'): void {
    isOpen = false;
    if (mode === 'off') return;
    isDecided = true;
    write('what was decided about recording', recording[decision]);
  }

  function answered(said: string): 'agreed' | 'refused' {
    const answer = judgeConsent(said, language);
    if (answer === 'yes') decide('agree');
    else decide(answer === 'no' ? 'refuse' : 'forgo');
    return answer === 'yes' ? 'agreed' : 'refused';
  }

  return {
    get isOpen() {
      return isOpen;
    },
    ask() {
      isOpen = mode === 'ask' && !isDecided;
      return isOpen;
    },
    heard(said, { knowsAll }) {
      if (mode !== 'off' && asksForNoRecording(said, language)) {
        decide('refuse');
        isWithdrawn = true;
      }
      isEarly ||= !knowsAll;
      words.push(said);
    },
    conclude() {
      const said = words.splice(0).join(' ');
      const wasEarly = isEarly;
      isEarly = false;
      if (isOpen) {
        // What was said before the question had been heard is no answer to it.
        if (!wasEarly || hasAskedAgain) return answered(wasEarly ? '' : said);
        hasAskedAgain = true;
        return 'again';
      }
      const wasWithdrawn = isWithdrawn;
      isWithdrawn = false;
      return wasWithdrawn ? 'withdrawn' : null;
    },
    giveUp() {
      if (mode === 'ask' && !isDecided) decide('forgo');
    },
    forgo: () => decide('forgo'),
  };
}
