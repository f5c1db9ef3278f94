import { expect, it } from 'vitest';
import { callingCodes, e164, likelyCountry, writtenNumber } from './phone-number.ts';

it('knows the calling codes', () => {
  expect(callingCodes.size).toBeGreaterThan(230);
  expect([callingCodes.get('US'), callingCodes.get('DE'), callingCodes.get('CI')]).toEqual([
    '1',
    '49',
    '225',
  ]);
});

it.each([
  ['202 555 0102', 'US', '+12025550102'],
  ['(202) 555-0102', 'US', '+12025550102'],
  ['+1 202 555 0102', 'DE', '+12025550102'],
  ['0012025550102', 'DE', '+12025550102'],
  ['030 901820', 'DE', '+4930901820'],
  ['06 698 12345', 'IT', '+390669812345'],
  ['020 7946 0000', 'GB', '+442079460000'],
])('reads %s of %s', (text, country, number) => {
  expect(e164(text, country)).toBe(number);
});

it.each(['', 'call me', '12', '+', '+12025550102123456', '202 555 0102 ext 5'])(
  'does not take %j',
  (text) => {
    expect(e164(text, 'US')).toBeNull();
  },
);

it('guesses the country by the languages', () => {
  expect(likelyCountry(['en-GB', 'en'])).toBe('GB');
  expect(likelyCountry(['de', 'en-US'])).toBe('US');
  expect(likelyCountry(['de'])).toBe('DE');
  expect(likelyCountry(['ar'])).toBe('EG');
  expect(likelyCountry([])).toBe('US');
});

it.each([
  ['+12025550102', '+1 (202) 555-0102'],
  ['+4930901820', '+49 30 901820'],
  ['+442079460000', '+44 20 7946 0000'],
  ['+33123456789', '+33 1 23 45 67 89'],
  ['+5511912345678', '+55 11 91234-5678'],
  ['+35312345678', '+353 123 456 78'],
  ['+0', '+0'],
])('writes %s as %s', (number, written) => {
  expect(writtenNumber(number)).toBe(written);
});
