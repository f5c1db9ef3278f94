import { expect, it } from 'vitest';
import { expectedReplies, replyOf } from './reply.ts';

const said = (words: string, language = 'en-US') => replyOf({ digit: null, words }, language);

it.each([
  ['1', 'yes'],
  ['2', 'no'],
  ['7', 'unclear'],
] as const)('key %s means %s', (digit, reply) => {
  expect(replyOf({ digit, words: null }, 'de')).toBe(reply);
});

it.each([
  ['en-US', 'Yes, please.', 'No, thank you.'],
  ['en', "Sure, I'll take it", "I can't right now"],
  ['en-GB', 'No problem, put them through.', 'Not now.'],
  ['es', 'Sí, claro', 'No, gracias'],
  ['de-DE', 'Ja, stellen Sie durch', 'Nein, ich habe keine Zeit'],
  ['fr', 'Oui, allez-y', 'Non, pas maintenant'],
  ['it', 'Sì, va bene', 'No, sono occupata'],
  ['pt-BR', 'Sim, pode passar', 'Não, agora não'],
  ['nl', 'Ja, graag', 'Nee, ik wil het niet'],
])('in %s, "%s" is a yes and "%s" a no', (language, yes, no) => {
  expect(said(yes, language)).toBe('yes');
  expect(said(no, language)).toBe('no');
});

it('takes nothing else for a reply', () => {
  for (const words of ['Who is this?', '', 'yesterday', 'nobody', 'book'])
    expect(said(words)).toBe('unclear');
  expect(replyOf({ digit: null, words: null }, 'en')).toBe('unclear');
  expect(said('yes', 'xx')).toBe('yes');
});

it('expects short words in each language', () => {
  expect(expectedReplies('de-AT')).toEqual(['ja', 'nein']);
  expect(expectedReplies('xx')).toEqual(['yes', 'no']);
});
