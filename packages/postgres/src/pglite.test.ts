import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Storage } from '@callkite/core';
import { createTenant, storageContract } from '@callkite/core/testing';
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import { pglite } from './pglite.ts';

describe('in memory', () => {
  let shared: Promise<Storage> | null = null;
  afterAll(async () => (await shared)?.stop());

  storageContract({
    it,
    createStorage() {
      shared ??= started(pglite({ dataDir: 'memory' }));
      return shared;
    },
  });
});

describe('with its one connection', () => {
  it('goes on after a statement failed', async () => {
    const storage = await started(pglite({ dataDir: 'memory' }));
    const tenant = await createTenant(storage);
    const input = tenant.promptInput();
    await storage.calls.accept(input);
    await expect(storage.calls.accept(input)).rejects.toThrow(/duplicate key/);
    await tenant.accept();
    const { organizationId: id } = tenant;
    await expect(storage.organizations.create({ id, name: 'Again', allowedCountries: [] })).rejects.toThrow();
    await tenant.claim();
    await storage.stop();
  });
});

describe('in a directory', () => {
  let dataDir: string;
  beforeEach(async () => {
    dataDir = join(await mkdtemp(join(tmpdir(), 'callkite-pglite-')), 'data');
  });
  afterEach(() => rm(join(dataDir, '..'), { recursive: true }));

  it('keeps what was stored, for one process at a time', async () => {
    const first = await started(pglite({ dataDir }));
    const created = await first.organizations.create({ id: 'org_1', name: 'Acme', allowedCountries: ['US'] });
    const second = pglite({ dataDir });
    await expect(second.start()).rejects.toMatchObject({ code: 'conflict' });
    await first.stop();
    await first.stop();
    await expect(first.ping()).rejects.toMatchObject({ code: 'storage_unavailable' });

    await second.start();
    expect(await second.organizations.get('org_1')).toEqual(created);
    await second.stop();
  });

  it('starts over after it was killed while creating the database', async () => {
    const unfinished = join(dataDir, 'database.unfinished');
    await mkdir(unfinished, { recursive: true });
    await writeFile(join(unfinished, 'PG_VERSION'), 'half');
    await (await started(pglite({ dataDir }))).stop();
  });

  it('can be stopped without having been started', async () => {
    await pglite({ dataDir }).stop();
  });
});

async function started(storage: Storage): Promise<Storage> {
  await storage.start();
  return storage;
}
