import { createHmac } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { createAttemptTokens } from './attempt-token.ts';

const tokens = createAttemptTokens((text) => [createHmac('sha256', 'key').update(text).digest('base64url')]);

describe('attempt tokens', () => {
  it('give the attempt back', () => {
    const token = tokens.issue('att_0123456789abcdefghjkmnpqrs');
    expect(token).toMatch(/^[\w.-]{1,100}$/);
    expect(tokens.verify(token)).toBe('att_0123456789abcdefghjkmnpqrs');
  });

  it.each(['', '.', 'att_1', 'att_1.', '.abc', `att_1.${'a'.repeat(32)}`, 'a'.repeat(200)])(
    'that we did not issue are refused: %j',
    (token) => {
      expect(tokens.verify(token)).toBeNull();
    },
  );

  it('do not carry over to another attempt', () => {
    const [, digest] = tokens.issue('att_1').split('.');
    expect(tokens.verify(`att_2.${digest}`)).toBeNull();
  });
});
