import { describe, expect, it } from 'vitest';
import { saysValue } from './read-back.ts';

describe('words that read a value back', () => {
  it.each([
    ['email', 'jordan.avery@example.com', 'So that is jordan.avery@example.com, right?'],
    ['email', 'jordan.avery@example.com', 'Jordan dot Avery at example dot com?'],
    ['email', 'jo-av@example.com', 'J, O, dash, A, V, at example dot com?'],
    ['email', 'jordan@example.com', '¿Es jordan arroba example punto com?'],
    ['email', 'jordan@example.de', 'Das ist J-O-R-D-A-N at example Punkt de?'],
    ['phone', '+12025550142', 'Is it 202 555 0142?'],
    ['phone', '+12025550142', 'Two oh two, triple five, oh one four two?'],
    ['phone', '+4930123456', 'Null drei null – also 30 12 34 56?'],
    ['number', 12, 'Twelve people, correct?'],
    ['number', 25, 'That makes twenty-five?'],
    ['number', 1250.5, 'So 1,250.50?'],
    ['number', 7, 'Sieben Personen?'],
  ] as const)('%s %s: "%s"', (type, value, words) => {
    expect(saysValue(words, { type }, value)).toBe(true);
  });

  it.each([
    ['email', 'jordan.avery@example.com', 'Thank you. Is that right?'],
    ['email', 'jordan.avery@example.com', 'Is it jordan@example.com?'],
    ['phone', '+12025550142', 'Is it 202 555 0143?'],
    ['phone', '+12025550142', 'I have noted your number. Is that right?'],
    ['number', 12, 'A table for two?'],
    ['number', 25, 'Twenty people?'],
  ] as const)('%s %s: not "%s"', (type, value, words) => {
    expect(saysValue(words, { type }, value)).toBe(false);
  });
});
