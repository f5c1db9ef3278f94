/**
 * The recording of one call, by reference: the sound stays at the carrier. A call has at most one row, which is also
 * where the callee's consent is on record.
 */
export interface RecordingRecord {
  readonly id: string;
  readonly callId: string;
  readonly organizationId: string;
  /**
   * `given` by an announcement nobody objected to, or by a yes; `refused` by a person, `missing` where nobody could be
   * asked or gave a clear answer; `withdrawn` when it was given and the call was erased afterwards. Once it is not given
   * it never will be.
   */
  readonly consent: 'given' | 'refused' | 'missing' | 'withdrawn';
  /** `wanted`: nothing is known of it at the carrier yet. `absent`: the carrier recorded nothing. */
  readonly status: 'wanted' | 'recording' | 'completed' | 'absent' | 'deleted';
  /** `null` before the carrier told it, and again once the recording is deleted. */
  readonly providerRecordingId: string | null;
  readonly durationSeconds: number | null;
  readonly createdAt: Date;
  /** When it is deleted at the carrier; `null` before it is complete. */
  readonly expiresAt: Date | null;
  /** Milliseconds left until then, by the store's clock; `null` as above. */
  readonly expiresInMs: number | null;
  /** The attempt at the carrier that is recorded; `null` when no attempt got through. */
  readonly carrierCall: { readonly attemptId: string; readonly providerCallId: string } | null;
}

export interface RecordingStore {
  /**
   * Notes that the call may be recorded and enqueues its `follow_recording` job, due after `lookInMs`. No effect when
   * a decision is on record already.
   * @returns whether it may be recorded
   */
  want(callId: string, recording: { readonly id: string; readonly lookInMs: number }): Promise<boolean>;
  /**
   * Notes that the call must not be recorded, for good. What may have been recorded is left to a `follow_recording`
   * job, due at once; a call that was never to be recorded has none. A refusal also counts for the call's words (see
   * `CallStore.finishCall`).
   */
  forbid(
    callId: string,
    recording: { readonly id: string; readonly consent: 'refused' | 'missing' },
  ): Promise<void>;
  /** What follows from the course of the call is due now: its `follow_recording` job, if it has one. */
  hurry(callId: string): Promise<void>;
  /**
   * Notes what the carrier says; never backwards. A complete recording expires after so many days, and its
   * `follow_recording` job is due now, whoever was about to end it.
   * No effect on a call that was never to be recorded.
   */
  report(
    callId: string,
    report: {
      readonly providerRecordingId: string | null;
      readonly status: 'recording' | 'completed' | 'absent';
      readonly durationSeconds: number | null;
      readonly retentionDays: number;
    },
  ): Promise<void>;
  /** Notes that the carrier has it no more, and forgets the carrier's id. */
  noteDeleted(callId: string): Promise<void>;
  get(recordingId: string): Promise<RecordingRecord | null>;
  ofCalls(callIds: readonly string[]): Promise<readonly RecordingRecord[]>;
}
