/**
 * Work that outlives a process. `subjectId` names a call (`generate_workflow`, `write_voicemail`, `watch_web_call`,
 * `finish_call`, `follow_recording`), an attempt (`watch_attempt`) or a delivery (`deliver`).
 */
export type JobKind =
  | 'generate_workflow'
  | 'write_voicemail'
  | 'watch_attempt'
  | 'watch_web_call'
  | 'finish_call'
  | 'follow_recording'
  | 'deliver';

export interface Job {
  readonly id: string;
  readonly kind: JobKind;
  readonly organizationId: string;
  readonly subjectId: string;
  /** 1 on the first run. Grows by one with each claim. */
  readonly tries: number;
  /** Fences this claim: an expired lease's token no longer changes the job. */
  readonly leaseToken: string;
}

/**
 * Jobs are enqueued by the store methods that change state, inside the same atomic step; there is no
 * public enqueue. At least once: a handler must be able to run twice.
 */
export interface JobStore {
  /** The kinds of which there are jobs to claim now. Cheap: it is asked all the time. */
  dueKinds(): Promise<readonly JobKind[]>;
  /**
   * Leases due jobs, oldest first. Two callers never hold the same job; a lease that ran out makes the
   * job claimable again.
   * @param options.perOrganization at most so many leased jobs of this kind per organization, all processes together
   */
  claim(options: {
    readonly kind: JobKind;
    readonly limit: number;
    readonly leaseMs: number;
    readonly perOrganization: number;
  }): Promise<readonly Job[]>;
  /** Prolongs leases that are still held. @returns the ids that were. */
  extend(jobs: readonly Job[], leaseMs: number): Promise<readonly string[]>;
  /** Removes the job. `false` when the lease was lost: somebody else owns the job now. */
  complete(job: Job): Promise<boolean>;
  /** Gives the job back, due after `delayMs`. `resetTries` for jobs that repeat by nature. `false` when the lease was lost. */
  reschedule(
    job: Job,
    options: { readonly delayMs: number; readonly resetTries?: boolean },
  ): Promise<boolean>;
  /** Parks a job that keeps failing, for an operator to look at. */
  bury(job: Job, error: string): Promise<boolean>;
  /** Counts for metrics: waiting and buried jobs by kind, and the age of the oldest due one. */
  stats(): Promise<
    readonly {
      readonly kind: JobKind;
      readonly waiting: number;
      readonly buried: number;
      readonly oldestDueMs: number;
    }[]
  >;
}
