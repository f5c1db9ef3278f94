import type { ChildProcess } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { eventually, freePort } from '../embedded.ts';
import { buildServer, hasStarted, patienceMs, type Running, runServer } from './server-program.ts';

const running: ChildProcess[] = [];
let workspace: string;
/** Prints the keys of the data directory that all tests share. */
let firstStart: Running;
const firstKey = () => /^API key \(live\): (\S+)$/m.exec(firstStart.printed())?.[1] ?? '';
let port: number;

beforeAll(async () => {
  await buildServer();
  workspace = await mkdtemp(path.join(tmpdir(), 'callkite-process-'));
  port = await freePort();
}, 300_000);

afterEach(() => {
  for (const child of running.splice(0)) child.kill('SIGKILL');
});
afterAll(() => rm(workspace, { recursive: true, force: true }));

const run = (environment: Record<string, string> = {}): Running => {
  const server = runServer(workspace, { PORT: String(port), ...environment });
  running.push(server.child);
  return server;
};

async function started(environment?: Record<string, string>): Promise<Running> {
  const server = run(environment);
  await hasStarted(server);
  return server;
}

it('refuses a bad configuration with all of its problems', async () => {
  const { exitCode, printed } = run({ PORT: 'none', DATABASE_URL: 'nowhere' });
  expect(await exitCode).toBe(1);
  expect(printed()).toMatch(/PORT must be[\s\S]*DATABASE_URL must be[\s\S]*CALLKITE_SECRET_KEY is required/);
  expect(printed()).not.toContain('    at ');
});

it('reads a .env file, and lets the environment win', async () => {
  const file = path.join(workspace, '.env');
  await writeFile(file, 'LOG_LEVEL=loud\nPORT=none\n');
  const { exitCode, printed } = run();
  expect(await exitCode).toBe(1);
  expect(printed()).toContain('LOG_LEVEL');
  expect(printed()).not.toContain('PORT must');
  await rm(file);
});

/** What follows the lines that say what the start is doing. */
const lastLine = ({ printed }: { printed(): string }) => printed().trimEnd().split('\n').at(-1);

it('says in one sentence why it cannot start', { timeout: 2 * patienceMs }, async () => {
  firstStart = await started();
  const clash = run({ CALLKITE_DATA_DIR: 'other' });
  expect(await clash.exitCode).toBe(1);
  expect(lastLine(clash)).toBe(
    `Port ${port} on 127.0.0.1 is in use: stop the program that listens there, or set PORT to another port.`,
  );

  const locked = run({ PORT: String(await freePort()) });
  expect(await locked.exitCode).toBe(1);
  expect(lastLine(locked)).toMatch(/^Another process is using the database/);

  await writeFile(path.join(workspace, 'file'), '');
  const unwritable = run({ PORT: String(await freePort()), CALLKITE_DATA_DIR: 'file' });
  expect(await unwritable.exitCode).toBe(1);
  expect(lastLine(unwritable)).toMatch(/^The data directory file cannot be written/);
  expect(firstStart.child.exitCode).toBeNull();
});

async function request(key: string, path: string, body?: object): Promise<Record<string, unknown>> {
  const answer = await fetch(`http://127.0.0.1:${port}${path}`, {
    method: body ? 'POST' : 'GET',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  });
  return (await answer.json()) as Record<string, unknown>;
}

/** Has a call placed and waits until something was said. @returns its path */
async function liveCall(key: string): Promise<string> {
  const call = { prompt: 'Ask whether the shop is open tomorrow', recipient_phone: '+12025550100' };
  const path = `/calls/${String((await request(key, '/call-prompt', call)).call_id)}`;
  await eventually(
    'the conversation',
    async () => ((await request(key, path)).messages as unknown[]).length > 0,
    patienceMs,
  );
  return path;
}

it('answers as built, outside of any test runner', { timeout: 2 * patienceMs }, async () => {
  const server = await started();
  const status = async (path: string, headers: Record<string, string> = {}) =>
    (await fetch(`http://127.0.0.1:${port}${path}`, { headers })).status;
  expect(await status('/workflows')).toBe(401);
  expect(await status('/workflows', { authorization: 'Bearer ck_live_nonsense' })).toBe(401);
  expect(await status('/workflows', { authorization: `Bearer ${firstKey()}` })).toBe(200);
  expect(await status('/nothing')).toBe(404);
  for (const path of ['/docs', '/openapi.json', '/healthz', '/readyz', '/metrics']) {
    expect(await status(path), path).toBe(200);
  }
  server.child.kill('SIGTERM');
  expect(await server.exitCode).toBe(0);
});

it('lets a live call end when it is asked to stop', { timeout: 3 * patienceMs }, async () => {
  const server = await started({ CALLKITE_EMULATOR_SPEED: '10' });
  const key = firstKey();
  const call = await liveCall(key);
  server.child.kill('SIGTERM');
  await eventually('readiness to go', async () => {
    const answer = await fetch(`http://127.0.0.1:${port}/readyz`);
    return answer.status === 503;
  });
  expect(await server.exitCode).toBe(0);
  await started();
  const { messages, ...result } = await request(key, call);
  expect(JSON.stringify(messages)).toMatch(/goodbye/i);
  expect(result).toMatchObject({
    state: 'completed',
    call_status: 'success',
    call_summary: expect.any(String),
  });
});

it('stops immediately on a second signal', { timeout: 2 * patienceMs }, async () => {
  const server = await started({ CALLKITE_EMULATOR_SPEED: '1' });
  await liveCall(firstKey());
  server.child.kill('SIGTERM');
  await eventually('the notice', () => server.printed().includes('second signal stops immediately'));
  server.child.kill('SIGTERM');
  expect(await server.exitCode).toBe(130);
});
