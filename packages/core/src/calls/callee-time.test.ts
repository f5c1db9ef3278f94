import { describe, expect, it } from 'vitest';
import { calleeTime } from './callee-time.ts';
import { timeZonesOf } from './time-zones.ts';

const now = new Date('2026-11-23T02:30:00Z');

describe('the time where the callee is', () => {
  it.each([
    ['+12025550123', 'It is Sunday, November 22, 2026, 9:30 PM (America/New_York) where the callee is.'],
    ['+14155550123', 'It is Sunday, November 22, 2026, 6:30 PM (America/Los_Angeles) where the callee is.'],
    ['+4930123456', 'It is Monday, November 23, 2026, 3:30 AM (Europe/Berlin) where the callee is.'],
    ['+442079460123', 'It is Monday, November 23, 2026, 2:30 AM (Europe/London) where the callee is.'],
    ['+34911234567', 'It is Monday, November 23, 2026, 3:30 AM (Europe/Madrid) where the callee is.'],
  ])('%s', (phone, expected) => {
    expect(calleeTime(phone, now)).toBe(expected);
  });

  it('is said to be one of several where the number does not tell', () => {
    const words = calleeTime('+18505550123', now);
    expect(words).toContain(
      '9:30 PM (America/New_York); or Sunday, November 22, 2026, 8:30 PM (America/Chicago)',
    );
    expect(words).toMatch(/name the time zone/);
    expect(timeZonesOf('+18005550123')).toHaveLength(4);
  });

  it('is universal time where nothing is known', () => {
    expect(calleeTime('browser', now)).toMatch(
      /^It is Monday, November 23, 2026, 2:30 AM \(UTC\)\..*not known/,
    );
  });

  it('knows zones that exist', () => {
    const numbers = ['+61212345678', '+61892345678', '+5511912345678', '+5592912345678', '+525512345678'];
    for (const number of [...numbers, '+79161234567', '+19075550123', '+18085550123', '+17095550123']) {
      expect(timeZonesOf(number).length, number).toBeGreaterThan(0);
      expect(() => calleeTime(number, now)).not.toThrow();
    }
  });
});
