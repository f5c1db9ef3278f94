import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { connectionSecretContext, createSecretBox } from './secret-box.ts';

const secretKey = randomBytes(32).toString('base64');
const context = connectionSecretContext({ organizationId: 'org_1', mode: 'live', accountId: 'AC1' });

describe('secret box', () => {
  it('opens what it sealed, and seals the same text differently each time', () => {
    const box = createSecretBox(secretKey);
    for (const text of ['', 'token', 'späß 🔑', 'x'.repeat(10_000)]) {
      const sealed = box.seal(text, context);
      expect(box.open(sealed, context)).toBe(text);
      expect(box.seal(text, context)).not.toBe(sealed);
      expect(createSecretBox(secretKey).open(sealed, context)).toBe(text);
    }
  });

  it('opens nothing for another context, with another key, or after any change', () => {
    const box = createSecretBox(secretKey);
    const sealed = box.seal('token', context);
    const failure = expect.objectContaining({ code: 'internal' });
    expect(() => box.open(sealed, `${context}0`)).toThrow(failure);
    expect(() => createSecretBox(randomBytes(32).toString('base64')).open(sealed, context)).toThrow(failure);
    expect(() => box.open(sealed.replace('v1.', 'v2.'), context)).toThrow(failure);
    expect(() => box.open('', context)).toThrow(failure);
    const bytes = Buffer.from(sealed.slice(3), 'base64url');
    for (let index = 0; index < bytes.length; index += 1) {
      const changed = Buffer.from(bytes);
      changed.writeUInt8(bytes.readUInt8(index) ^ 1, index);
      expect(() => box.open(`v1.${changed.toString('base64url')}`, context)).toThrow(failure);
    }
  });

  it('keeps the digests of different purposes and keys apart', () => {
    const box = createSecretBox(secretKey);
    expect(box.hmac('attempt', 'att_1')).toBe(createSecretBox(secretKey).hmac('attempt', 'att_1'));
    expect(box.hmac('attempt', 'att_1')).not.toBe(box.hmac('other', 'att_1'));
    expect(box.hmac('attempt', 'att_1')).not.toBe(
      createSecretBox(randomBytes(32).toString('base64')).hmac('attempt', 'att_1'),
    );
  });

  it.each([
    '',
    'short',
    randomBytes(31).toString('base64'),
    randomBytes(33).toString('base64'),
    `${secretKey} `,
  ])('refuses to work with a key of the wrong shape', (wrong) => {
    expect(() => createSecretBox(wrong)).toThrow(/32 bytes in base64/);
  });
});
