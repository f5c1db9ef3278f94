import type { BusinessProfileStatus, CarrierAccountFacts, CarrierNumber } from '@callkite/core';
import type { RestClient } from './rest-client.ts';
import { toCallkiteError } from './rest-failure.ts';

/** Trust Hub's statuses, best first: an account may have several profiles. */
const profileStatuses: readonly (readonly [string, BusinessProfileStatus])[] = [
  ['twilio-approved', 'Profile Approved'],
  ['in-review', 'Profile In Review'],
  ['pending-review', 'Profile Pending'],
  ['draft', 'Profile Draft'],
  ['twilio-rejected', 'Profile Rejected'],
];
const MAXIMUM_PROFILES = 100;

export async function describeAccount(client: RestClient, accountId: string): Promise<CarrierAccountFacts> {
  try {
    const [account, businessProfile] = await Promise.all([
      client.api.v2010.accounts(accountId).fetch(),
      businessProfileOf(client),
    ]);
    return {
      accountId: account.sid,
      name: account.friendlyName,
      type: account.type === 'Trial' ? 'trial' : 'full',
      active: account.status === 'active',
      businessProfile,
    };
  } catch (error) {
    throw toCallkiteError(error);
  }
}

export async function listNumbers(client: RestClient): Promise<readonly CarrierNumber[]> {
  try {
    const numbers = await client.incomingPhoneNumbers.list({ pageSize: 1000 });
    return numbers.map((number) => ({
      providerNumberId: number.sid,
      phoneNumber: number.phoneNumber,
      canCall: number.capabilities?.voice === true,
      canText: number.capabilities?.sms === true,
    }));
  } catch (error) {
    throw toCallkiteError(error);
  }
}

async function businessProfileOf(client: RestClient): Promise<BusinessProfileStatus> {
  try {
    const profiles = await client.trusthub.v1.customerProfiles.list({ limit: MAXIMUM_PROFILES });
    if (profiles.length === 0) return 'No Profile';
    const best = profileStatuses.find(([status]) => profiles.some((profile) => profile.status === status));
    return best?.[1] ?? 'Profile Error';
  } catch {
    return 'Profile Error';
  }
}
