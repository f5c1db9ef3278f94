/** A country the emulated network knows. */
export interface Country {
  isoCode: string;
  name: string;
  continent: string;
  /** Calling codes without `+`, the most specific that tell the country from others. */
  callingCodes: readonly string[];
}

/** Countries of the emulated dialing permissions. Calls elsewhere cannot be routed. */
export const countries: readonly Country[] = [
  { isoCode: 'US', name: 'United States', continent: 'NORTH_AMERICA', callingCodes: ['1'] },
  { isoCode: 'CA', name: 'Canada', continent: 'NORTH_AMERICA', callingCodes: ['1'] },
  { isoCode: 'DM', name: 'Dominica', continent: 'NORTH_AMERICA', callingCodes: ['1767'] },
  { isoCode: 'JM', name: 'Jamaica', continent: 'NORTH_AMERICA', callingCodes: ['1876', '1658'] },
  { isoCode: 'MX', name: 'Mexico', continent: 'NORTH_AMERICA', callingCodes: ['52'] },
  { isoCode: 'BR', name: 'Brazil', continent: 'SOUTH_AMERICA', callingCodes: ['55'] },
  { isoCode: 'GB', name: 'United Kingdom', continent: 'EUROPE', callingCodes: ['44'] },
  { isoCode: 'IE', name: 'Ireland', continent: 'EUROPE', callingCodes: ['353'] },
  { isoCode: 'FR', name: 'France', continent: 'EUROPE', callingCodes: ['33'] },
  { isoCode: 'DE', name: 'Germany', continent: 'EUROPE', callingCodes: ['49'] },
  { isoCode: 'ES', name: 'Spain', continent: 'EUROPE', callingCodes: ['34'] },
  { isoCode: 'IT', name: 'Italy', continent: 'EUROPE', callingCodes: ['39'] },
  { isoCode: 'LV', name: 'Latvia', continent: 'EUROPE', callingCodes: ['371'] },
  { isoCode: 'RU', name: 'Russia', continent: 'EUROPE', callingCodes: ['7'] },
  { isoCode: 'IN', name: 'India', continent: 'ASIA', callingCodes: ['91'] },
  { isoCode: 'CN', name: 'China', continent: 'ASIA', callingCodes: ['86'] },
  { isoCode: 'JP', name: 'Japan', continent: 'ASIA', callingCodes: ['81'] },
  { isoCode: 'AU', name: 'Australia', continent: 'OCEANIA', callingCodes: ['61'] },
  { isoCode: 'ZA', name: 'South Africa', continent: 'AFRICA', callingCodes: ['27'] },
];

/** Whether `number` is E.164; under +1 also whether area code and exchange can exist. */
export function isPhoneNumber(number: string): boolean {
  if (number.startsWith('+1')) return /^\+1[2-9]\d{2}[2-9]\d{6}$/.test(number);
  return /^\+[2-9]\d{6,14}$/.test(number);
}

/** The country of an E.164 number, by its longest matching calling code. Canada shares its code and counts as US. */
export function countryOf(number: string): Country | undefined {
  let found: { country: Country; length: number } | undefined;
  for (const country of countries) {
    for (const code of country.callingCodes) {
      if (number.startsWith(`+${code}`) && code.length > (found?.length ?? 0)) {
        found = { country, length: code.length };
      }
    }
  }
  return found?.country;
}

/** How Twilio writes a number for people: North American numbers in national format. */
export function formatted(number: string): string {
  const parts = /^\+1(\d{3})(\d{3})(\d{4})$/.exec(number);
  return parts ? `(${parts[1]}) ${parts[2]}-${parts[3]}` : number;
}
