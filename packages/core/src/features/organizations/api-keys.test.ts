import { describe, expect, it } from 'vitest';
import { apiKeyPattern, createApiKey, hashApiKey, matchesHash, parseApiKey } from './api-keys.ts';

describe('API keys', () => {
  it('name their mode and their lookup id, and are all different', () => {
    for (const mode of ['live', 'test'] as const) {
      const keys = Array.from({ length: 200 }, () => createApiKey(mode));
      expect(new Set(keys.map(({ key }) => key)).size).toBe(200);
      for (const { key, lookupId } of keys) {
        expect(key).toMatch(new RegExp(`^ck_${mode}_[0-9A-Za-z]{46}$`));
        expect(key).toMatch(apiKeyPattern);
        expect(parseApiKey(key)).toEqual({ mode, lookupId });
      }
    }
  });

  it('are refused offline when any character is changed, missing or added', () => {
    const { key } = createApiKey('live');
    for (let index = 0; index < key.length; index += 1) {
      const other = key[index] === 'A' ? 'B' : 'A';
      expect(parseApiKey(key.slice(0, index) + other + key.slice(index + 1))).toBeNull();
    }
    expect(parseApiKey(key.slice(0, -1))).toBeNull();
    expect(parseApiKey(`${key}A`)).toBeNull();
    expect(parseApiKey(` ${key}`)).toBeNull();
    expect(parseApiKey(`${key}\n`)).toBeNull();
    expect(parseApiKey(key.replace('ck_live_', 'ck_test_'))).toBeNull();
    expect(parseApiKey('')).toBeNull();
  });

  it('have a known checksum, so that other programs can compute it', () => {
    // CRC-32 of the text before it is 559501440 (as zlib has it), which is brbsm in base 62.
    const key = `ck_live_${'a'.repeat(8)}${'0'.repeat(32)}0brbsm`;
    expect(parseApiKey(key)).toEqual({ mode: 'live', lookupId: 'aaaaaaaa' });
  });

  it('match their own hash only, and never a missing one', () => {
    const { key } = createApiKey('live');
    expect(matchesHash(key, hashApiKey(key))).toBe(true);
    expect(matchesHash(key, hashApiKey(createApiKey('live').key))).toBe(false);
    expect(matchesHash(key, null)).toBe(false);
    expect(matchesHash('', null)).toBe(false);
  });
});
