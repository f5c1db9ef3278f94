import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { speakable } from './speakable.ts';

describe('what is said of a text', () => {
  it.each([
    ['**Great**, see you `then`!', 'Great, see you then!'],
    ['Hello {{name}}, your {day} is set.', 'Hello name, your day is set.'],
    ['See you 👍🏽 on Monday 🎉!', 'See you on Monday!'],
    ['Perfect 🇩🇪.', 'Perfect.'],
    ['Look at [our page](https://example.com/a).', 'Look at our page.'],
    ['<b>Monday</b> &amp; Tuesday', 'Monday & Tuesday'],
    ['Monday -> Tuesday => Friday', 'Monday Tuesday Friday'],
    ['a\\_b and jordan_avery@example.com', 'a_b and jordan_avery@example.com'],
    ["It's 5 % of $40.50, isn't it?", "It's 5 % of $40.50, isn't it?"],
    ['## Title', ' Title'],
  ])('"%s" is "%s"', (written, said) => {
    expect(speakable(written)).toBe(said);
  });

  it('holds no markup, no braces and no emoji, and no word that was not written', () => {
    const unit = fc.constantFrom(
      'a',
      'é',
      ' ',
      '.',
      '*',
      '_',
      '`',
      '{',
      '}',
      '[',
      '](',
      ')',
      '<',
      '>',
      '#',
      '👍',
      '🏽',
      '\n',
      '-',
    );
    fc.assert(
      fc.property(fc.string({ unit, maxLength: 60 }), (text) => {
        const said = speakable(text);
        expect(said).not.toMatch(/[*`{}[\]<>#]|\p{Extended_Pictographic}/u);
        expect(said.replace(/[^a-zé]/g, '').length).toBeLessThanOrEqual(text.replace(/[^a-zé]/g, '').length);
      }),
    );
  });
});
