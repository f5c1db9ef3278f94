import { describe, expect, it } from 'vitest';
import { checkDestination } from './destinations.ts';

const northAmerica = ['US', 'CA'];

function codeOf(phone: string, allowedCountries: readonly string[] = northAmerica): string {
  try {
    checkDestination(phone, allowedCountries);
    return 'allowed';
  } catch (error) {
    const { code, message } = error as { code: string; message: string };
    expect(message).not.toMatch(/\d{3,}(?<!164)/);
    return code;
  }
}

describe('destinations', () => {
  it.each(['+12025550123', '+12025550199', '+14165550123', '+18005550199'])('may be called: %s', (phone) => {
    expect(codeOf(phone)).toBe('allowed');
  });

  it.each([
    '12025550123',
    '2025550123',
    '0012025550123',
    '+1 202 555 0123',
    '+1-202-555-0123',
    '+1(202)5550123',
    ' +12025550123',
    '+12025550123 ',
    '+12025550123\n',
    '+12025550123;ext=4',
    '+12025550123x4',
    '+1202555012３',
    '＋12025550123',
    '+1202555012',
    '+120255501234',
    '+02025550123',
    '+911',
    '+12',
    '+1911',
    '911',
    '+11112223333',
    '+9991234567890',
    'sip:someone@example.com',
    'client:someone',
    '+',
    '',
    `+1${'0'.repeat(5000)}`,
  ])('are not numbers: %j', (phone) => {
    expect(codeOf(phone)).toBe('invalid_phone_number');
  });

  it('refuses a number that is formatted like one written without its trunk zero', () => {
    expect(codeOf('+4402079460123', ['GB'])).toBe('invalid_phone_number');
    expect(codeOf('+442079460123', ['GB'])).toBe('allowed');
  });

  it.each([
    ['premium rate, US', '+19005551234', ['US']],
    ['extra-charge exchange 976', '+12029761234', ['US']],
    ['service exchange N11', '+12024111234', ['US']],
    ['personal number, US', '+15002345678', ['US']],
    ['premium rate, UK', '+449098790123', ['GB']],
    ['personal number, UK', '+447012345678', ['GB']],
    ['pager, UK', '+447640123456', ['GB']],
    ['company access, UK', '+445501234567', ['GB']],
    ['premium rate, France', '+33892123456', ['FR']],
    ['shared cost, France', '+33810123456', ['FR']],
    ['satellite 870', '+870773111632', ['US']],
    ['satellite 881', '+881612345678', ['US']],
    ['worldwide network 882', '+88213123456', ['US']],
    ['worldwide network 883', '+8835100123456', ['US']],
    ['worldwide 878', '+878101234567890', ['US']],
    ['worldwide 888', '+88812345678901', ['US']],
    ['worldwide premium rate 979', '+979123456789', ['US']],
    ['worldwide shared cost 808', '+80812345678', ['US']],
    ['worldwide freephone 800', '+80012345678', ['US']],
  ])('are refused whatever the country: %s', (_name, phone, countries) => {
    expect(codeOf(phone, countries)).toBe('destination_not_allowed');
  });

  it.each([
    ['Jamaica', '+18765551234', 'JM'],
    ['Dominican Republic', '+18092345678', 'DO'],
    ['Puerto Rico', '+17875551234', 'PR'],
    ['Guam', '+16715551234', 'GU'],
    ['United Kingdom', '+442079460123', 'GB'],
    ['Jersey', '+447797123456', 'JE'],
    ['Cuba', '+5371234567', 'CU'],
  ])('are refused in a country that was not opened: %s', (_name, phone, country) => {
    expect(codeOf(phone)).toBe('destination_not_allowed');
    expect(codeOf(phone, [country])).toBe('allowed');
  });
});
