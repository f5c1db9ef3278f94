import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { buildServer } from '../e2e/server-program.ts';
import { eventually, freePort } from '../embedded.ts';
import { startPostgres, type TestPostgres } from '../postgres/start-postgres.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const processes: ChildProcess[] = [];
let database: TestPostgres;
let folder: string;

beforeAll(async () => {
  await buildServer();
  database = await startPostgres();
  folder = await mkdtemp(path.join(tmpdir(), 'callkite-together-'));
}, 300_000);

afterAll(async () => {
  for (const child of processes) child.kill('SIGKILL');
  await database.stop();
  await rm(folder, { recursive: true, force: true });
});

it('makes and prints the keys of an empty database once when four servers start at once', {
  timeout: 180_000,
}, async () => {
  const secretKey = randomBytes(32).toString('base64');
  const ports = await Promise.all(Array.from({ length: 4 }, freePort));
  const servers = ports.map((port) => {
    const child = spawn(process.execPath, [path.join(root, 'apps/server/dist/main.js')], {
      cwd: folder,
      env: {
        PATH: process.env.PATH,
        PORT: String(port),
        PUBLIC_URL: `http://127.0.0.1:${port}`,
        DATABASE_URL: database.url,
        CALLKITE_SECRET_KEY: secretKey,
        CALLKITE_DEMO: '0',
      },
    });
    processes.push(child);
    const server = { port, child, printed: '' };
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text) => {
        server.printed += text;
      });
    }
    return server;
  });
  const printed = () => servers.map((server) => server.printed).join('\n');
  const isReady = async ({ port, child, printed }: (typeof servers)[number]) => {
    if (child.exitCode !== null) throw new Error(`a server ended: ${printed}`);
    return fetch(`http://127.0.0.1:${port}/readyz`).then(
      ({ ok }) => ok,
      () => false,
    );
  };
  await eventually(
    'all four to be ready',
    async () => (await Promise.all(servers.map(isReady))).every(Boolean),
    120_000,
  );
  await eventually('the keys', () => /^API key \(test\): /m.test(printed()), 60_000);

  const keys = [...printed().matchAll(/^API key \((live|test)\): (\S+)$/gm)];
  expect(keys.map(([, mode]) => mode)).toEqual(['live', 'test']);
  for (const { port } of servers) {
    for (const [, , key] of keys) {
      const headers = { authorization: `Bearer ${key}` };
      expect((await fetch(`http://127.0.0.1:${port}/workflows`, { headers })).status).toBe(200);
    }
  }
});
