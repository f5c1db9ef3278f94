import { randomBytes } from 'node:crypto';
import {
  CallkiteError,
  type CarrierAccount,
  type CarrierAccountFacts,
  type CarrierNumber,
  type Organizations,
  type Storage,
  silentLogger,
} from '@callkite/core';
import { Keyv } from 'keyv';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createOrganizations } from '../../packages/core/src/features/organizations/organizations.ts';
import { createCache } from '../../packages/core/src/kernel/cache.ts';
import { createSecretBox } from '../../packages/core/src/kernel/secret-box.ts';
import { testStorage } from '../test-storage.ts';

/** One carrier account that accepts one secret. */
const carrier = {
  network: 'example',
  account: { accountId: 'AC1', secret: 'right' } as CarrierAccount,
  facts: {} as Omit<CarrierAccountFacts, 'accountId'>,
  numbers: [] as CarrierNumber[],
  async describeAccount(account: CarrierAccount): Promise<CarrierAccountFacts> {
    carrier.verify(account);
    return { ...carrier.facts, accountId: account.accountId };
  },
  async listNumbers(account: CarrierAccount): Promise<readonly CarrierNumber[]> {
    carrier.verify(account);
    return carrier.numbers;
  },
  verify({ accountId, secret }: CarrierAccount): void {
    if (accountId !== carrier.account.accountId || secret !== carrier.account.secret) {
      throw new CallkiteError('provider_rejected', 'wrong credentials');
    }
  },
};

let storage: Storage;
let organizations: Organizations;
let organizationId: string;

beforeAll(async () => {
  storage = testStorage();
  await storage.start();
  organizations = createOrganizations({
    storage,
    defaultDailyMinutes: 3000,
    telephonyFor: (mode) => (mode === 'live' ? carrier : null),
    secretBox: createSecretBox(randomBytes(32).toString('base64')),
    cache: createCache(new Keyv(), silentLogger),
    onCreated: async () => undefined,
  });
});

afterAll(() => storage.stop());

beforeEach(async () => {
  organizationId = (await organizations.create({ name: 'Example' })).id;
  carrier.account = { accountId: 'AC1', secret: 'right' };
  carrier.facts = { name: 'Account', type: 'trial', active: true, businessProfile: 'No Profile' };
  carrier.numbers = [
    { providerNumberId: 'PN1', phoneNumber: '+12025550100', canCall: true, canText: true },
    { providerNumberId: 'PN2', phoneNumber: '+12025550101', canCall: false, canText: true },
  ];
});

const connect = (limits: { callsPerSecond?: number; maximumConcurrentCalls?: number | null } = {}) =>
  organizations.connectCarrier({ organizationId, mode: 'live' }, { ...carrier.account, ...limits });

const notFound = { code: 'not_found' };

describe('organizations', () => {
  it('may call the United States and Canada unless told otherwise', async () => {
    expect(await organizations.get(organizationId)).toMatchObject({ allowedCountries: ['US', 'CA'] });
    const other = await organizations.create({ name: 'Other', allowedCountries: ['GB', 'GB'] });
    expect(other.allowedCountries).toEqual(['GB']);
    for (const allowedCountries of [[], ['us'], ['UK'], ['US', 'XX']]) {
      await expect(organizations.create({ name: 'Wrong', allowedCountries })).rejects.toMatchObject({
        code: 'validation_failed',
      });
    }
    await expect(organizations.get('org_unknown')).rejects.toMatchObject(notFound);
  });
});

describe('API keys', () => {
  it('work until they are revoked, which takes effect at once', async () => {
    const { record, key } = await organizations.createApiKey(organizationId, { mode: 'live', name: 'main' });
    expect(JSON.stringify(await storage.organizations.findApiKey(record.lookupId))).not.toContain(key);
    for (let time = 0; time < 2; time += 1) {
      expect(await organizations.authenticate(key)).toEqual({
        organizationId,
        mode: 'live',
        keyId: record.id,
      });
    }
    await organizations.revokeApiKey(organizationId, record.id);
    await expect(organizations.authenticate(key)).rejects.toMatchObject({ code: 'unauthenticated' });
  });

  it('cannot be created for a mode without a carrier, or for nobody', async () => {
    await expect(
      organizations.createApiKey(organizationId, { mode: 'test', name: 'main' }),
    ).rejects.toMatchObject({ code: 'validation_failed' });
    await expect(
      organizations.createApiKey('org_unknown', { mode: 'live', name: 'main' }),
    ).rejects.toMatchObject(notFound);
  });

  it('are revoked by their own organization only', async () => {
    const { record, key } = await organizations.createApiKey(organizationId, { mode: 'live', name: 'main' });
    const other = await organizations.create({ name: 'Other' });
    await expect(organizations.revokeApiKey(other.id, record.id)).rejects.toMatchObject(notFound);
    await organizations.authenticate(key);
  });
});

