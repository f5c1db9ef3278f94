import assert from 'node:assert/strict';
import type { TestFunction } from './telephony-contract.ts';

/** The tests of a contract by their names. */
export type ContractTests = ReadonlyMap<string, () => Promise<void>>;

/**
 * The tests of a contract, to be run one at a time: against an adapter that is broken on purpose, to see that the
 * contract notices.
 *
 * @example
 * const tests = testsOf((it) => telephonyContract({ it, createFixture: async () => brokenOnPurpose() }));
 * await assertCaught(tests, 'places a call, with one request');
 */
export function testsOf(contract: (it: TestFunction) => void): ContractTests {
  const tests = new Map<string, () => Promise<void>>();
  contract((name, run) => {
    assert.ok(!tests.has(name), `two tests are called "${name}"`);
    tests.set(name, run);
  });
  return tests;
}

/** What a broken adapter may throw, to be told from a test that fails for another reason. */
export class BrokenOnPurpose extends Error {
  override readonly name = 'BrokenOnPurpose';
}

/** Fails unless the test does: by an assertion of its own, or because the adapter threw `BrokenOnPurpose`. */
export async function assertCaught(tests: ContractTests, name: string): Promise<void> {
  const test = tests.get(name);
  assert.ok(test !== undefined, `the contract has no test "${name}"`);
  const failure: unknown = await test().then(
    () => null,
    (error: unknown) => error,
  );
  assert.ok(failure !== null, `"${name}" passes with a broken adapter`);
  const isMeant = failure instanceof assert.AssertionError || failure instanceof BrokenOnPurpose;
  if (!isMeant) throw failure;
}
