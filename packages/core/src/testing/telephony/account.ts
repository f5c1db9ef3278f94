import assert from 'node:assert/strict';
import { CallkiteError } from '../../kernel/errors.ts';
import { assertHolds, type FixtureTest } from './fixture.ts';

export function accountContract(test: FixtureTest): void {
  test('describes an account', async (fixture) => {
    const facts = await fixture.telephony.describeAccount(fixture.account);
    assertHolds(facts, { accountId: fixture.account.accountId, active: true });
  });

  test('refuses to describe an account whose secret is wrong', async (fixture) => {
    const account = { ...fixture.account, secret: 'not-the-secret' };
    await assert.rejects(fixture.telephony.describeAccount(account), (error) => {
      assert.ok(CallkiteError.isInstance(error));
      assert.equal(error.code, 'provider_rejected');
      assert.ok(!JSON.stringify(error).includes('not-the-secret'));
      return true;
    });
  });

  test('lists the numbers of an account', async (fixture) => {
    const numbers = await fixture.telephony.listNumbers(fixture.account);
    const own = numbers.find((number) => number.phoneNumber === fixture.from);
    assert.equal(own?.canCall, true);
  });
}
