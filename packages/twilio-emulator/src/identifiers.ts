import { randomBytes } from 'node:crypto';

/** A new Twilio identifier: two letters that name the kind of thing, and 32 hex digits. */
export function newSid(prefix: 'CA' | 'RE' | 'MZ' | 'PN' | 'VX' | 'RQ' | 'BU'): string {
  return prefix + randomBytes(16).toString('hex');
}
