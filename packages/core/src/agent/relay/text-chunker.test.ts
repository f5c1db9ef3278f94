import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { textChunker } from './text-chunker.ts';

function spoken(tokens: readonly string[]): string[] {
  const pieces = textChunker();
  return [...tokens.flatMap((token) => pieces.push(token)), pieces.flush()];
}

describe('textChunker', () => {
  it('lets the first word go at once and the rest by clause', () => {
    expect(spoken(['Yes', ', ', 'of', ' course', '. I', ' will', ' book', ' it', ', then', ' call'])).toEqual(
      ['Yes, ', 'of course. ', 'I will book it, ', 'then call'],
    );
  });

  it('does not hold back long words without punctuation', () => {
    const pieces = spoken(
      'one two three four five six seven eight nine ten eleven twelve thirteen fourteen'.split(/(?= )/),
    );
    expect(pieces.length).toBeGreaterThan(2);
    expect(pieces.join('')).toBe(
      'one two three four five six seven eight nine ten eleven twelve thirteen fourteen',
    );
  });

  it('drops markup', () => {
    expect(
      spoken([
        '## Options\n',
        '- **First',
        '** one\n',
        '1. `second` [one](https://example.com)\n',
        'a_b',
      ]).join(''),
    ).toBe('Options First one second one a_b');
  });

  it('keeps numbers and minus signs inside sentences', () => {
    expect(spoken(['It costs 3. ', 'Or - if you like - 4 ', 'in all']).join('')).toBe(
      'It costs 3. Or - if you like - 4 in all',
    );
  });

  it('says the same however the text is cut into tokens', () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom('Hello', ' ', ', ', 'there. ', '12', 'word', ' and', '?', ' a long clause')),
        fc.infiniteStream(fc.integer({ min: 1, max: 5 })),
        (words, lengths) => {
          const text = words.join('');
          const tokens: string[] = [];
          for (let at = 0; at < text.length; ) {
            const length = lengths.next().value ?? 1;
            tokens.push(text.slice(at, at + length));
            at += length;
          }
          expect(spoken(tokens).join('').trim()).toBe(spoken([text]).join('').trim());
        },
      ),
    );
  });
});
