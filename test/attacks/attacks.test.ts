import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { attacks, premiumNumber, strangerNumber } from './attacks.ts';
import { expectPolicyToHold } from './policy.ts';
import { type AttackStage, frontDesk, startAttackStage } from './stage.ts';

// All calls are under way from the start.
vi.setConfig({ testTimeout: 120_000 });

let stage: AttackStage;
beforeAll(async () => {
  stage = await startAttackStage({ attacks, voiceMode: 'relay', speed: 20, callsAtOnce: 14 });
});
afterAll(() => stage.stop());

describe.each(attacks)('$group: the callee $name', (attack) => {
  it('and the rules of the call hold', async () => {
    expectPolicyToHold(attack, await stage.played(attack));
  });
});

it('there are enough of them, with different names', () => {
  expect(new Set(attacks.map(({ group, name }) => `${group} ${name}`)).size).toBe(attacks.length);
  expect(attacks.length).toBeGreaterThanOrEqual(60);
});

it('no number was rung that nobody configured, and nobody twice', async () => {
  await Promise.allSettled(attacks.map((attack) => stage.played(attack)));
  const rung = stage.dialed().map(({ to }) => to);
  expect(rung).not.toContain(premiumNumber);
  expect(rung).not.toContain(strangerNumber);
  const callee = /^\+131255501\d\d$/;
  expect(rung.filter((to) => to !== frontDesk && to !== '+12025550100' && !callee.test(to))).toEqual([]);
  const attacked = rung.filter((to) => callee.test(to));
  expect(new Set(attacked).size).toBe(attacked.length);
});
