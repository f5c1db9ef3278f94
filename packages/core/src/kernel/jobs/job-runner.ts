import { CallkiteError } from '../errors.ts';
import type { Logger } from '../logger.ts';
import type { Job, JobKind, JobStore } from './job-store.ts';

/** What becomes of a job after its handler ran without throwing. */
export type JobResult =
  | { readonly done: true }
  /** Due again after so long; `resetTries` when running again is the plan, not a failure. */
  | { readonly againInMs: number; readonly resetTries?: boolean };

export interface JobHandler {
  /** Jobs of this kind at once in this process. */
  readonly concurrency: number;
  /** Jobs of this kind at once for one organization, over all processes. @default unlimited */
  readonly perOrganization?: number;
  /** May run twice for one job. The signal aborts when the lease was lost or the runner stops. */
  run(job: Job, signal: AbortSignal): Promise<JobResult>;
  /** Leaves the subject in an honest final state when the last try failed. */
  giveUp?(job: Job): Promise<void>;
}

export interface JobRunner {
  start(): void;
  /** Stops claiming, lets running jobs finish for so long, then aborts them: their leases run out and others take over. */
  stop(graceMs: number): Promise<void>;
  /** There may be due jobs of this kind: look now instead of at the next poll. */
  wake(kind: JobKind): void;
}

export interface JobRunnerDeps {
  jobs: JobStore;
  handlers: Readonly<Record<JobKind, JobHandler>>;
  logger: Logger;
}

const leaseMs = 10_000;
const heartbeatMs = 3_000;
const pollMs = 500;
const maximumTries = 5;
const longestBackOffMs = 30_000;

/** Claims due jobs, keeps their leases while they run, and decides what follows a failure. */
export function createJobRunner({ jobs, handlers, logger }: JobRunnerDeps): JobRunner {
  /** By lease. */
  const running = new Map<string, { job: Job; abort: AbortController; finished: Promise<void> }>();
  const claiming = new Map<JobKind, Promise<void>>();
  const claimAgain = new Set<JobKind>();
  let poll: NodeJS.Timeout | undefined;
  let heartbeat: NodeJS.Timeout | undefined;

  const runningOf = (kind: JobKind) => {
    let count = 0;
    for (const entry of running.values()) if (entry.job.kind === kind) count += 1;
    return count;
  };

  function fill(kind: JobKind): void {
    if (!poll) return;
    if (claiming.has(kind)) claimAgain.add(kind);
    else
      claiming.set(
        kind,
        claim(kind).finally(() => claiming.delete(kind)),
      );
  }

  async function look(): Promise<void> {
    try {
      for (const kind of await jobs.dueKinds()) if (kind in handlers) fill(kind);
    } catch (error) {
      logger.warn({ err: error }, 'failed to look for due jobs');
    }
  }

  async function claim(kind: JobKind): Promise<void> {
    do {
      claimAgain.delete(kind);
      const limit = handlers[kind].concurrency - runningOf(kind);
      if (limit <= 0) return;
      try {
        const perOrganization = handlers[kind].perOrganization ?? 1_000_000;
        const claimed = await jobs.claim({ kind, limit, leaseMs, perOrganization });
        for (const job of claimed) begin(job);
        if (claimed.length === limit) claimAgain.add(kind);
      } catch (error) {
        logger.warn({ err: error, kind }, 'failed to claim jobs');
        return;
      }
    } while (claimAgain.has(kind) && poll);
  }

  function begin(job: Job): void {
    // Claimed twice by this process: the first lease ran out while the store was away.
    for (const entry of running.values()) if (entry.job.id === job.id) entry.abort.abort();
    const abort = new AbortController();
    const finished = execute(job, abort.signal).finally(() => {
      running.delete(job.leaseToken);
      fill(job.kind);
    });
    running.set(job.leaseToken, { job, abort, finished });
  }

  async function execute(job: Job, signal: AbortSignal): Promise<void> {
    const fields = { jobId: job.id, kind: job.kind, subjectId: job.subjectId, tries: job.tries };
    try {
      const result = await handlers[job.kind].run(job, signal);
      if ('done' in result) await jobs.complete(job);
      else await jobs.reschedule(job, { delayMs: result.againInMs, resetTries: result.resetTries ?? false });
    } catch (error) {
      if (signal.aborted) return;
      try {
        // That the store was away says nothing about the job, which is kept for as long as that lasts.
        if (job.tries < maximumTries || isStorageAway(error)) {
          logger.warn({ ...fields, err: error }, 'job failed and will be tried again');
          await jobs.reschedule(job, { delayMs: Math.min(500 * 2 ** job.tries, longestBackOffMs) });
        } else {
          logger.error({ ...fields, err: error }, 'job failed for the last time');
          await handlers[job.kind].giveUp?.(job);
          await jobs.bury(job, error instanceof Error ? error.name : 'unknown error');
        }
      } catch (storeError) {
        // The lease runs out and the job is claimed again.
        logger.warn({ ...fields, err: storeError }, 'failed to record the end of a job');
      }
    }
  }

  async function beat(): Promise<void> {
    const held = [...running.values()];
    if (held.length === 0) return;
    try {
      const kept = new Set(
        await jobs.extend(
          held.map((entry) => entry.job),
          leaseMs,
        ),
      );
      for (const entry of held) if (!kept.has(entry.job.id)) entry.abort.abort();
    } catch (error) {
      logger.warn({ err: error }, 'failed to renew job leases');
    }
  }

  return {
    start() {
      if (poll) return;
      poll = setInterval(() => void look(), pollMs);
      heartbeat = setInterval(() => void beat(), heartbeatMs);
      void look();
    },
    async stop(graceMs) {
      clearInterval(poll);
      poll = undefined;
      // Claims on their way bring jobs, which must not begin once the store is being closed.
      const left = async () => {
        while (claiming.size > 0 || running.size > 0) {
          await Promise.all([...claiming.values(), ...[...running.values()].map((entry) => entry.finished)]);
        }
      };
      let timer: NodeJS.Timeout | undefined;
      const grace = new Promise<void>((resolve) => {
        timer = setTimeout(resolve, graceMs);
      });
      await Promise.race([left(), grace]);
      clearTimeout(timer);
      for (const entry of running.values()) entry.abort.abort();
      await left();
      clearInterval(heartbeat);
    },
    wake(kind) {
      fill(kind);
    },
  };
}

function isStorageAway(error: unknown): boolean {
  return CallkiteError.isInstance(error) && error.code === 'storage_unavailable';
}
