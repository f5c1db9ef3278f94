import type { CallState, CallStatus } from '../contract/call-status.ts';
import type { Caller } from '../organizations/organizations.ts';
import type { CallRecord, TranscriptEntry } from '../ports/call-store.ts';
import type { Page, PageRequest } from '../ports/storage.ts';

/** What both ways of placing a call share. Values are validated by the contract's schemas already. */
interface CallInput {
  recipientPhone: string;
  idempotencyKey?: string | undefined;
}

export interface TriggerCallInput extends CallInput {
  workflowId: string;
  recipientName?: string | undefined;
  recipientEmail?: string | undefined;
  recipientContext?: string | undefined;
}

export interface PromptCallInput extends CallInput {
  prompt: string;
  callbackUrl?: string | undefined;
  callbackSecret?: string | undefined;
}

/** The answer to a request for a call: new, or the stored one of an earlier request with the same key. */
export interface AcceptedCall {
  readonly status: number;
  /** JSON text, the same bytes for every replay. */
  readonly body: string;
  readonly replayed: boolean;
  /** The key was used before with another body; the stored answer is returned all the same. */
  readonly bodyMismatch: boolean;
}

export interface Calls {
  /**
   * `POST /call`. Throws `invalid_phone_number`, `destination_not_allowed`, `not_found`, `forbidden`,
   * `number_opted_out`, `no_usable_number`, `carrier_unavailable`, `request_in_progress`.
   */
  trigger(caller: Caller, input: TriggerCallInput): Promise<AcceptedCall>;
  /** `POST /call-prompt`. As `trigger`, and `validation_failed` for a callback address the guard refuses. */
  prompt(caller: Caller, input: PromptCallInput): Promise<AcceptedCall>;
  /** Throws `not_found`. */
  get(
    organizationId: string,
    callId: string,
  ): Promise<{ readonly call: CallRecord; readonly transcript: readonly TranscriptEntry[] }>;
  list(
    caller: Caller,
    filter: {
      state?: CallState;
      callStatus?: CallStatus;
      workflowId?: string;
      to?: string;
      createdAfter?: Date;
      createdBefore?: Date;
    },
    page: PageRequest,
  ): Promise<Page<CallRecord>>;
  /** Throws `not_found`, and `conflict` when the call is over. Repeating it changes nothing. */
  cancel(organizationId: string, callId: string): Promise<CallRecord>;
}
