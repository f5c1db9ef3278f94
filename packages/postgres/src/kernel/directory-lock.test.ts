import { mkdtemp, rm, utimes, writeFile } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { lockDirectory } from './directory-lock.ts';

let directory: string;
let file: string;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'callkite-lock-'));
  file = join(directory, 'callkite.lock');
});
afterEach(() => rm(directory, { recursive: true }));

it('is had by one at a time', async () => {
  const lock = await lockDirectory(directory);
  await expect(lockDirectory(directory)).rejects.toMatchObject({
    code: 'conflict',
    message: expect.stringContaining('Another process is using the database'),
  });
  await lock.release();
  await (await lockDirectory(directory)).release();
});

it('is taken over from a process of this machine that is gone', async () => {
  await writeFile(file, JSON.stringify({ host: hostname(), pid: 2 ** 30, token: 'gone' }));
  await (await lockDirectory(directory)).release();
});

it('is taken over from another machine whose heartbeat stopped', async () => {
  await writeFile(file, JSON.stringify({ host: 'elsewhere', pid: 1, token: 'gone' }));
  const longAgo = new Date(Date.now() - 60_000);
  await utimes(file, longAgo, longAgo);
  await (await lockDirectory(directory)).release();
});

it('is refused while another machine keeps beating', async () => {
  await writeFile(file, JSON.stringify({ host: 'elsewhere', pid: 1, token: 'alive' }));
  const beating = setInterval(() => {
    const now = new Date();
    utimes(file, now, now).catch(() => {});
  }, 100);
  try {
    await expect(lockDirectory(directory)).rejects.toMatchObject({ code: 'conflict' });
  } finally {
    clearInterval(beating);
  }
});
