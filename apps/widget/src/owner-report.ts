import type { ErrorCode } from './call-state.ts';

/** What only the owner of the page can mend. */
const ofOwner: readonly ErrorCode[] = [
  'key_invalid',
  'origin_not_allowed',
  'workflow_disabled',
  'budget_used_up',
  'microphone_blocked_by_site',
  'insecure_context',
];

/** Says in the console what the owner of the page has to do; what visitors can see to themselves is not said there. */
export function reportTo(log: Pick<Console, 'warn'>, code: ErrorCode, message: string): void {
  if (ofOwner.includes(code)) log.warn(`<callkite-widget> ${code}: ${message}`);
}
