import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { languagesWithPhrases } from './phrases.ts';
import { asSpoken, spokenForms, undivided, writtenUpTo } from './spoken-forms.ts';

describe('what is said', () => {
  it.each([
    ['en-US', 'Write to jordan.avery@example.com.', 'Write to jordan dot avery at example dot com.'],
    ['en-US', 'On 03/12/2026 at 15:30, please.', 'On March 12, 2026 at 3:30 PM, please.'],
    ['en-GB', 'On 03/12/2026 at 15:00.', 'On 3 December 2026 at 3 PM.'],
    ['en-US', 'It is 2026-12-03, 9:05 am.', 'It is December 3, 2026, 9:05 am.'],
    ['en-US', 'Call +1 202 555 0142.', 'Call plus one, two zero two, five five five, zero one four two.'],
    [
      'en-US',
      'Call (202) 555-0142 or 202-555-0143?',
      'Call two zero two, five five five, zero one four two or two zero two, five five five, zero one four three?',
    ],
    ['en-US', 'That is $1,250.50 or $40.', 'That is 1,250.50 US dollars or 40 US dollars.'],
    ['de-DE', 'Am 03.12.2026 um 15:30 für 40,50 €.', 'Am 3. Dezember 2026 um 15 Uhr 30 für 40,50 Euro.'],
    ['es-ES', 'ana_perez@example.es', 'ana guion bajo perez arroba example punto es'],
    ['fr-FR', 'Le 03/12/2026 à 15:00', 'Le 3 décembre 2026 à 15 heures'],
    ['it-IT', 'alle 15:30', 'alle 15 e 30'],
    ['pt-BR', 'às 15:30', 'às 15 horas e 30'],
    ['nl-NL', 'om 15:30', 'om 15 uur 30'],
    ['en-US', 'Room 12, 3 to 4 people, 1.5 hours, 10:30:15', 'Room 12, 3 to 4 people, 1.5 hours, 10:30:15'],
    ['en-US', 'On 31/31/2026', 'On 31/31/2026'],
    ['pl-PL', 'o 15:30, a@example.com', 'o 15:30, a@example.com'],
  ])('%s: %s', (language, written, spoken) => {
    expect(asSpoken(written, language)).toBe(spoken);
  });

  const piece = fc.constantFrom(
    'jordan@example.com',
    '03/12/2026',
    '15:30',
    '+1 202 555 0142',
    '$40.50',
    '40 €',
    'hello',
    'at',
    ' ',
    ', ',
    '. ',
    '12',
    '@',
    ':',
  );
  const text = fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join(''));
  const language = fc.constantFrom(...languagesWithPhrases, 'en-US', 'pt-BR');

  it('is written as it was', () => {
    fc.assert(
      fc.property(text, language, (written, tag) => {
        const parts = spokenForms(written, tag);
        expect(parts.map((part) => part.written).join('')).toBe(written);
        const length = parts.reduce((sum, { spoken }) => sum + spoken.length, 0);
        expect(writtenUpTo(parts, length)).toBe(written);
      }),
    );
  });

  it('is mapped back to a beginning of what is written, which grows with what was heard', () => {
    fc.assert(
      fc.property(text, language, (written, tag) => {
        const parts = spokenForms(written, tag);
        const length = parts.reduce((sum, { spoken }) => sum + spoken.length, 0);
        let before = '';
        for (let heard = 0; heard <= length; heard += 1) {
          const known = writtenUpTo(parts, heard);
          expect(written.startsWith(known)).toBe(true);
          expect(known.startsWith(before)).toBe(true);
          before = known;
        }
      }),
    );
  });

  it('holds no address and no time as it is written', () => {
    fc.assert(
      fc.property(fc.constantFrom(...languagesWithPhrases), (tag) => {
        const spoken = asSpoken('Write to jordan@example.com at 15:30.', tag);
        expect(spoken).not.toMatch(/@|15:30/);
      }),
    );
  });
});

it('numbers are not divided', () => {
  expect(undivided('Call +1 202 ', 12)).toBe(5);
  expect(undivided('Call +1 202 555 0142, please ', 22)).toBe(22);
  expect(undivided('We have 3 rooms ', 10)).toBe(10);
  expect(undivided('We have 3 ', 10)).toBe(8);
  expect(undivided('Hello there ', 6)).toBe(6);
});
