import { type FormFieldInput, formField } from '@callkite/contract';
import { describe, expect, it } from 'vitest';
import { checkFormValue } from './form-value.ts';

const options = ['Tea', 'Coffee', 'Still water'];
const check = (type: FormFieldInput['type'], raw: unknown, calleePhone = '+12025550100') =>
  checkFormValue(
    formField.parse({
      name: 'x',
      type,
      ...(type === 'select' || type === 'multi-select' ? { options } : {}),
    }),
    raw,
    calleePhone,
  );

describe('values of form fields', () => {
  it.each([
    ['text', '  Jordan Avery ', 'Jordan Avery'],
    ['number', 2, 2],
    ['number', '1,200.50', 1200.5],
    ['number', '-3', -3],
    ['email', ' Jordan.Avery@Example.COM ', 'Jordan.Avery@example.com'],
    ['phone', '202 555 0142', '+12025550142'],
    ['phone', '(202) 555-0142', '+12025550142'],
    ['phone', '+44 20 7946 0958', '+442079460958'],
    ['select', 'still WATER', 'Still water'],
    ['multi-select', ['coffee', 'Tea', 'tea'], ['Tea', 'Coffee']],
    ['multi-select', 'coffee', ['Coffee']],
  ] as const)('%s %j is %j', (type, raw, value) => {
    expect(check(type, raw)).toEqual({ value });
  });

  it('reads numbers as the callee’s country writes them', () => {
    expect(check('phone', '020 7946 0958', '+442079460000')).toEqual({ value: '+442079460958' });
  });

  it.each([
    ['text', ' '],
    ['text', 7],
    ['text', 'x'.repeat(2001)],
    ['number', 'two'],
    ['number', '1.200,50'],
    ['number', Number.POSITIVE_INFINITY],
    ['email', 'jordan at example'],
    ['email', '@example.com'],
    ['email', `${'j'.repeat(65)}@example.com`],
    ['email', `jordan@${'example.'.repeat(31)}com`],
    ['phone', '12'],
    ['phone', 'call 202 555 0142 please'],
    ['select', 'Milk'],
    ['multi-select', ['Tea', 'Milk']],
    ['multi-select', []],
  ] as const)('%s %j is refused in words', (type, raw) => {
    expect(check(type, raw)).toEqual({ problem: expect.stringMatching(/\w/) });
  });
});
