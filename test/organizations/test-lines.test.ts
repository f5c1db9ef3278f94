import { createCallkite, type EmulatedAccount } from '@callkite/core';
import { builtInAccounts } from '@callkite/twilio-emulator';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Embedded, startEmbedded } from '../embedded.ts';

const { approved, trial } = builtInAccounts;
let embedded: Embedded;

beforeEach(async () => {
  embedded = await startEmbedded();
});
afterEach(() => embedded.stop());

async function organization(): Promise<{ organizationId: string; mode: 'test' }> {
  const { id: organizationId } = await embedded.callkite.organizations.create({ name: 'Second Dental' });
  return { organizationId, mode: 'test' };
}

const place = (scope: { organizationId: string; mode: 'live' | 'test' }) =>
  embedded.callkite.calls.prompt(
    { ...scope, keyId: 'none' },
    { prompt: 'Ask whether they are open.', recipientPhone: '+12025550103' },
  );

describe('an organization that connected nothing', () => {
  it('has a number in test mode, and none in live mode', async () => {
    const test = await organization();
    const live = { ...test, mode: 'live' } as const;
    const { organizations } = embedded.callkite;
    expect(await organizations.listNumbers(test)).toMatchObject([{ mode: 'test', isDefault: true }]);
    expect(await organizations.listConnections(live)).toEqual([]);
    await expect(place(test)).resolves.toMatchObject({ replayed: false });
    await expect(place(live)).rejects.toMatchObject({ code: 'no_usable_number' });
  });

  it('has one again for the next test call when it let go of it, or was created before there was one', async () => {
    const test = await organization();
    const { organizations } = embedded.callkite;
    const [connection] = await organizations.listConnections(test);
    await organizations.deleteConnection(test, connection?.id ?? '');
    expect(await organizations.listNumbers(test)).toEqual([]);
    await expect(place(test)).resolves.toMatchObject({ replayed: false });
    expect(await organizations.listNumbers(test)).toHaveLength(1);
  });

  it('keeps to an account of its own once it connected one', async () => {
    const test = await organization();
    const { organizations } = embedded.callkite;
    const own = await organizations.connectCarrier(test, { accountId: trial.sid, secret: trial.authToken });
    const [given] = (await organizations.listConnections(test)).filter(({ id }) => id !== own.id);
    await organizations.deleteConnection(test, given?.id ?? '');
    await expect(place(test)).rejects.toMatchObject({ code: 'no_usable_number' });
    expect(await organizations.listConnections(test)).toEqual([own]);
  });
});

it('no real carrier is taken for the calls of all test keys', async () => {
  const account: EmulatedAccount = {
    accountId: approved.sid,
    secret: approved.authToken,
    phoneNumber: approved.phoneNumbers[0] ?? '',
  };
  const telephony = { network: 'https://api.twilio.com' } as never;
  const languageModel = {} as never;
  expect(() =>
    createCallkite({
      storage: {} as never,
      telephony,
      languageModel,
      test: { telephony, languageModel, account },
      publicUrl: 'http://127.0.0.1:1',
      secretKey: Buffer.alloc(32).toString('base64'),
    }),
  ).toThrow(/test\.account: must belong to an emulated carrier/);
});
