import fc from 'fast-check';
import { expect, it } from 'vitest';
import { monologue } from './monologue.ts';

function spoken(pieces: readonly string[]): string {
  const turn = monologue();
  let text = '';
  for (const each of pieces) {
    const { piece, isOver } = turn.take(each);
    text += piece;
    if (isOver) break;
  }
  return text;
}

const sentence = 'We are open from nine in the morning until five in the afternoon. ';

it('leaves an answer of ordinary length as it is', () => {
  expect(spoken([sentence, sentence])).toBe(sentence + sentence);
});

it('ends a monologue with a sentence, in whatever pieces it comes', () => {
  const words = sentence.repeat(100).split(/(?<=\s)/);
  for (const pieces of [words, [sentence.repeat(100)], Array.from({ length: 100 }, () => sentence)]) {
    const text = spoken(pieces);
    expect(text.length).toBeGreaterThan(590);
    expect(text.length).toBeLessThan(700);
    expect(text.trimEnd()).toMatch(/afternoon\.$/);
  }
});

it('never goes on for ever, and says nothing that was not written', () => {
  fc.assert(
    fc.property(
      fc.array(fc.string({ unit: fc.constantFrom('a', 'b', ' ', '.', '?'), maxLength: 300 })),
      (pieces) => {
        const text = spoken(pieces);
        expect(text.length).toBeLessThanOrEqual(900);
        expect(pieces.join('').startsWith(text)).toBe(true);
      },
    ),
  );
});
