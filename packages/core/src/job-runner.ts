import type { Job, JobKind, JobStore } from './ports/job-store.ts';
import type { Logger } from './ports/logger.ts';

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

/** Claims due jobs, keeps their leases while they run, and decides what follows a failure. */
export function createJobRunner({ jobs, handlers, logger }: JobRunnerDeps): JobRunner {
  const kinds = Object.keys(handlers) as JobKind[];
  const running = new Map<string, { job: Job; abort: AbortController; finished: Promise<void> }>();
  const claiming = new Map<JobKind, 'claiming' | 'claim-again'>();
  let poll: NodeJS.Timeout | undefined;
  let heartbeat: NodeJS.Timeout | undefined;

  const runningOf = (kind: JobKind) => {
    let count = 0;
    for (const entry of running.values()) if (entry.job.kind === kind) count += 1;
    return count;
  };

  async function fill(kind: JobKind): Promise<void> {
    if (!poll) return;
    if (claiming.has(kind)) {
      claiming.set(kind, 'claim-again');
      return;
    }
    do {
      claiming.set(kind, 'claiming');
      const limit = handlers[kind].concurrency - runningOf(kind);
      if (limit <= 0) break;
      try {
        const perOrganization = handlers[kind].perOrganization ?? 1_000_000;
        const claimed = await jobs.claim({ kind, limit, leaseMs, perOrganization });
        for (const job of claimed) begin(job);
        if (claimed.length === limit) claiming.set(kind, 'claim-again');
      } catch (error) {
        logger.warn({ err: error, kind }, 'jobs could not be claimed');
        break;
      }
    } while (claiming.get(kind) === 'claim-again' && poll);
    claiming.delete(kind);
  }

  function begin(job: Job): void {
    const abort = new AbortController();
    const finished = execute(job, abort.signal).finally(() => {
      running.delete(job.id);
      void fill(job.kind);
    });
    running.set(job.id, { job, abort, finished });
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
        if (job.tries < maximumTries) {
          logger.warn({ ...fields, err: error }, 'job failed and will be tried again');
          await jobs.reschedule(job, { delayMs: 500 * 2 ** job.tries });
        } else {
          logger.error({ ...fields, err: error }, 'job failed for the last time');
          await handlers[job.kind].giveUp?.(job);
          await jobs.bury(job, error instanceof Error ? error.name : 'unknown error');
        }
      } catch (storeError) {
        // The lease runs out and the job is claimed again.
        logger.warn({ ...fields, err: storeError }, 'the end of a job could not be recorded');
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
      logger.warn({ err: error }, 'job leases could not be prolonged');
    }
  }

  return {
    start() {
      if (poll) return;
      poll = setInterval(() => {
        for (const kind of kinds) void fill(kind);
      }, pollMs);
      heartbeat = setInterval(() => void beat(), heartbeatMs);
      for (const kind of kinds) void fill(kind);
    },
    async stop(graceMs) {
      clearInterval(poll);
      poll = undefined;
      const left = () => Promise.all([...running.values()].map((entry) => entry.finished));
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
      void fill(kind);
    },
  };
}
