import { speakable } from '../../agent/languages/speakable.ts';
import { asSpoken } from '../../agent/languages/spoken-forms.ts';
import type { CallInstruction } from '../../calls/carrier-adapter.ts';

/** An instruction whose words are as a person says them: no markup, and dates, times and numbers spelled out. */
export function aloud(instruction: CallInstruction): CallInstruction {
  switch (instruction.type) {
    case 'say': {
      const { text, language } = instruction;
      return { ...instruction, text: said(text, language) };
    }
    case 'ask': {
      const { text, question, language } = instruction;
      return { ...instruction, text: said(text, language), question: said(question, language) };
    }
    case 'converse': {
      const { preamble, language } = instruction;
      return { ...instruction, preamble: preamble === null ? null : said(preamble, language) };
    }
    default:
      return instruction;
  }
}

const said = (text: string, language: string) => asSpoken(speakable(text), language);
