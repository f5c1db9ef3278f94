import type { Storage } from '@callkite/core';
import { assertCaught, storageContract, testsOf } from '@callkite/core/testing';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { testStorage } from '../../../test/test-storage.ts';
import { acceptingMistakes } from './testing/mistakes/accepting.ts';
import { deliveryMistakes } from './testing/mistakes/deliveries.ts';
import { dialingMistakes } from './testing/mistakes/dialing.ts';
import { erasureMistakes } from './testing/mistakes/erasing.ts';
import { jobMistakes } from './testing/mistakes/jobs.ts';
import type { Break } from './testing/mistakes/mistake.ts';
import { modeMistakes } from './testing/mistakes/modes.ts';
import { organizationMistakes } from './testing/mistakes/organizations.ts';
import { recordMistakes, reportMistakes } from './testing/mistakes/reports.ts';

const mistakes = [
  ...acceptingMistakes,
  ...dialingMistakes,
  ...reportMistakes,
  ...recordMistakes,
  ...erasureMistakes,
  ...jobMistakes,
  ...deliveryMistakes,
  ...organizationMistakes,
  ...modeMistakes,
];

let good: Storage;
beforeAll(async () => {
  good = testStorage();
  await good.start();
});
afterAll(() => good.stop());

const contractWith = (breakIt: Break) =>
  testsOf((register) => storageContract({ it: register, createStorage: async () => breakIt(good) }));

describe('the contract of storage', () => {
  it('passes with a store that makes no mistake', async () => {
    const tests = contractWith((storage) => ({ ...storage }));
    for (const name of new Set(mistakes.map(([, caughtBy]) => caughtBy))) await tests.get(name)?.();
    expect(new Set(mistakes.map(([what]) => what)).size).toBe(mistakes.length);
  });
});

describe('the contract of storage notices a store that', () => {
  // What one broken store left behind is not to be what gives the next one away.
  afterEach(() => good.calls.adoptOrphans());

  it.each(mistakes)('%s', async (_, caughtBy, breakIt) => {
    await assertCaught(contractWith(breakIt), caughtBy);
  });
});
