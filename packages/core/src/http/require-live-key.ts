import { CallkiteError } from '../errors.ts';
import type { Caller } from '../organizations/organizations.ts';

/** Test keys lie about in test environments: one must not be enough to obtain a live key. Throws `forbidden`. */
export function requireLiveKey(caller: Caller): void {
  if (caller.mode !== 'live') throw new CallkiteError('forbidden', 'Manage keys with a live API key');
}
