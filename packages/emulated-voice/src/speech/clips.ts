import { readFile } from 'node:fs/promises';
import { pcmOf, SAMPLE_RATE } from '../mu-law.ts';
import type { RawSpeech, Utterance } from './speech.ts';

/** Words per minute of {@link speak} unless told otherwise, and of the clips. */
export const DEFAULT_WORDS_PER_MINUTE = 165;

/** What is said most often, kept as recordings for machines without a speech program: µ-law at 8 kHz, one file each. */
export const clipTexts: Readonly<Record<Utterance['voice'], readonly string[]>> = {
  callee: [
    'Hello?',
    'Yes?',
    'Okay.',
    'Goodbye.',
    'Yes, that is fine.',
    'Yes, speaking.',
    'Thank you. Goodbye.',
    'No, that is all. Thank you.',
    'I am fine, thank you.',
    'My name is Jordan Avery.',
    'Two, please.',
    'I would say eight.',
    'I have to go.',
    'No, thank you, I am not interested.',
    'Who is calling, please, and what is this about?',
    'Wait a second. Are you a robot?',
  ],
  agent: [
    'Hello.',
    'Goodbye.',
    'Thank you. Goodbye.',
    'Are you still there?',
    // All of `pnpm demo voice`.
    'Hello, I am an AI assistant calling on behalf of Example Dental.',
    'If you\'d rather not get these calls, just say "stop calling" at any time.',
    'Could you tell me whether Tuesday at 3 pm still suits you?',
    'Great, thank you.',
    'That is everything.',
    'Thank you for your time, goodbye.',
  ],
};

/** The recording of a sentence; undefined when there is none in this voice, language and pace. */
export async function clip(utterance: Utterance): Promise<RawSpeech | undefined> {
  const { text, voice, wordsPerMinute, language } = utterance;
  if (!clipTexts[voice].includes(text)) return undefined;
  if (wordsPerMinute !== DEFAULT_WORDS_PER_MINUTE || !/^en\b/i.test(language)) return undefined;
  const bytes = await readFile(new URL(`../../clips/${clipFile(voice, text)}`, import.meta.url)).catch(
    () => undefined,
  );
  if (!bytes) return undefined;
  const samples = Float64Array.from(bytes, (byte) => (pcmOf[byte] ?? 0) / 32768);
  return { samples, sampleRate: SAMPLE_RATE };
}

/** The sentences of a text, each with its punctuation. */
export function sentencesOf(text: string): readonly string[] {
  return text.split(/(?<=[.?!]["”]?)\s+/).filter((sentence) => sentence !== '');
}

/** Name of the file of a sentence. */
export function clipFile(voice: Utterance['voice'], text: string): string {
  const name = text.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-');
  return `${voice}-${name}.ulaw`.replace('-.', '.');
}
