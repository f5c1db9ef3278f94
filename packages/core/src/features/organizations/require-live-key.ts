import { CallkiteError } from '../../kernel/errors.ts';
import type { Principal } from '../../kernel/mode.ts';

/** Test keys lie about in test environments: one must not be enough to obtain a live key. Throws `forbidden`. */
export function requireLiveKey(caller: Principal): void {
  if (caller.mode !== 'live') throw new CallkiteError('forbidden', 'Manage keys with a live API key');
}
