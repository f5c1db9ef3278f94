import { formField } from '@callkite/contract';
import { expect, it } from 'vitest';
import { areComplete } from './form-fills.ts';

const field = (name: string, required: boolean) => formField.parse({ name, type: 'text', required });
const answer = (name: string, confirmed = true) => ({ field: name, value: 'x', confirmed, quote: 'x' });

it.each([
  ['no form', [], false],
  ['every required field', [{ fields: [field('a', true), field('b', false)], answers: [answer('a')] }], true],
  [
    'a required field that was not read back',
    [{ fields: [field('a', true)], answers: [answer('a', false)] }],
    false,
  ],
  ['a missing one', [{ fields: [field('a', true), field('b', true)], answers: [answer('b')] }], false],
  [
    'one of two optional fields',
    [{ fields: [field('a', false), field('b', false)], answers: [answer('b')] }],
    false,
  ],
  ['all optional fields', [{ fields: [field('a', false)], answers: [answer('a')] }], true],
  [
    'the same name in another form',
    [
      { fields: [field('a', true)], answers: [] },
      { fields: [field('a', true)], answers: [answer('a')] },
    ],
    false,
  ],
])('of forms with %s', (_name, forms, complete) => {
  expect(areComplete(forms)).toBe(complete);
});
