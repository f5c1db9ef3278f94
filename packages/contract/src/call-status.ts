import * as z from 'zod';

/** Where a call stands. `completed` is the only end; how it ended is the pair of the two statuses below. */
export const callState = z
  .enum(['queued', 'dialing', 'unknown', 'ringing', 'in_progress', 'completed'])
  .describe(
    'Where the call stands. `unknown`: the carrier did not confirm that it took the call, and is being asked. `completed` is final',
  );
export type CallState = z.infer<typeof callState>;

/** What came of a call. */
export const callStatus = z
  .enum(['success', 'not_picked_up', 'voicemail'])
  .describe('The outcome of the call. `voicemail`: a machine answered, and nobody came to the phone');
export type CallStatus = z.infer<typeof callStatus>;

/** How the carrier's side of a call ended. */
export const providerStatus = z
  .enum(['completed', 'no-answer', 'busy', 'failed', 'canceled'])
  .describe(
    "How the call ended on the carrier's side. `failed`: a bad number, an error at the carrier, or what `reason` of the call says",
  );
export type ProviderStatus = z.infer<typeof providerStatus>;

/** Why a call ended the way it did, where the pair alone does not say. */
export const callReason = z.enum([
  'invalid_number',
  'carrier_rejected',
  'carrier_unavailable',
  'carrier_record_missing',
  'carrier_record_stuck',
  'placement_unconfirmed',
  'agent_unavailable',
  'blocked_dnc',
  'blocked_destination',
  'spending_limit',
  'canceled_by_request',
  'opted_out',
  'callee_silent',
  'mailbox_full',
  'call_screened',
  'menu_too_deep',
  'time_limit',
  'connection_lost',
  'internal',
]);
export type CallReason = z.infer<typeof callReason>;

/** One of the six ways a call can end; no other pair exists. */
export type CallOutcome =
  | { callStatus: 'success'; providerStatus: 'completed' }
  | { callStatus: 'voicemail'; providerStatus: 'completed' }
  | { callStatus: 'not_picked_up'; providerStatus: 'no-answer' | 'busy' | 'failed' | 'canceled' };
