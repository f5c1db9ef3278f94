import { emailAddress, type FormField } from '@callkite/contract';
import { type CountryCode, parsePhoneNumberFromString } from 'libphonenumber-js/max';
import type { FormValue } from './form-store.ts';

const longestText = 2_000;
const plainNumber = /^[-+]?(\d+|\d{1,3}(,\d{3})+)(\.\d+)?$/;

/** A value as it is stored, or in words what is wrong with it. */
export type CheckedValue =
  | { readonly value: FormValue }
  /** Completes "Name: …". */
  | { readonly problem: string };

/** Whether a value of this field is read back to the callee: one wrong character makes it worthless. */
export function needsReadBack({ type }: Pick<FormField, 'type'>): boolean {
  return type === 'email' || type === 'phone' || type === 'number';
}

/**
 * Checks what was understood as the value of a field, and brings it into the one form its type has: trimmed text, a
 * finite number, an address with a lower-case domain, a number in E.164, options as the form spells them.
 * @param calleePhone E.164; numbers without a country are taken for numbers of its country
 */
export function checkFormValue(field: FormField, raw: unknown, calleePhone: string): CheckedValue {
  if (field.type === 'number') return checkNumber(raw);
  if (field.type === 'multi-select') return checkChoices(field.options, raw);
  if (typeof raw !== 'string' || raw.trim() === '') return { problem: 'give a text' };
  const text = raw.trim();
  switch (field.type) {
    case 'text':
      return text.length > longestText ? { problem: 'shorten it' } : { value: text };
    case 'email':
      return checkEmail(text);
    case 'phone':
      return checkPhone(text, calleePhone);
    case 'select':
      return checkChoice(field.options, text);
  }
}

function checkNumber(raw: unknown): CheckedValue {
  const text = typeof raw === 'string' ? raw.trim() : '';
  const value = plainNumber.test(text) ? Number(text.replaceAll(',', '')) : raw;
  return typeof value === 'number' && Number.isFinite(value)
    ? { value }
    : { problem: 'this is not a number; ask again' };
}

function checkEmail(text: string): CheckedValue {
  const at = text.lastIndexOf('@');
  const address = text.slice(0, at + 1) + text.slice(at + 1).toLowerCase();
  return emailAddress.safeParse(address).success
    ? { value: address }
    : { problem: 'this is not an e-mail address; ask the callee to spell it' };
}

function checkPhone(text: string, calleePhone: string): CheckedValue {
  const country: CountryCode | undefined = parsePhoneNumberFromString(calleePhone)?.country;
  const number = parsePhoneNumberFromString(text, {
    extract: false,
    ...(country !== undefined && { defaultCountry: country }),
  });
  return number?.isValid()
    ? { value: number.number }
    : { problem: 'this is not a valid phone number; ask for it again, digit by digit' };
}

function optionNamed(options: readonly string[], text: string): string | undefined {
  return options.find((option) => option.toLowerCase() === text.trim().toLowerCase());
}

function checkChoice(options: readonly string[], text: string): CheckedValue {
  const value = optionNamed(options, text);
  return value === undefined ? notAmong(options) : { value };
}

function checkChoices(options: readonly string[], raw: unknown): CheckedValue {
  const texts: unknown[] = Array.isArray(raw) ? raw : [raw];
  const found = texts.map((text) => (typeof text === 'string' ? optionNamed(options, text) : undefined));
  const chosen = new Set(found.filter((option) => option !== undefined));
  if (found.includes(undefined) || chosen.size === 0) return notAmong(options);
  return { value: options.filter((option) => chosen.has(option)) };
}

function notAmong(options: readonly string[]): CheckedValue {
  return { problem: `this is none of the options; ask which of these it is: ${options.join(', ')}` };
}
