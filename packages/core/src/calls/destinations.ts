import { type PhoneNumber, type PhoneNumberType, parsePhoneNumberFromString } from 'libphonenumber-js/max';
import { CallkiteError } from '../kernel/errors.ts';

/** Kinds of number that cost the caller extra or reach no person. */
const refusedTypes: Readonly<Partial<Record<PhoneNumberType, string>>> = {
  PREMIUM_RATE: 'a premium-rate number',
  SHARED_COST: 'a shared-cost number',
  UAN: 'a company access number with a special rate',
  PERSONAL_NUMBER: 'a personal number with a special rate',
  PAGER: 'a pager',
  VOICEMAIL: 'a voicemail access number',
};

/**
 * Whether calls to this number are allowed at all; the same for recipients and for people a call is transferred to.
 * Throws `invalid_phone_number` for text that is not exactly a real number in E.164, and `destination_not_allowed`
 * for numbers that cost extra, belong to satellite and other worldwide networks, or lie in a country that is not
 * allowed. "+1" alone does not make a number American: the islands that share the code are countries of their own.
 *
 * @param allowedCountries ISO 3166-1 alpha-2 codes
 */
export function checkDestination(phone: string, allowedCountries: readonly string[]): void {
  const number = /^\+[1-9][0-9]{1,14}$/.test(phone) ? parsePhoneNumberFromString(phone) : undefined;
  if (!number || number.number !== phone) throw invalid();
  // The numbering plans of worldwide networks are known only in part, so this comes before the question of validity.
  if (number.isNonGeographic()) refuse('a satellite or other worldwide network');
  if (!number.isValid() || !number.country) throw invalid();
  const type = number.getType();
  const refused = type && refusedTypes[type];
  if (refused) refuse(refused);
  if (isSpecialExchange(number)) refuse('a service number');
  if (!allowedCountries.includes(number.country)) {
    refuse(`in ${number.country}, which is not among the countries this organization may call`);
  }
}

/** In the North American plan 976 is charged extra everywhere, and N11 are services; number metadata knows neither. */
function isSpecialExchange(number: PhoneNumber): boolean {
  return number.countryCallingCode === '1' && /^...(976|.11)/.test(number.nationalNumber);
}

function invalid(): CallkiteError {
  return new CallkiteError(
    'invalid_phone_number',
    'Not a valid phone number in E.164 format: "+", country code and number, digits only',
  );
}

function refuse(what: string): never {
  throw new CallkiteError('destination_not_allowed', `Calls to this number are not allowed: it is ${what}`);
}
