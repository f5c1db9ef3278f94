import type { WorkflowDefinition } from '@callkite/contract';
import * as z from 'zod';
import type { SpokenEntry, Transcript } from '../session/transcript.ts';
import { type ConversationTool, conversationTool } from '../tools/tools.ts';
import { type Phrases, phrasesFor } from './phrases.ts';

/** Fewer words than this may be a name, or a word that two languages share. */
const fewestWords = 3;
const note = /^\(goes on in ([A-Za-z0-9-]+)\)$/;

type Languages = Pick<WorkflowDefinition, 'language' | 'languages'>;

/** The language of one call, which changes with the callee where the workflow allows it. */
export interface CallLanguage {
  /** BCP-47 tag of what is spoken now. */
  readonly current: string;
  /** Fixed phrases in that language. */
  readonly phrases: Phrases;
  /** Every language this call may be in; more than one where there is a choice. */
  readonly all: readonly string[];
  /** What the model changes it with; none without a choice. */
  readonly tools: readonly ConversationTool[];
  /** The carrier recognized these words, in this language if it can tell. */
  heard(words: string, language: string | null): void;
}

const primary = (tag: string) => tag.toLowerCase().split('-')[0];
const allOf = ({ language, languages }: Languages) => [...new Set([language, ...languages])];

/** What a call is spoken in, judged by its transcript, which outlasts a lost line. */
export function languageSpoken(languages: Languages, entries: readonly SpokenEntry[]): string {
  const all = allOf(languages);
  for (const { role, content } of [...entries].reverse()) {
    const tag = role === 'assistant' ? note.exec(content)?.[1] : undefined;
    if (tag !== undefined && all.includes(tag)) return tag;
  }
  return languages.language;
}

/** @param options.onChange speech in the new language follows, and is to be expected from the callee */
export function callLanguage(options: {
  languages: Languages;
  transcript: Transcript;
  onChange(language: string): void;
}): CallLanguage {
  const { languages, transcript } = options;
  const all = allOf(languages);
  let current = languageSpoken(languages, transcript.entries);

  function change(language: string): void {
    if (language === current) return;
    current = language;
    transcript.add({ role: 'assistant', content: `(goes on in ${language})`, interrupted: false });
    options.onChange(language);
  }

  const tool = conversationTool({
    name: 'switch_language',
    description:
      'Changes the language of the call. Use it as soon as the person speaks one of these languages or asks for it, before you answer, without saying anything.',
    input: z.strictObject({ language: z.enum(all) }),
    run({ language }) {
      change(language);
      return { answer: `You speak ${language} from now on. Answer in it.` };
    },
  });

  return {
    get current() {
      return current;
    },
    get phrases() {
      return phrasesFor(current);
    },
    all,
    tools: all.length > 1 ? [tool] : [],
    heard(words, language) {
      if (language === null || primary(language) === primary(current)) return;
      const understood = all.find((each) => primary(each) === primary(language));
      if (understood !== undefined && words.split(/\s+/).length >= fewestWords) change(understood);
    },
  };
}
