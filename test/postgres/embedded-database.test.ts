import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { pglite } from '@callkite/postgres';
import { afterAll, beforeAll, expect, it } from 'vitest';

const program = fileURLToPath(new URL('storing-process.ts', import.meta.url));
let parent: string;

beforeAll(async () => {
  parent = await mkdtemp(join(tmpdir(), 'callkite-embedded-'));
});
afterAll(() => rm(parent, { recursive: true, force: true }));

it('loses no stored call to SIGKILL, round after round, and lets nobody else in meanwhile', async () => {
  const dataDir = join(parent, 'data');
  const stored: { organizationId: string; callId: string }[] = [];
  for (let round = 0; round < 3; round += 1) {
    const child = spawn(
      process.execPath,
      ['--conditions=callkite-source', '--import', 'tsx', program, dataDir],
      { cwd: dirname(program), stdio: ['ignore', 'pipe', 'inherit'] },
    );
    try {
      await readStored(child, stored, 40 + 17 * round);
      await expect(pglite({ dataDir }).start()).rejects.toMatchObject({ code: 'conflict' });
    } finally {
      const exited = once(child, 'exit');
      child.kill('SIGKILL');
      await exited;
    }
  }
  const storage = pglite({ dataDir });
  await storage.start();
  try {
    expect(stored.length).toBeGreaterThan(120);
    for (const { organizationId, callId } of stored) {
      expect(await storage.calls.get({ organizationId, mode: 'live' }, callId)).not.toBeNull();
    }
  } finally {
    await storage.stop();
  }
}, 60_000);

async function readStored(
  child: ChildProcess,
  stored: { organizationId: string; callId: string }[],
  count: number,
): Promise<void> {
  if (child.stdout === null) throw new Error('the child has no output');
  let seen = 0;
  for await (const line of createInterface(child.stdout)) {
    const [organizationId = '', callId = ''] = line.split(' ');
    stored.push({ organizationId, callId });
    seen += 1;
    if (seen === count) return;
  }
  throw new Error('the child ended before it stored enough');
}
