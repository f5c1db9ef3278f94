import type { AnsweredBy } from '@callkite/core';
import * as z from 'zod';

export const callStatus = z.enum([
  'queued',
  'initiated',
  'ringing',
  'in-progress',
  'completed',
  'busy',
  'no-answer',
  'failed',
  'canceled',
]);

/** The verdict of machine detection (`machine_end_beep` and the like); `null` when there is none. */
export function answeredByOf(verdict: string | null | undefined): AnsweredBy | null {
  if (verdict === null || verdict === undefined || verdict === '') return null;
  if (verdict.startsWith('machine_')) return 'machine';
  return verdict === 'human' || verdict === 'fax' ? verdict : 'unknown';
}

/** Twilio writes whole numbers as text, in webhooks and in REST answers alike. */
export function wholeNumberOf(text: string | number | null | undefined): number | null {
  if (text === null || text === undefined || text === '') return null;
  const number = Number(text);
  return Number.isSafeInteger(number) ? number : null;
}
