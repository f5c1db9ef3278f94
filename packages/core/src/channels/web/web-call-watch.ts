import type { CallRecord } from '../../calls/call-store.ts';
import type { JobHandler } from '../../kernel/jobs/job-runner.ts';
import type { WebCallStore } from './web-call-store.ts';

/** After which a call that cannot be ended yet, because its owner has just said that it is alive, is looked at again. */
const lookAgainMs = 1_000;

/** Handles `watch_web_call`: ends a web call whose process is gone and whose visitor has not come back. */
export function createWebCallWatch(deps: {
  store: Pick<WebCallStore, 'aliveForMs' | 'end'>;
  onEnded(call: CallRecord): void;
}): JobHandler {
  return {
    concurrency: 20,
    async run(job) {
      const aliveMs = await deps.store.aliveForMs(job.subjectId);
      if (aliveMs === null) return { done: true };
      if (aliveMs > 0) return { againInMs: aliveMs, resetTries: true };
      const ended = await deps.store.end(job.subjectId, null, 'connection_lost');
      if (!ended) return { againInMs: lookAgainMs, resetTries: true };
      deps.onEnded(ended);
      return { done: true };
    },
  };
}
