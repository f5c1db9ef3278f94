import type { Storage } from '@callkite/core';
import { storageContract } from '@callkite/core/testing';
import { afterAll, beforeAll, describe, it } from 'vitest';
import { startPostgres, type TestPostgres } from '../../../test/postgres/start-postgres.ts';
import { postgres } from './postgres.ts';

describe('Postgres', () => {
  let server: TestPostgres;
  let shared: Storage;
  beforeAll(async () => {
    server = await startPostgres();
    shared = await open();
  });
  afterAll(async () => {
    await shared.stop();
    await server.stop();
  });
  const open = async () => {
    const storage = postgres({ connectionString: server.url });
    await storage.start();
    return storage;
  };

  storageContract({ it, createStorage: async () => shared, openAnother: open });
});
