import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { builtInAccounts } from '../accounts.ts';
import { type Stage, stage, twilioClient } from '../testing/application.ts';

const { trial, upgraded, approved } = builtInAccounts;
let on: Stage;
beforeEach(async () => {
  on = await stage();
});
afterEach(() => on.close());

describe('the account', () => {
  it('tells its type and state, and its balance', async () => {
    const account = await on.client.api.v2010.accounts(approved.sid).fetch();
    expect(account).toMatchObject({
      sid: approved.sid,
      type: 'Full',
      status: 'active',
      authToken: approved.authToken,
    });
    expect(await on.client.balance.fetch()).toMatchObject({ balance: '42.50', currency: 'USD' });
    const client = twilioClient(on.emulator, trial.sid, trial.authToken);
    expect((await client.api.v2010.accounts(trial.sid).fetch()).type).toBe('Trial');
  });

  it('knows no other resources', async () => {
    await expect(on.client.messages.list()).rejects.toMatchObject({ status: 404, code: 20404 });
    await expect(on.client.voice.v1.dialingPermissions.settings().fetch()).rejects.toMatchObject({
      status: 404,
    });
  });
});

describe('numbers', () => {
  it('are listed, filtered and paged', async () => {
    const all = await on.client.incomingPhoneNumbers.list({ pageSize: 5 });
    expect(all.map((number) => number.phoneNumber)).toEqual(approved.phoneNumbers);
    expect(all[0]).toMatchObject({
      friendlyName: '(202) 555-0183',
      capabilities: { voice: true, sms: true, mms: true, fax: false },
      voiceUrl: '',
    });
    expect(await on.client.incomingPhoneNumbers.list({ phoneNumber: '+12025550190' })).toHaveLength(1);
    expect(await on.client.incomingPhoneNumbers.list({ phoneNumber: '019' })).toHaveLength(10);
    expect(await on.client.incomingPhoneNumbers.list({ friendlyName: 'Nobody' })).toHaveLength(0);
  });

  it('can be pointed at an application and back', async () => {
    const [number] = await on.client.incomingPhoneNumbers.list({ limit: 1 });
    const updated = await on.client.incomingPhoneNumbers(number?.sid ?? '').update({
      voiceUrl: 'https://calls.example.test/voice',
      voiceMethod: 'GET',
      voiceApplicationSid: '',
      friendlyName: 'Main line',
    });
    expect(updated).toMatchObject({
      voiceUrl: 'https://calls.example.test/voice',
      friendlyName: 'Main line',
    });
    const fetched = await on.client.incomingPhoneNumbers(number?.sid ?? '').fetch();
    expect(fetched).toMatchObject({ voiceMethod: 'GET' });
  });

  it('refuse addresses, methods and names that are not valid, and change nothing', async () => {
    const [number] = await on.client.incomingPhoneNumbers.list({ limit: 1 });
    const update = on.client.incomingPhoneNumbers(number?.sid ?? '');
    await expect(update.update({ friendlyName: 'New', voiceUrl: 'nowhere' })).rejects.toMatchObject({
      code: 21502,
    });
    await expect(update.update({ voiceMethod: 'PUT' })).rejects.toMatchObject({ code: 21503 });
    await expect(update.update({ friendlyName: 'x'.repeat(65) })).rejects.toMatchObject({ code: 21500 });
    expect((await update.fetch()).friendlyName).toBe('(202) 555-0183');
    await expect(on.client.incomingPhoneNumbers(`PN${'0'.repeat(32)}`).fetch()).rejects.toMatchObject({
      status: 404,
    });
  });

  it('of others that are verified are listed as caller IDs', async () => {
    const ids = await on.client.outgoingCallerIds.list();
    expect(ids).toMatchObject([
      { phoneNumber: '+12125550101', sid: expect.stringMatching(/^PN[0-9a-f]{32}$/) },
    ]);
    const call = await on.client.calls.create({
      to: '+12025550110',
      from: '+12125550101',
      twiml: '<Response/>',
    });
    expect(call.status).toBe('queued');
  });
});

describe('the business profile', () => {
  it.each([
    [trial, []],
    [upgraded, ['in-review']],
    [approved, ['twilio-approved']],
  ])('of $name', async (account, statuses) => {
    const client = twilioClient(on.emulator, account.sid, account.authToken);
    const profiles = await client.trusthub.v1.customerProfiles.list();
    expect(profiles.map((profile) => profile.status)).toEqual(statuses);
    const inReview = await client.trusthub.v1.customerProfiles.list({ status: 'in-review' });
    expect(inReview).toHaveLength(statuses.filter((status) => status === 'in-review').length);
  });
});

describe('dialing permissions', () => {
  it('list the countries, and which are on', async () => {
    const { countries } = on.client.voice.v1.dialingPermissions;
    const enabled = await countries.list({ lowRiskNumbersEnabled: true });
    expect(enabled.map((country) => country.isoCode)).toEqual(['US', 'CA']);
    expect(await countries.list({ isoCode: 'GB' })).toMatchObject([
      { name: 'United Kingdom', countryCodes: ['+44'], lowRiskNumbersEnabled: false },
    ]);
    expect(await countries.list({ continent: 'EUROPE', pageSize: 2 })).toHaveLength(8);
  });
});
