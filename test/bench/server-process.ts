import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

/** A server in a process of its own, so that it is measured apart from the load. */
export interface ServerProcess {
  readonly url: string;
  /** Asks the process for something over IPC and waits for the answer. */
  ask<T>(question: string): Promise<T>;
  stop(): Promise<void>;
}

/** @param name file in `servers/`; it reports `{ url }` once it listens, and answers questions `{ id, question }` */
export async function startServerProcess(
  name: string,
  environment: Record<string, string>,
): Promise<ServerProcess> {
  const file = fileURLToPath(new URL(`./servers/${name}.ts`, import.meta.url));
  const child: ChildProcess = spawn(process.execPath, ['--import', 'tsx', '--expose-gc', file], {
    env: { PATH: process.env.PATH ?? '', NODE_ENV: 'production', ...environment },
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  const exited = once(child, 'exit').then(() => Promise.reject(new Error(`the server ${name} stopped`)));
  exited.catch(() => undefined);
  const [first] = (await Promise.race([once(child, 'message'), exited])) as [{ url: string }];
  let questions = 0;
  return {
    url: first.url,
    async ask<T>(question: string) {
      questions += 1;
      const id = questions;
      const answer = new Promise<T>((resolve) => {
        const listen = (message: { id?: number; answer: T }) => {
          if (message.id !== id) return;
          child.off('message', listen);
          resolve(message.answer);
        };
        child.on('message', listen);
      });
      child.send({ id, question });
      return Promise.race([answer, exited]);
    },
    async stop() {
      if (child.exitCode !== null) return;
      child.kill('SIGKILL');
      await once(child, 'exit').catch(() => undefined);
    },
  };
}

/** Seconds of all threads since the process began. */
export interface Spent {
  readonly cpuSeconds: number;
  readonly atMs: number;
}

/** The processor's time of this process, without a pause for collecting garbage that would be measured with the rest. */
export function spent(): Spent {
  const { user, system } = process.cpuUsage();
  return { cpuSeconds: (user + system) / 1e6, atMs: performance.now() };
}

/** What a server process uses. */
export interface Usage {
  readonly rss: number;
  readonly heapUsed: number;
  /** Seconds of all threads since the process began. */
  readonly cpuSeconds: number;
  readonly atMs: number;
}

/** Microseconds that the measuring itself took. */
const collecting = { user: 0, system: 0 };

/** Usage of this process. Garbage is left out of the memory, and its collection for that out of the processor's time. */
export function usage(): Usage {
  const before = process.cpuUsage(collecting);
  const atMs = performance.now();
  const begin = process.cpuUsage();
  globalThis.gc?.();
  const spent = process.cpuUsage(begin);
  collecting.user += spent.user;
  collecting.system += spent.system;
  const { rss, heapUsed } = process.memoryUsage();
  return { rss, heapUsed, cpuSeconds: (before.user + before.system) / 1e6, atMs };
}

/** The other end of `ask`, for the files in `servers/`. */
export function answerQuestions(url: string, answers: Record<string, () => unknown>): void {
  process.on('message', (message: { id: number; question: string }) => {
    void Promise.resolve(answers[message.question]?.()).then((answer) =>
      process.send?.({ id: message.id, answer }),
    );
  });
  // Nobody is left to measure for.
  process.on('disconnect', () => process.exit());
  process.send?.({ url });
}
