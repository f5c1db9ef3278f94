import * as z from 'zod';
import { maximumMenuDepth } from '../answer-detection/answering.ts';
import { pressedNote } from '../session/prompt.ts';
import type { SpeechPipeline } from '../session/speech-pipeline.ts';
import type { SpokenEntry, Transcript } from '../session/transcript.ts';
import { type ConversationTool, conversationTool } from '../tools/tools.ts';

const keys = /^[0-9*#w]{1,32}$/;

const isNote = /^\(pressed [0-9*#w]+\)$/;

/** How often the agent has pressed keys: counted in the transcript, which outlasts a lost line. */
export function keyPresses(entries: readonly SpokenEntry[]): number {
  return entries.filter(({ role, content }) => role === 'assistant' && isNote.test(content)).length;
}

/** Lets the agent press keys. */
export function keypadTool(
  talk: Pick<SpeechPipeline, 'pressDigits'>,
  transcript: Transcript,
): ConversationTool {
  return conversationTool({
    name: 'send_digits',
    description:
      'Presses keys on the phone, then listens. Use it, without saying anything, when a recorded menu names a key that leads to your objective.',
    input: z.strictObject({ digits: z.string().describe('0-9, * and #; w waits for half a second') }),
    run({ digits }) {
      if (!keys.test(digits)) return { answer: 'Nothing was pressed: give 1 to 32 of 0-9, *, # and w.' };
      if (keyPresses(transcript.entries) >= maximumMenuDepth) {
        return { answer: 'Nothing was pressed: this menu is too deep. Say what you want, or end the call.' };
      }
      talk.pressDigits(digits);
      transcript.add({ role: 'assistant', content: pressedNote(digits), interrupted: false });
      return { nothingToSay: true };
    },
  });
}
