import type { CallOutcome } from '@callkite/contract';
import { type AttemptRecord, answeredByHeard, type CallRecord } from '@callkite/core';
import { type Selectable, sql } from 'kysely';
import type { AttemptRow, CallRow } from '../schema.ts';

export type StoredCall = Selectable<CallRow>;
export type StoredAttempt = Selectable<AttemptRow> & { readonly age_ms: number };

/** An attempt that may still ring, or is ringing or talking: it takes a place of the line. */
export const isLive = sql<boolean>`state in ('intent', 'placed', 'unknown')`;

export const attemptAge = sql<number>`(extract(epoch from clock_timestamp() - intent_at) * 1000)::double precision`;

export function toCall(row: StoredCall): CallRecord {
  return {
    id: row.id,
    organizationId: row.organization_id,
    mode: row.mode,
    origin: row.origin,
    workflowId: row.workflow_id,
    workflowVersion: row.workflow_version,
    workflowName: row.workflow_name,
    connectionId: row.connection_id,
    from: row.from_number,
    to: row.to_number,
    recipientName: row.recipient_name,
    recipientEmail: row.recipient_email,
    recipientContext: row.recipient_context,
    prompt: row.prompt,
    callbackUrl: row.callback_url,
    sealedCallbackSecret: row.sealed_callback_secret,
    state: row.state,
    outcome: outcomeOf(row),
    reason: row.reason,
    answeredBy: answeredByHeard(row.heard, row.answered_by),
    heard: row.heard,
    voicemailMessage: row.voicemail_message,
    cancelRequested: row.cancel_requested,
    conversationOver: row.conversation_over,
    summary: row.summary,
    createdAt: row.created_at,
    answeredAt: row.answered_at,
    endedAt: row.ended_at,
    durationSeconds: row.duration_seconds,
    erasedAt: row.erased_at,
  };
}

function outcomeOf(row: StoredCall): CallOutcome | null {
  // The two columns are only ever written together, from a `CallOutcome`.
  return row.call_status === null
    ? null
    : ({ callStatus: row.call_status, providerStatus: row.provider_status } as CallOutcome);
}

export function toAttempt(row: StoredAttempt): AttemptRecord {
  return {
    id: row.id,
    callId: row.call_id,
    organizationId: row.organization_id,
    connectionId: row.connection_id,
    from: row.from_number,
    to: row.to_number,
    state: row.state,
    providerCallId: row.provider_call_id,
    intentAt: row.intent_at,
    ageMs: row.age_ms,
    fruitlessLooks: row.fruitless_looks,
  };
}
