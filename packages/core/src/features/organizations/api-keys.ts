import { createHash, randomInt, timingSafeEqual } from 'node:crypto';
import { crc32 } from 'node:zlib';
import type { Mode } from '../../kernel/mode.ts';

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** Finds Callkite API keys in text; meant for secret scanners, which can rule out chance hits with the checksum. */
export const apiKeyPattern = /\bck_(live|test)_([0-9A-Za-z]{8})[0-9A-Za-z]{32}([0-9A-Za-z]{6})\b/;

const wholeKey = new RegExp(`^${apiKeyPattern.source}$`);

export interface ParsedApiKey {
  readonly mode: Mode;
  /** Not secret: finds the stored record, and may be logged. */
  readonly lookupId: string;
}

/**
 * A new key: `ck_live_` or `ck_test_`, 8 characters to look it up by, 32 secret ones (190 bits), and a CRC-32 of
 * everything before it in 6 characters. All of `0-9A-Za-z`.
 */
export function createApiKey(mode: Mode): ParsedApiKey & { readonly key: string } {
  const lookupId = randomText(8);
  const unchecked = `ck_${mode}_${lookupId}${randomText(32)}`;
  return { mode, lookupId, key: unchecked + checksum(unchecked) };
}

/** Reads a key without asking the store; `null` when it is mistyped, cut short or no key at all. */
export function parseApiKey(key: string): ParsedApiKey | null {
  const [, mode, lookupId, sum] = wholeKey.exec(key) ?? [];
  if (!mode || !lookupId || sum !== checksum(key.slice(0, -6))) return null;
  return { mode: mode as Mode, lookupId };
}

/** SHA-256 as hex. A slow hash would add nothing: the key has more chance in it than anybody can try. */
export function hashApiKey(key: string): string {
  return createHash('sha256').update(key).digest('hex');
}

const nobody = hashApiKey('');

/** Compares in constant time; with `null`, for an unknown key, it takes as long and is `false`. */
export function matchesHash(key: string, hash: string | null): boolean {
  const equal = timingSafeEqual(Buffer.from(hashApiKey(key), 'hex'), Buffer.from(hash ?? nobody, 'hex'));
  return equal && hash !== null;
}

function randomText(length: number): string {
  return Array.from({ length }, () => alphabet[randomInt(alphabet.length)]).join('');
}

function checksum(text: string): string {
  let rest = crc32(text);
  let digits = '';
  for (let index = 0; index < 6; index += 1) {
    digits = alphabet[rest % 62] + digits;
    rest = Math.floor(rest / 62);
  }
  return digits;
}
