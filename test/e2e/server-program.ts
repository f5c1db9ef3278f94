import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { eventually } from '../embedded.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const main = path.join(root, 'apps/server/dist/main.js');

/** The first start creates a database, which takes long on a busy machine. */
export const patienceMs = 180_000;

/** A server as its own process. */
export interface Running {
  readonly child: ChildProcess;
  /** Everything it printed so far. */
  printed(): string;
  readonly exitCode: Promise<number | null>;
}

export async function buildServer(): Promise<void> {
  if (process.env.TEST_SERVER_IS_BUILT) return;
  const tsc = path.join(root, 'node_modules/typescript/bin/tsc');
  await promisify(execFile)(process.execPath, [tsc, '-b', path.join(root, 'apps/server')]);
}

/** Runs the built server in a directory, with its data below it. Whoever calls this ends the process. */
export function runServer(directory: string, environment: Record<string, string>): Running {
  const child = spawn(process.execPath, [main], {
    cwd: directory,
    env: {
      PATH: process.env.PATH,
      CALLKITE_DATA_DIR: 'data',
      CALLKITE_DEMO: '0',
      REQUESTS_PER_MINUTE: '100000',
      ...environment,
    },
  });
  let printed = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (printed += String(chunk)));
  const exitCode = once(child, 'close').then(([code]) => code as number | null);
  return { child, printed: () => printed, exitCode };
}

/** Waits until it answers. Throws when it ended instead. */
export async function hasStarted({ child, printed }: Running): Promise<void> {
  await eventually(
    'the start',
    () => {
      if (child.exitCode !== null) throw new Error(`the server ended: ${printed()}`);
      return printed().includes('Storage');
    },
    patienceMs,
  );
}
