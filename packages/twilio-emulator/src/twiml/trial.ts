import type { TwimlElement } from './document.ts';

/** What a trial account hears instead of a document that uses something it may not. */
export const trialNotice =
  'This feature is not available to trial accounts. Please upgrade the account to use it. Goodbye.';

/** Limits of trial accounts. */
export const trialLimits = { documents: 10, fetchMs: 5000, callSeconds: 600 } as const;

const blocked = new Set([
  'Record',
  'Recording',
  'Stream',
  'ConversationRelay',
  'VirtualAgent',
  'Siprec',
  'Refer',
  'Pay',
  'Number',
  'Sip',
  'Client',
  'Application',
  'WhatsApp',
]);

/** Whether the element, or one inside it, is refused to trial accounts. */
export function isBlockedOnTrial(element: TwimlElement): boolean {
  if (blocked.has(element.name)) return true;
  if (element.name === 'Dial' && element.children.length === 0) return true;
  return element.children.some(isBlockedOnTrial);
}
