import { createHash } from 'node:crypto';
import type { Account } from '../accounts.ts';
import { addressFault } from '../addresses.ts';
import { countries, formatted } from '../calls/phone-numbers.ts';
import { rfc2822 } from '../dates.ts';
import { ApiError, notFound, unauthenticated } from './api-error.ts';
import { listing, listingWithMeta } from './pages.ts';
import type { ApiRequest } from './request.ts';

const PRIMARY_BUSINESS_POLICY = 'RN6433641899984f951173ef1738c3bdd0';

// Parameters of a number that can be updated, and the property each one sets.
const numberParameters = {
  FriendlyName: 'friendly_name',
  VoiceUrl: 'voice_url',
  VoiceMethod: 'voice_method',
  VoiceFallbackUrl: 'voice_fallback_url',
  VoiceFallbackMethod: 'voice_fallback_method',
  VoiceApplicationSid: 'voice_application_sid',
  VoiceCallerIdLookup: 'voice_caller_id_lookup',
  VoiceReceiveMode: 'voice_receive_mode',
  StatusCallback: 'status_callback',
  StatusCallbackMethod: 'status_callback_method',
  SmsUrl: 'sms_url',
  SmsMethod: 'sms_method',
  SmsFallbackUrl: 'sms_fallback_url',
  SmsFallbackMethod: 'sms_fallback_method',
  SmsApplicationSid: 'sms_application_sid',
  TrunkSid: 'trunk_sid',
} as const;

type NumberProperty = (typeof numberParameters)[keyof typeof numberParameters];

type OwnedNumber = { sid: string; phoneNumber: string; updatedAt: Date } & Record<
  NumberProperty,
  string | boolean | null
>;

/** Everything about an account other than its calls: itself, balance, numbers, business profile, countries. */
export class AccountApi {
  readonly #startedAt = new Date();
  readonly #numbers = new Map<string, OwnedNumber[]>();
  readonly #allowInsecureLoopback: boolean;

