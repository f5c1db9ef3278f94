import type { RelayChannel } from '../../calls/speech.ts';
import type { InterruptedSpeech } from '../languages/small-words.ts';
import { speakable } from '../languages/speakable.ts';
import { spokenForms } from '../languages/spoken-forms.ts';
import {
  follow,
  nothingSpoken,
  type PlayoutEvent,
  unplayedCharacters,
  writtenOf,
} from '../realtime/spoken-text.ts';
import type { InactivityTimer } from '../session/inactivity-timer.ts';
import type { Transcript } from '../session/transcript.ts';

/** Everything the agent says on one call, and what the callee has heard of it. */
export interface RelaySpeechOutput {
  /** Adds to the utterance being spoken, or begins one. `last` closes it. */
  say(text: string, options: { last: boolean; interruptible?: boolean }): void;
  /** What comes is said in this language; what is read stays as it is written. */
  speakIn(language: string): void;
  /** Closes the utterance being spoken, if there is one. */
  finishUtterance(): void;
  /** Takes in what became of the text; what was heard goes to the transcript. */
  progressed(progress: Exclude<PlayoutEvent, { type: 'sent' }>): void;
  /** Sent and not in the transcript yet. */
  readonly unheard: readonly string[];
  /** What the callee last spoke over; `null` once something was said since. */
  readonly cut: InterruptedSpeech | null;
}

export function relaySpeechOutput(options: {
  channel: RelayChannel;
  transcript: Transcript;
  silence: InactivityTimer;
  /** BCP-47 tag of what is spoken; `null` where it is read. */
  language: string | null;
}): RelaySpeechOutput {
  const { channel, transcript, silence } = options;
  let { language } = options;
  let spoken = nothingSpoken;
  let isOpen = false;
  let cut: InterruptedSpeech | null = null;

  function step(progress: PlayoutEvent): void {
    const { state, heard, unheard } = follow(spoken, progress);
    spoken = state;
    if (unheard !== undefined) {
      cut = { heard: heard.map(({ content }) => content).join(' '), rest: unheard };
    }
    for (const entry of heard) transcript.add({ role: 'assistant', ...entry });
  }

  function say(
    written: string,
    { last, interruptible = true }: { last: boolean; interruptible?: boolean },
  ): void {
    const parts = spokenForms(speakable(written), language ?? '');
    const text = parts.map(({ spoken }) => spoken).join('');
    if (text === '' && !(last && isOpen)) return;
    cut = null;
    channel.speak(text, { last, interruptible });
    isOpen = !last;
    step({ type: 'sent', text, parts, last, atMs: performance.now() });
    silence.agentSaid(text.length);
  }

  return {
    say,
    speakIn(next) {
      if (language !== null) language = next;
    },
    finishUtterance: () => say('', { last: true }),
    progressed(progress) {
      step(progress);
      if (progress.type === 'interrupted') {
        isOpen = false;
        silence.agentSpeaking(false);
      } else if (progress.type === 'agent-speaking') {
        silence.agentSpeaking(progress.speaking);
      } else if (progress.type === 'played') {
        silence.agentHasLeft(unplayedCharacters(spoken));
      }
    },
    get cut() {
      return cut;
    },
    get unheard() {
      return spoken.utterances.map((utterance) => writtenOf(utterance).trim());
    },
  };
}
