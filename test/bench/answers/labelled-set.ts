import { readFileSync } from 'node:fs';
import * as z from 'zod';

/** What somebody who picks up may be. */
export const labels = ['person', 'voicemail', 'screening', 'menu', 'mailbox-full', 'fax', 'unclear'] as const;
export type Label = (typeof labels)[number];

/** The half the rules were written with in view, and the half they were not changed for. */
export const halves = ['tuned', 'held-out'] as const;

export interface Labelled {
  readonly language: string;
  readonly label: Label;
  readonly text: string;
}

const file = z.strictObject({
  source: z.string(),
  utterances: z.record(z.string(), z.record(z.enum(labels), z.array(z.string()))),
});

/** Greetings and first utterances, all written for this project. */
export function labelledSet(half: (typeof halves)[number]): readonly Labelled[] {
  const text = readFileSync(new URL(`./${half}.json`, import.meta.url), 'utf8');
  const { utterances } = file.parse(JSON.parse(text));
  return Object.entries(utterances).flatMap(([language, byLabel]) =>
    labels.flatMap((label) => byLabel[label].map((each) => ({ language, label, text: each }))),
  );
}
