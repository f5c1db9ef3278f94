import { Worker } from 'node:worker_threads';
import type { Settings } from './env.ts';

/** Says what a start is doing, and goes on saying so while it takes long. */
export interface Progress {
  step(text: string): void;
  /** Nothing more is said. */
  end(): void;
}

/**
 * @param format lines for people, or the log's
 * @param fd a file descriptor. A thread of its own writes to it: creating a database can keep this one busy for long.
 */
export function createProgress(format: 'text' | 'json', fd: 1 | 2): Progress {
  const worker = new Worker(new URL('./progress-worker.js', import.meta.url), { workerData: { format, fd } });
  worker.unref();
  // Without it, only the repetitions are missing.
  worker.on('error', () => {});
  return {
    step: (text) => worker.postMessage(text),
    end: () => worker.postMessage(null),
  };
}

/** What opening the store is called while it goes on. */
export function opening({
  databaseUrl,
  dataDirectory,
}: Pick<Settings, 'databaseUrl' | 'dataDirectory'>): string {
  return databaseUrl === null
    ? `Opening the embedded database in ${dataDirectory}`
    : 'Connecting to Postgres';
}
