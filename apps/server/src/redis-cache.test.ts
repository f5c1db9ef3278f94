import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freePort } from '../../../test/embedded.ts';
import { readSettings } from './env.ts';
import { type RunningServer, startServer } from './server.ts';
import { createTerminal } from './terminal.ts';

// npm has no Redis; `.ci/run` installs Debian's.
const hasRedis = spawnSync('redis-server', ['--version']).status === 0;

describe.runIf(hasRedis)('the server with REDIS_URL', () => {
  const lines: string[] = [];
  let dataDirectory: string;
  let redisPort: number;
  let port: number;
  let redis: ChildProcess;
  let server: RunningServer;

  const redisCli = (...command: string[]) =>
    execFileSync('redis-cli', ['-p', String(redisPort), ...command], { encoding: 'utf8' }).trim();
  const request = async (path: string, body?: object) => {
    const key = /^API key \(live\): (\S+)$/m.exec(lines.join('\n'))?.[1];
    return fetch(`http://127.0.0.1:${port}${path}`, {
      method: body ? 'POST' : 'GET',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    });
  };

  beforeAll(async () => {
    redisPort = await freePort();
    port = await freePort();
    dataDirectory = await mkdtemp(path.join(tmpdir(), 'callkite-redis-'));
    redis = spawn('redis-server', ['--port', String(redisPort), '--save', '', '--dir', dataDirectory]);
    for await (const output of redis.stdout ?? []) if (String(output).includes('Ready to accept')) break;
    const settings = readSettings({
      PORT: String(port),
      LOG_LEVEL: 'silent',
      REDIS_URL: `redis://127.0.0.1:${redisPort}`,
      CALLKITE_DATA_DIR: dataDirectory,
      CALLKITE_DEMO: '0',
      CALLKITE_DRAIN_SECONDS: '0',
    });
    server = await startServer(
      settings,
      createTerminal({ write: (text) => lines.push(...text.split('\n').slice(0, -1)) }),
    );
  }, 120_000);

  afterAll(async () => {
    await server?.stop();
    redis?.kill('SIGKILL');
    await rm(dataDirectory, { recursive: true, force: true });
  });

  it('keeps its cache there', async () => {
    expect((await request('/workflows')).status).toBe(200);
    expect(Number(redisCli('dbsize'))).toBeGreaterThan(0);
    expect(redisCli('keys', '*')).toContain('callkite');
  });

  it('goes on without it, and keeps its promises', async () => {
    const call = { prompt: 'Say hello', recipient_phone: '+12025550112', idempotency_key: 'only once' };
    const first = await (await request('/call-prompt', call)).text();
    redis.kill('SIGKILL');
    await once(redis, 'exit');
    const again = await request('/call-prompt', call);
    expect(again.status).toBe(200);
    expect(again.headers.get('idempotent-replayed')).toBe('true');
    expect(await again.text()).toBe(first);
    expect((await request('/workflows')).status).toBe(200);
  });
});
