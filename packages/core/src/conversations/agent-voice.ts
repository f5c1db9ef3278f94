import type { SpeechChannel } from '../ports/speech.ts';
import type { SilenceWatch } from './silence.ts';
import { follow, nothingSpoken, type SpeechProgress, unplayedCharacters } from './spoken-text.ts';
import type { Transcript } from './transcript.ts';

/** Everything the agent says on one call, and what the callee has heard of it. */
export interface AgentVoice {
  /** Adds to the utterance being spoken, or begins one. `last` closes it. */
  say(text: string, options: { last: boolean; interruptible?: boolean }): void;
  /** Closes the utterance being spoken, if there is one. */
  finishUtterance(): void;
  /** Takes in what became of the text; what was heard goes to the transcript. */
  progressed(progress: Exclude<SpeechProgress, { type: 'sent' }>): void;
  /** Sent and not in the transcript yet. */
  readonly unheard: readonly string[];
}

export function agentVoice(options: {
  channel: SpeechChannel;
  transcript: Transcript;
  silence: SilenceWatch;
}): AgentVoice {
  const { channel, transcript, silence } = options;
  let spoken = nothingSpoken;
  let isOpen = false;

  function step(progress: SpeechProgress): void {
    const { state, heard } = follow(spoken, progress);
    spoken = state;
    for (const entry of heard) transcript.add({ role: 'assistant', ...entry });
  }

  function say(
    text: string,
    { last, interruptible = true }: { last: boolean; interruptible?: boolean },
  ): void {
    if (text === '' && !(last && isOpen)) return;
    channel.speak(text, { last, interruptible });
    isOpen = !last;
    step({ type: 'sent', text, last, atMs: performance.now() });
    silence.agentSaid(text.length);
  }

  return {
    say,
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
    get unheard() {
      return spoken.utterances.map(({ text }) => text.trim());
    },
  };
}