describe('carrier connections', () => {
  it('are stored after the carrier accepted the credentials, sealed, with the limits of the account', async () => {
    const connection = await connect();
    expect(connection).toMatchObject({
      accountName: 'Account',
      accountType: 'trial',
      callsPerSecond: 1,
      maximumConcurrentCalls: 4,
      status: 'active',
    });
    expect(connection.sealedSecret).not.toContain('right');
    expect(await organizations.listConnections({ organizationId, mode: 'live' })).toHaveLength(1);
  });

  it('are not stored when the carrier refuses, the account is closed, or too much is asked for', async () => {
    await expect(
      organizations.connectCarrier({ organizationId, mode: 'live' }, { accountId: 'AC1', secret: 'wrong' }),
    ).rejects.toMatchObject({ code: 'provider_rejected' });
    await expect(connect({ callsPerSecond: 2 })).rejects.toMatchObject({
      code: 'validation_failed',
      details: { calls_per_second: [expect.any(String)] },
    });
    carrier.facts = { ...carrier.facts, active: false };
    await expect(connect()).rejects.toMatchObject({ code: 'provider_rejected' });
    expect(await organizations.listConnections({ organizationId, mode: 'live' })).toEqual([]);
  });

  it('are updated when the same account is connected again, by racing requests too', async () => {
    carrier.facts = { ...carrier.facts, type: 'full', businessProfile: 'Profile Approved' };
    await Promise.all([connect({ callsPerSecond: 5 }), connect({ callsPerSecond: 5 })]);
    carrier.account = { accountId: 'AC1', secret: 'rotated' };
    const again = await connect();
    expect(again).toMatchObject({ callsPerSecond: 5, maximumConcurrentCalls: null });
    expect(await organizations.listConnections({ organizationId, mode: 'live' })).toEqual([again]);
    expect(await organizations.listCarrierNumbers({ organizationId, mode: 'live' }, again.id)).toHaveLength(
      2,
    );
  });

  it('follow the account when refreshed', async () => {
    const { id } = await connect();
    carrier.facts = { ...carrier.facts, type: 'full', businessProfile: 'Profile Approved' };
    expect(await organizations.refreshConnection({ organizationId, mode: 'live' }, id)).toMatchObject({
      accountType: 'full',
      maximumConcurrentCalls: null,
    });
  });

  it('are paused when the carrier refuses them, until they are verified again', async () => {
    const { id } = await connect();
    carrier.account = { accountId: 'AC1', secret: 'rotated' };
    await expect(organizations.refreshConnection({ organizationId, mode: 'live' }, id)).rejects.toMatchObject(
      {
        code: 'provider_rejected',
      },
    );
    expect(await organizations.listConnections({ organizationId, mode: 'live' })).toMatchObject([
      { status: 'paused' },
    ]);
    expect(await connect()).toMatchObject({ id, status: 'active' });
  });

  it('belong to their organization', async () => {
    const { id } = await connect();
    const other = (await organizations.create({ name: 'Other' })).id;
    await expect(
      organizations.refreshConnection({ organizationId: other, mode: 'live' }, id),
    ).rejects.toMatchObject(notFound);
    await expect(
      organizations.deleteConnection({ organizationId: other, mode: 'live' }, id),
    ).rejects.toMatchObject(notFound);
    await expect(
      organizations.listCarrierNumbers({ organizationId: other, mode: 'live' }, id),
    ).rejects.toMatchObject(notFound);
    await expect(
      organizations.connectNumber({ organizationId: other, mode: 'live' }, id, '+12025550100'),
    ).rejects.toMatchObject(notFound);
    await organizations.deleteConnection({ organizationId, mode: 'live' }, id);
    expect(await organizations.listConnections({ organizationId, mode: 'live' })).toEqual([]);
  });
});

describe('numbers', () => {
  it('are connected when the account owns them and they can place calls', async () => {
    const { id } = await connect();
    const number = await organizations.connectNumber({ organizationId, mode: 'live' }, id, '+12025550100');
    expect(number).toMatchObject({ mode: 'live', providerNumberId: 'PN1', isDefault: true });
    expect(await organizations.listCarrierNumbers({ organizationId, mode: 'live' }, id)).toMatchObject([
      { phoneNumber: '+12025550100', connected: true },
      { phoneNumber: '+12025550101', connected: false },
    ]);
    await expect(
      organizations.connectNumber({ organizationId, mode: 'live' }, id, '+12025550101'),
    ).rejects.toMatchObject({
      code: 'validation_failed',
    });
    await expect(
      organizations.connectNumber({ organizationId, mode: 'live' }, id, '+12025550199'),
    ).rejects.toMatchObject(notFound);
    await organizations.disconnectNumber({ organizationId, mode: 'live' }, number.id);
    expect(await organizations.listNumbers({ organizationId, mode: 'live' })).toEqual([]);
    await expect(
      organizations.disconnectNumber({ organizationId, mode: 'live' }, number.id),
    ).rejects.toMatchObject(notFound);
  });
});
