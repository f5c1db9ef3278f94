import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually, freePort } from '../../../test/embedded.ts';
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

  async function startRedis(): Promise<void> {
    redis = spawn('redis-server', ['--port', String(redisPort), '--save', '', '--dir', dataDirectory]);
    for await (const output of redis.stdout ?? []) if (String(output).includes('Ready to accept')) break;
  }

  /** What `/readyz` says of it; the server is ready in any case. */
  async function stateOfCache(): Promise<string | undefined> {
    const answer = await fetch(`http://127.0.0.1:${port}/readyz`);
    expect(answer.status).toBe(200);
    return ((await answer.json()) as { checks: Record<string, string> }).checks.cache;
  }

  /** A repeated request is answered with the very answer it got before, and none waits for the cache. */
  async function goesOn(idempotencyKey: string): Promise<void> {
    const call = { prompt: 'Say hello', recipient_phone: '+12025550112', idempotency_key: idempotencyKey };
    const answers: string[] = [];
    for (const [path, body] of [
      ['/call-prompt', call],
      ['/call-prompt', call],
      ['/workflows', undefined],
      ['/calls', undefined],
    ] as const) {
      const startedAt = performance.now();
      const answer = await request(path, body);
      expect(answer.status).toBe(200);
      answers.push(await answer.text());
      // It was more than twenty seconds.
      expect(performance.now() - startedAt).toBeLessThan(3_000);
    }
    expect(answers[1]).toBe(answers[0]);
  }

  /** It is used again although nobody but clients with ordinary requests has asked. */
  const isUsedAgain = () =>
    eventually('entries in the cache', async () => {
      await request('/workflows');
      return Number(redisCli('dbsize')) > 0;
    });

  beforeAll(async () => {
    redisPort = await freePort();
    port = await freePort();
    dataDirectory = await mkdtemp(path.join(tmpdir(), 'callkite-redis-'));
    await startRedis();
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

  it('does not wait for one that is frozen, says so, and uses it again by itself', async () => {
    expect(await stateOfCache()).toBe('ok');
    redisCli('flushall');
    redis.kill('SIGSTOP');
    await goesOn('while it is frozen');
    expect(await stateOfCache()).toBe('unavailable');
    await goesOn('while it is known to be frozen');
    redis.kill('SIGCONT');
    await isUsedAgain();
    expect(await stateOfCache()).toBe('ok');
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
    await goesOn('while it is gone');
    expect(await stateOfCache()).toBe('unavailable');
    await startRedis();
    await isUsedAgain();
    expect(await stateOfCache()).toBe('ok');
  });
});
