import { createHash, randomUUID } from 'node:crypto';
import { readFile, realpath, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:net';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { CallkiteError } from '@callkite/core';

export interface DirectoryLock {
  release(): Promise<void>;
}

const beatMs = 2000;
/** A holder on another machine or in another container that has not beaten for so long is taken for dead. */
const staleMs = 10_000;

interface Holder {
  readonly host: string;
  readonly pid: number;
  readonly token: string;
}

/**
 * Holds a directory for this process. Two locks, because neither sees everything: on Linux an abstract socket, which
 * the kernel frees with the process however it ends; and a file with a heartbeat, for processes that share the
 * directory but not the kernel's socket names, such as two containers with one volume.
 * @throws CallkiteError `conflict` when another process holds it
 */
export async function lockDirectory(directory: string): Promise<DirectoryLock> {
  const socket = process.platform === 'linux' ? await holdSocket(await realpath(directory)) : null;
  const file = join(directory, 'callkite.lock');
  const holder: Holder = { host: hostname(), pid: process.pid, token: randomUUID() };
  try {
    await outwait(file, holder, socket !== null);
    // Renamed into place: nobody reads half a file.
    await writeFile(`${file}.${holder.token}`, JSON.stringify(holder));
    await rename(`${file}.${holder.token}`, file);
  } catch (error) {
    socket?.close();
    throw error;
  }
  const beat = setInterval(() => {
    const now = new Date();
    utimes(file, now, now).catch(() => {});
  }, beatMs);
  beat.unref();
  return {
    async release() {
      clearInterval(beat);
      if ((await readHolder(file))?.token === holder.token) await rm(file, { force: true });
      socket?.close();
    },
  };
}

async function holdSocket(path: string): Promise<Server> {
  const name = createHash('sha256').update(path).digest('hex').slice(0, 32);
  const server = createServer((connection) => connection.destroy());
  await new Promise<void>((held, failed) => {
    server.once('error', (error: NodeJS.ErrnoException) =>
      failed(error.code === 'EADDRINUSE' ? inUse(path) : error),
    );
    server.listen(`\0callkite-${name}`, held);
  });
  server.unref();
  return server;
}

/** Returns when the file's holder is surely gone. */
async function outwait(file: string, self: Holder, socketHeld: boolean): Promise<void> {
  const other = await readHolder(file);
  if (other === null) return;
  if (other.host === self.host) {
    // The socket would still be held by a living process of this machine.
    if (socketHeld || !isRunning(other.pid)) return;
    throw inUse(file);
  }
  const seenAtMs = await beatOf(file);
  const deadline = Date.now() + staleMs;
  while (Date.now() < deadline && Date.now() - seenAtMs < staleMs) {
    await delay(250);
    if ((await beatOf(file)) !== seenAtMs) throw inUse(file);
  }
}

async function readHolder(file: string): Promise<Holder | null> {
  try {
    return JSON.parse(await readFile(file, 'utf8')) as Holder;
  } catch {
    return null;
  }
}

async function beatOf(file: string): Promise<number> {
  return stat(file).then(
    (found) => found.mtimeMs,
    () => 0,
  );
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

function inUse(path: string): CallkiteError {
  return new CallkiteError(
    'conflict',
    `Another process is using the database at ${path}: stop it, choose another directory, or use Postgres, which several processes can share.`,
  );
}
