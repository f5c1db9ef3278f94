/** Every country and the code its numbers begin with. */
const table =
  'AD376AE971AF93AG1AI1AL355AM374AO244AR54AS1AT43AU61AW297AX358AZ994BA387BB1BD880BE32BF226BG359BH973BI257BJ229BL590BM1BN673BO591BQ599BR55BS1BT975BW267BY375BZ501CA1CC61CD243CF236CG242CH41CI225CK682CL56CM237CN86CO57CR506CU53CV238CW599CX61CY357CZ420DE49DJ253DK45DM1DO1DZ213EC593EE372EG20EH212ER291ES34ET251FI358FJ679FK500FM691FO298FR33GA241GB44GD1GE995GF594GG44GH233GI350GL299GM220GN224GP590GQ240GR30GT502GU1GW245GY592HK852HN504HR385HT509HU36ID62IE353IL972IM44IN91IO246IQ964IR98IS354IT39JE44JM1JO962JP81KE254KG996KH855KI686KM269KN1KP850KR82KW965KY1KZ7LA856LB961LC1LI423LK94LR231LS266LT370LU352LV371LY218MA212MC377MD373ME382MF590MG261MH692MK389ML223MM95MN976MO853MP1MQ596MR222MS1MT356MU230MV960MW265MX52MY60MZ258NA264NC687NE227NF672NG234NI505NL31NO47NP977NR674NU683NZ64OM968PA507PE51PF689PG675PH63PK92PL48PM508PR1PS970PT351PW680PY595QA974RE262RO40RS381RU7RW250SA966SB677SC248SD249SE46SG65SH290SI386SJ47SK421SL232SM378SN221SO252SR597SS211ST239SV503SX1SY963SZ268TC1TD235TG228TH66TJ992TK690TL670TM993TN216TO676TR90TT1TV688TW886TZ255UA380UG256US1UY598UZ998VA39VC1VE58VG1VI1VN84VU678WF681WS685XK383YE967YT262ZA27ZM260ZW263';

/** Calling codes by country (ISO 3166-1 alpha-2). */
export const callingCodes: ReadonlyMap<string, string> = new Map(
  [...table.matchAll(/([A-Z]{2})(\d+)/g)].map(([, country = '', code = '']) => [country, code]),
);

/** Where the first zero of a national number stays when it is called from abroad. */
const keepsZero = ['IT', 'SM', 'VA', 'CI', 'CG'];

/**
 * A number as visitors write it, in E.164. What numbers a country really has, the server knows.
 * @param country of a number without a code of its own
 * @returns `null` for what cannot be a number
 */
export function e164(text: string, country: string): string | null {
  if (!/^[\d\s()+./-]*$/.test(text)) return null;
  const digits = text.replace(/\D/g, '');
  const isInternational = /^\s*(\+|00)/.test(text);
  const national = keepsZero.includes(country) ? digits : digits.replace(/^0/, '');
  const number = isInternational
    ? digits.replace(/^00/, '')
    : `${callingCodes.get(country) ?? ''}${national}`;
  return /^[1-9]\d{6,14}$/.test(number) ? `+${number}` : null;
}

const patterns: readonly (readonly [code: string, national: RegExp, groups: string])[] = [
  ['1', /^(\d{3})(\d{3})(\d{4})$/, '($1) $2-$3'],
  ['33', /^(\d)(\d\d)(\d\d)(\d\d)(\d\d)$/, '$1 $2 $3 $4 $5'],
  ['34', /^(\d{3})(\d{3})(\d{3})$/, '$1 $2 $3'],
  ['39', /^(3\d\d)(\d{3})(\d{3,4})$/, '$1 $2 $3'],
  ['41', /^(\d\d)(\d{3})(\d\d)(\d\d)$/, '$1 $2 $3 $4'],
  ['44', /^(2\d)(\d{4})(\d{4})$/, '$1 $2 $3'],
  ['44', /^(\d{4})(\d{6})$/, '$1 $2'],
  ['49', /^(30|40|69|89|1[567]\d)(\d+)$/, '$1 $2'],
  ['52', /^(33|55|56|81)(\d{4})(\d{4})$/, '$1 $2 $3'],
  ['55', /^(\d\d)(\d{4,5})(\d{4})$/, '$1 $2-$3'],
  ['61', /^(4\d\d)(\d{3})(\d{3})$/, '$1 $2 $3'],
  ['61', /^(\d)(\d{4})(\d{4})$/, '$1 $2 $3'],
  ['86', /^(1\d\d)(\d{4})(\d{4})$/, '$1 $2 $3'],
  ['91', /^(\d{5})(\d{5})$/, '$1 $2'],
  ['966', /^(5\d)(\d{3})(\d{4})$/, '$1 $2 $3'],
  ['971', /^(5\d)(\d{3})(\d{4})$/, '$1 $2 $3'],
];

/** A number in E.164 as people of its country write it for others; in groups of three where that is not known. */
export function writtenNumber(number: string): string {
  const digits = number.slice(1);
  const code = [...new Set(callingCodes.values())].find((each) => digits.startsWith(each));
  if (code === undefined) return number;
  const national = digits.slice(code.length);
  const known = patterns.find(([of, pattern]) => of === code && pattern.test(national));
  const groups = known ? national.replace(known[1], known[2]) : national.replace(/\d{3}(?=\d{2})/g, '$& ');
  return `+${code} ${groups}`;
}

/** The country a visitor most likely phones in, by the languages of the browser. */
export function likelyCountry(languages: readonly string[]): string {
  for (const language of languages) {
    const { region } = new Intl.Locale(language);
    if (region && callingCodes.has(region)) return region;
  }
  const region = new Intl.Locale(languages[0] ?? 'en').maximize().region ?? '';
  return callingCodes.has(region) ? region : 'US';
}
