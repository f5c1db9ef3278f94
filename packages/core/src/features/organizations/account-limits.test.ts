import { describe, expect, it } from 'vitest';
import { type AccountStanding, accountLimits } from './account-limits.ts';

const trial: AccountStanding = { accountType: 'trial', businessProfile: 'No Profile' };
const full: AccountStanding = { accountType: 'full', businessProfile: 'Profile In Review' };
const approved: AccountStanding = { accountType: 'full', businessProfile: 'Profile Approved' };

describe('account limits', () => {
  it('are the usual ones of the account when nothing is asked for', () => {
    expect(accountLimits(trial, {}, null)).toEqual({ callsPerSecond: 1, maximumConcurrentCalls: 4 });
    expect(accountLimits(full, {}, null)).toEqual({ callsPerSecond: 1, maximumConcurrentCalls: 4 });
    expect(accountLimits(approved, {}, null)).toEqual({ callsPerSecond: 1, maximumConcurrentCalls: null });
  });

  it('do not rise for a trial account whose profile is approved', () => {
    const standing: AccountStanding = { accountType: 'trial', businessProfile: 'Profile Approved' };
    expect(accountLimits(standing, {}, null).maximumConcurrentCalls).toBe(4);
  });

  it.each([
    [trial, { maximumConcurrentCalls: 1 }],
    [full, { maximumConcurrentCalls: 20 }],
    [approved, { callsPerSecond: 100, maximumConcurrentCalls: 500 }],
    [approved, { callsPerSecond: 1, maximumConcurrentCalls: null }],
  ])('are those asked for within the bounds', (standing, asked) => {
    expect(accountLimits(standing, asked, null)).toMatchObject(asked);
  });

  it.each([
    [trial, { callsPerSecond: 2 }],
    [trial, { maximumConcurrentCalls: 5 }],
    [trial, { maximumConcurrentCalls: null }],
    [full, { callsPerSecond: 2 }],
    [full, { maximumConcurrentCalls: 21 }],
    [full, { maximumConcurrentCalls: null }],
    [approved, { callsPerSecond: 101 }],
    [approved, { callsPerSecond: 0 }],
    [approved, { callsPerSecond: 1.5 }],
    [approved, { maximumConcurrentCalls: 0 }],
    [approved, { maximumConcurrentCalls: Number.NaN }],
  ])('refuse more than the account allows', (standing, asked) => {
    expect(() => accountLimits(standing, asked, null)).toThrow(
      expect.objectContaining({ code: 'validation_failed' }),
    );
  });

  it('follow the account when its standing changes', () => {
    const usual = { callsPerSecond: 1, maximumConcurrentCalls: 4 };
    expect(accountLimits(approved, {}, { ...trial, ...usual }).maximumConcurrentCalls).toBeNull();
    const low = { callsPerSecond: 1, maximumConcurrentCalls: 2 };
    expect(accountLimits(approved, {}, { ...trial, ...low }).maximumConcurrentCalls).toBe(2);
    const high = { callsPerSecond: 50, maximumConcurrentCalls: 300 };
    expect(accountLimits(approved, {}, { ...approved, ...high })).toEqual(high);
    expect(accountLimits(full, {}, { ...approved, ...high })).toEqual({
      callsPerSecond: 1,
      maximumConcurrentCalls: 20,
    });
    expect(
      accountLimits(trial, {}, { ...approved, callsPerSecond: 1, maximumConcurrentCalls: null }),
    ).toEqual(usual);
  });
});
