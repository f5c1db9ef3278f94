import { describe, expect, it } from 'vitest';
import { isBackchannel, isFarewell } from './small-words.ts';

const midway = { heard: 'We open at nine and', rest: 'close at five, from Monday to Friday.' };
const asked = {
  heard: 'Can you come on Monday? If that',
  rest: 'does not suit you, Tuesday is free as well.',
};
const atTheEnd = { heard: 'Can you come on Monday at', rest: 'ten?' };

describe('a backchannel', () => {
  it.each([
    'Mhm.',
    'Mm-hm.',
    'Uh-huh.',
    'Okay.',
    'Yeah, okay.',
    'Right, right.',
    'Claro.',
    'Ja, genau.',
    "D'accord.",
    'Va bene.',
    'Tudo bem.',
    'Precies.',
  ])('is "%s" in the middle of a sentence', (words) => {
    expect(isBackchannel(words, midway)).toBe(true);
  });

  it.each(['Okay, but not on Friday.', 'Yes?', 'Wait.', 'No.', 'Who is this?', 'Nine.', ''])(
    'is not "%s"',
    (words) => {
      expect(isBackchannel(words, midway)).toBe(false);
    },
  );

  it('is not what answers a question', () => {
    expect(isBackchannel('Yes.', asked)).toBe(false);
    expect(isBackchannel('Yes.', atTheEnd)).toBe(false);
    expect(isBackchannel('Mhm.', atTheEnd)).toBe(true);
    expect(isBackchannel('Mhm.', { heard: 'We open at nine.', rest: '' })).toBe(false);
  });
});

describe('a farewell', () => {
  it.each([
    'Bye.',
    'Thank you, bye bye!',
    'Okay, great. You too, have a nice day.',
    'No, thanks.',
    'Gracias, adiós.',
    'Danke, tschüss!',
    'Merci, au revoir.',
    'Grazie, arrivederci.',
    'Obrigada, tchau.',
    'Bedankt, tot ziens.',
  ])('is "%s"', (words) => {
    expect(isFarewell(words)).toBe(true);
  });

  it.each(['Wait, when is it again?', 'Okay, and where?', 'Hold on.', 'No, that is wrong.', ''])(
    'is not "%s"',
    (words) => {
      expect(isFarewell(words)).toBe(false);
    },
  );
});
