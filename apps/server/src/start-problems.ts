import { existsSync } from 'node:fs';
import { statfs } from 'node:fs/promises';
import path from 'node:path';
import { CallkiteError } from '@callkite/core';
import type { Settings } from './env.ts';

/** With less than this free, an embedded database can neither be created nor, once it is there, be opened. */
const scarceBytes = { creating: 64 * 1024 * 1024, opening: 8 * 1024 * 1024 };

/** Why the server did not start, in one sentence that names the cause and says what to do. */
export async function reasonNotStarted(error: unknown, settings: Settings): Promise<string> {
  const { dataDirectory, databaseUrl } = settings;
  const codes = chainOf(error).map((each) => each.code);
  const has = (...wanted: string[]) => hasCode(error, ...wanted);
  if (isAboutSecretKey(error)) {
    return 'The stored credentials were sealed with another secret key: set CALLKITE_SECRET_KEY to the key this data was last used with. To replace that key, set it as CALLKITE_FORMER_SECRET_KEY, beside the new one.';
  }
  if (chainOf(error).some(({ syscall }) => syscall === 'listen'))
    return listenProblem(codes, settings, error);
  if (databaseUrl !== null) {
    const problem = postgresProblem(new URL(databaseUrl), codes, error);
    if (problem !== null) return problem;
  }
  const isFullDisk = has('ENOSPC', 'EDQUOT');
  const isMade = !chainOf(error).some(({ syscall }) => syscall === 'mkdir');
  if (has('EACCES', 'EPERM', 'EROFS', 'ENOTDIR', 'EEXIST') || (!isMade && !isFullDisk)) {
    return `The data directory ${dataDirectory} cannot be written: make it writable, or set CALLKITE_DATA_DIR to another directory.`;
  }
  // The database itself says no more than that it broke off.
  if (databaseUrl === null && (isFullDisk || (!has('conflict') && (await isFull(dataDirectory))))) {
    return `The disk that holds the data directory ${dataDirectory} is full: free some space, or set CALLKITE_DATA_DIR to a directory on another disk.`;
  }
  if (databaseUrl === null && isDamaged(error)) {
    return `The embedded database in ${dataDirectory} is damaged and cannot be opened: put a backup of this directory in its place, or set CALLKITE_DATA_DIR to another directory to start anew there.`;
  }
  if (databaseUrl === null && has('storage_unavailable')) {
    return `The embedded database in ${dataDirectory} did not answer in time: start Callkite again when this machine has less to do.`;
  }
  return messageOf(error);
}

/** Whether an error, or what caused it, has one of these codes. */
export function hasCode(error: unknown, ...wanted: readonly string[]): boolean {
  return chainOf(error).some(({ code }) => code !== undefined && wanted.includes(code));
}

/** It could not be opened at all, or what it holds contradicts itself (`XX…`), or a file of it is missing (58P01). */
function isDamaged(error: unknown): boolean {
  return (
    (CallkiteError.isInstance(error) && error.details?.dataDir !== undefined) ||
    chainOf(error).some(({ code }) => code !== undefined && /^(XX...|58P01)$/.test(code))
  );
}

function listenProblem(
  codes: readonly (string | undefined)[],
  { host, port }: Settings,
  error: unknown,
): string {
  if (codes.includes('EADDRINUSE')) {
    return `Port ${port} on ${host} is in use: stop the program that listens there, or set PORT to another port.`;
  }
  if (codes.includes('EACCES')) {
    return `Port ${port} needs rights that this user does not have: set PORT to 1024 or higher, or allow it with “setcap cap_net_bind_service=+ep” on the node program.`;
  }
  if (codes.includes('EADDRNOTAVAIL') || codes.includes('EAFNOSUPPORT')) {
    return `This machine has no address ${host}: set HOST to 127.0.0.1 for this machine only, or to 0.0.0.0 for every address.`;
  }
  return messageOf(error);
}

/** SQLSTATEs and network errors, as far as somebody can do something about them. */
function postgresProblem(url: URL, codes: readonly (string | undefined)[], error: unknown): string | null {
  const place = `${url.hostname}:${url.port || '5432'}`;
  const user = decodeURIComponent(url.username) || 'the user of this process';
  const database = decodeURIComponent(url.pathname.slice(1)) || user;
  for (const code of codes) {
    switch (code) {
      case '3D000':
        return `Postgres at ${place} has no database “${database}”: create it (createdb ${database}), or correct the name in DATABASE_URL.`;
      case '28P01':
      case '28000':
        return `Postgres at ${place} refuses the user “${user}”: correct the user name and password in DATABASE_URL.`;
      case '42501':
        return `The Postgres user “${user}” may not create tables in the database “${database}”: grant it that right, or name another user in DATABASE_URL.`;
      case '57P03':
        return `Postgres at ${place} is starting up or shutting down: start Callkite again when it is ready.`;
      case '53300':
        return `Postgres at ${place} has no connection left: raise its max_connections, or stop other programs that use it.`;
      case '53100':
        return `The disk of Postgres at ${place} is full: free some space there.`;
      case '25006':
        return `Postgres at ${place} accepts no writes: name the primary server in DATABASE_URL, not a replica.`;
      case 'ENOTFOUND':
      case 'EAI_AGAIN':
        return `The host ${url.hostname} in DATABASE_URL is unknown: correct its name, or check the network.`;
      case 'ECONNREFUSED':
      case 'ECONNRESET':
      case 'ETIMEDOUT':
      case 'EHOSTUNREACH':
      case 'ENETUNREACH':
        return `Postgres at ${place} does not answer: start it, or correct host and port in DATABASE_URL.`;
    }
  }
  if (/does not support SSL/i.test(messageOf(error))) {
    return `Postgres at ${place} offers no TLS: turn it on there, or leave sslmode out of DATABASE_URL.`;
  }
  return codes.includes('storage_unavailable')
    ? `Postgres at ${place} does not answer in time: check that it runs there, or correct DATABASE_URL.`
    : null;
}

interface Link {
  readonly code: string | undefined;
  readonly syscall: unknown;
}

/** An error, what caused it, and so on; of several causes at once, all. */
function chainOf(error: unknown): readonly Link[] {
  if (typeof error !== 'object' || error === null) return [];
  const { code, syscall } = error as { code?: unknown; syscall?: unknown };
  const own = { code: typeof code === 'string' ? code : undefined, syscall };
  const causes = error instanceof AggregateError ? error.errors : [];
  return [own, ...[...causes, 'cause' in error ? error.cause : null].flatMap(chainOf)];
}

function isAboutSecretKey(error: unknown): boolean {
  return CallkiteError.isInstance(error) && error.details?.secretKey !== undefined;
}

/** Looks at the nearest directory that exists. */
async function isFull(directory: string): Promise<boolean> {
  try {
    const { bavail, bsize } = await statfs(directory);
    return (
      bavail * bsize < scarceBytes[existsSync(path.join(directory, 'database')) ? 'opening' : 'creating']
    );
  } catch {
    const parent = path.dirname(path.resolve(directory));
    return parent !== path.resolve(directory) && (await isFull(parent));
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