  constructor(options: { accounts: Iterable<Account>; allowInsecureLoopback: boolean }) {
    this.#allowInsecureLoopback = options.allowInsecureLoopback;
    for (const account of options.accounts) {
      this.#numbers.set(
        account.sid,
        account.phoneNumbers.map((number) => ownedNumber(account, number, this.#startedAt)),
      );
    }
  }

  /** The account itself. API keys are not allowed to read it. */
  account({ account, withApiKey }: ApiRequest): Record<string, unknown> {
    if (withApiKey) throw unauthenticated();
    const uri = `/2010-04-01/Accounts/${account.sid}`;
    return {
      sid: account.sid,
      friendly_name: account.name,
      type: account.type,
      status: account.status,
      owner_account_sid: account.sid,
      auth_token: account.authToken,
      date_created: rfc2822(this.#startedAt),
      date_updated: rfc2822(this.#startedAt),
      uri: `${uri}.json`,
      subresource_uris: {
        balance: `${uri}/Balance.json`,
        calls: `${uri}/Calls.json`,
        incoming_phone_numbers: `${uri}/IncomingPhoneNumbers.json`,
        outgoing_caller_ids: `${uri}/OutgoingCallerIds.json`,
      },
    };
  }

  balance({ account }: ApiRequest): Record<string, unknown> {
    return { account_sid: account.sid, balance: account.balance, currency: 'USD' };
  }

  numbers(request: ApiRequest): Record<string, unknown> {
    const { account, query } = request;
    const pattern = query.get('PhoneNumber');
    const name = query.get('FriendlyName');
    const numbers = this.#numbersOf(account).filter(
      (number) =>
        (!pattern || numberPattern(pattern).test(number.phoneNumber)) &&
        (!name || number.friendly_name === name),
    );
    return listing(request, 'incoming_phone_numbers', numbers, (number) =>
      this.#numberResource(account, number),
    );
  }

  number(request: ApiRequest, sid: string): Record<string, unknown> {
    return this.#numberResource(request.account, this.#findNumber(request, sid));
  }

  updateNumber(request: ApiRequest, sid: string): Record<string, unknown> {
    const number = this.#findNumber(request, sid);
    const changes: [NumberProperty, string | boolean][] = [];
    for (const [parameter, property] of Object.entries(numberParameters)) {
      const value = request.form.get(parameter);
      if (value === null) continue;
      this.#checkNumberParameter(parameter, value);
      changes.push([property, parameter === 'VoiceCallerIdLookup' ? value === 'true' : value]);
    }
    for (const [property, value] of changes) number[property] = value;
    number.updatedAt = new Date();
    return this.#numberResource(request.account, number);
  }

  callerIds(request: ApiRequest): Record<string, unknown> {
    const { account, query } = request;
    const wanted = query.get('PhoneNumber');
    const ids = account.verifiedNumbers
      .filter((number) => !wanted || number === wanted)
      .map((number) => ({ sid: derivedSid('PN', account, `verified ${number}`), number }));
    return listing(request, 'outgoing_caller_ids', ids, ({ sid, number }) => ({
      sid,
      account_sid: account.sid,
      friendly_name: formatted(number),
      phone_number: number,
      date_created: rfc2822(this.#startedAt),
      date_updated: rfc2822(this.#startedAt),
      uri: `/2010-04-01/Accounts/${account.sid}/OutgoingCallerIds/${sid}.json`,
    }));
  }

  customerProfiles(request: ApiRequest): Record<string, unknown> {
    const { account, query, baseUrl } = request;
    const status = query.get('Status');
    const exists = account.businessProfile !== 'none' && (!status || status === account.businessProfile);
    const profiles = exists ? [{ sid: derivedSid('BU', account, 'primary profile') }] : [];
    return listingWithMeta(request, 'results', profiles, ({ sid }) => ({
      sid,
      account_sid: account.sid,
      policy_sid: PRIMARY_BUSINESS_POLICY,
      friendly_name: `${account.name}: primary business profile`,
      status: account.businessProfile,
      valid_until: null,
      email: 'business@example.com',
      status_callback: null,
      date_created: this.#startedAt.toISOString(),
      date_updated: this.#startedAt.toISOString(),
      url: `${baseUrl}/v1/CustomerProfiles/${sid}`,
      links: {},
      errors: null,
    }));
  }

  dialingCountries(request: ApiRequest): Record<string, unknown> {
    const { account, query, baseUrl } = request;
    const isoCode = query.get('IsoCode');
    const continent = query.get('Continent');
    const lowRisk = query.get('LowRiskNumbersEnabled');
    const listed = countries
      .map((country) => ({
        ...country,
        sid: country.isoCode,
        isEnabled: account.dialingCountries.includes(country.isoCode),
      }))
      .filter(
        (country) =>
          (!isoCode || country.isoCode === isoCode) &&
          (!continent || country.continent === continent) &&
          (!lowRisk || String(country.isEnabled) === lowRisk),
      );
    return listingWithMeta(request, 'content', listed, (country) => ({
      iso_code: country.isoCode,
      name: country.name,
      continent: country.continent,
      country_codes: country.callingCodes.map((code) => `+${code}`),
      low_risk_numbers_enabled: country.isEnabled,
      high_risk_special_numbers_enabled: false,
      high_risk_tollfraud_numbers_enabled: false,
      url: `${baseUrl}/v1/DialingPermissions/Countries/${country.isoCode}`,
      links: {},
    }));
  }

  #numbersOf(account: Account): OwnedNumber[] {
    return this.#numbers.get(account.sid) ?? [];
  }

  #findNumber(request: ApiRequest, sid: string): OwnedNumber {
    const number = this.#numbersOf(request.account).find((each) => each.sid === sid);
    if (!number) throw notFound(request.path);
    return number;
  }

  #checkNumberParameter(parameter: string, value: string): void {
    if (value === '') return;
    const isUrl = parameter.endsWith('Url') || parameter === 'StatusCallback';
    const allowInsecureLoopback = this.#allowInsecureLoopback;
    const fault = isUrl
      ? addressFault(value, { secureProtocol: 'https:', allowInsecureLoopback })
      : undefined;
    if (fault !== undefined) throw new ApiError(400, 21502, `${parameter} is not valid: ${fault}`);
    if (parameter.endsWith('Method') && value !== 'GET' && value !== 'POST') {
      throw new ApiError(400, 21503, `${parameter} must be GET or POST`);
    }
    if (parameter === 'FriendlyName' && value.length > 64) {
      throw new ApiError(400, 21500, 'FriendlyName is longer than 64 characters');
    }
  }

  #numberResource(account: Account, number: OwnedNumber): Record<string, unknown> {
    const { sid, phoneNumber, updatedAt, ...properties } = number;
    return {
      sid,
      account_sid: account.sid,
      phone_number: phoneNumber,
      ...properties,
      type: 'local',
      origin: 'twilio',
      status: 'in-use',
      beta: false,
      capabilities: { voice: true, sms: true, mms: true, fax: false },
      address_requirements: 'none',
      address_sid: null,
      bundle_sid: null,
      identity_sid: null,
      emergency_address_sid: null,
      emergency_address_status: 'unregistered',
      emergency_status: 'Inactive',
      api_version: '2010-04-01',
      date_created: rfc2822(this.#startedAt),
      date_updated: rfc2822(updatedAt),
      uri: `/2010-04-01/Accounts/${account.sid}/IncomingPhoneNumbers/${sid}.json`,
      subresource_uris: {},
    };
  }
}

function ownedNumber(account: Account, phoneNumber: string, startedAt: Date): OwnedNumber {
  return {
    sid: derivedSid('PN', account, phoneNumber),
    phoneNumber,
    updatedAt: startedAt,
    friendly_name: formatted(phoneNumber),
    voice_url: '',
    voice_method: 'POST',
    voice_fallback_url: '',
    voice_fallback_method: 'POST',
    voice_application_sid: '',
    voice_caller_id_lookup: false,
    voice_receive_mode: 'voice',
    status_callback: '',
    status_callback_method: 'POST',
    sms_url: '',
    sms_method: 'POST',
    sms_fallback_url: '',
    sms_fallback_method: 'POST',
    sms_application_sid: '',
    trunk_sid: null,
  };
}

/** An identifier that is the same in every run. */
function derivedSid(prefix: 'PN' | 'BU', account: Account, name: string): string {
  return prefix + createHash('md5').update(`${account.sid} ${name}`).digest('hex');
}

/** Twilio matches digits anywhere in the number, with `*` for any digits. */
function numberPattern(pattern: string): RegExp {
  const digits = pattern.replace(/[^0-9*]/g, '').replace(/\*/g, '\\d*');
  return new RegExp(pattern.startsWith('+') ? `^\\+${digits}${pattern.includes('*') ? '' : '$'}` : digits);
}
