import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { startOpenAiEmulator } from '@callkite/openai-emulator';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { eventually, freePort } from '../../../test/embedded.ts';
import { readSettings } from './env.ts';
import { type RunningServer, startServer } from './server.ts';
import { createTerminal } from './terminal.ts';

const workspace = await mkdtemp(path.join(tmpdir(), 'callkite-server-'));
const dataDirectory = path.join(workspace, 'data');
const operatorToken = 'operator-token-of-the-test';
let running: RunningServer | undefined;

afterEach(async () => {
  await running?.stop();
  running = undefined;
});
afterAll(() => rm(workspace, { recursive: true, force: true }));

interface Started {
  readonly url: string;
  readonly lines: string[];
  /** The key of a mode, as printed. */
  key(mode: 'live' | 'test'): string | undefined;
}

async function start(environment: Record<string, string> = {}): Promise<Started> {
  const port = await freePort();
  const lines: string[] = [];
  const settings = readSettings({
    PORT: String(port),
    LOG_LEVEL: 'error',
    CALLKITE_DATA_DIR: dataDirectory,
    CALLKITE_EMULATOR_SPEED: '20',
    CALLKITE_DRAIN_SECONDS: '0',
    CALLKITE_OPERATOR_TOKEN: operatorToken,
    ...environment,
  });
  running = await startServer(
    settings,
    createTerminal({ write: (text) => lines.push(...text.split('\n').slice(0, -1)) }),
  );
  const key = (mode: string) =>
    new RegExp(`^API key \\(${mode}\\): (\\S+)$`, 'm').exec(lines.join('\n'))?.[1];
  return { url: `http://127.0.0.1:${port}`, lines, key };
}

describe('the server on its embedded default', { timeout: 120_000 }, () => {
  let liveKey = '';

  it('introduces itself on the first start, and places a demonstration call', async () => {
    const { url, lines, key } = await start();
    expect(key('live')).toMatch(/^ck_live_/);
    expect(key('test')).toMatch(/^ck_test_/);
    liveKey = key('live') ?? '';
    const curl = lines.find((line) => line.startsWith('curl '));
    expect(curl).toContain(`${url}/call-prompt`);
    expect(curl).toContain(liveKey);
    await eventually('the summary of the demonstration', () =>
      lines.find((line) => line.includes('summary')),
    );
    const shown = lines.join('\n');
    expect(shown).toContain('agent   Hello, I am an AI assistant');
    expect(shown).toContain('callee  ');
    expect(shown).toContain('result  success, completed');
    expect(lines.filter((line) => line.includes('(answered)'))).toHaveLength(1);
  });

  it('keeps its secrets to the owner of the data directory', async () => {
    expect(await readdir(dataDirectory)).toEqual(expect.arrayContaining(['database', 'secret-key']));
    expect((await stat(dataDirectory)).mode & 0o777).toBe(0o700);
    expect((await stat(path.join(dataDirectory, 'secret-key'))).mode & 0o777).toBe(0o600);
  });

  it('goes on with the same data on the second start, without an introduction', async () => {
    const { url, lines } = await start();
    expect(lines.join('\n')).not.toMatch(/API key|first call/i);
    const headers = { authorization: `Bearer ${liveKey}`, 'content-type': 'application/json' };
    const { workflows } = (await (await fetch(`${url}/workflows`, { headers })).json()) as {
      workflows: { id: string; name: string }[];
    };
    const sample = workflows.find(({ name }) => name === 'Appointment reminder');
    const body = JSON.stringify({ recipient_phone: '+12025550102', workflow_id: sample?.id });
    const placed = await fetch(`${url}/call`, { method: 'POST', headers, body });
    expect(await placed.json()).toMatchObject({ success: true });
    const result = await eventually('the end of the call', async () => {
      const answer = await fetch(`${url}/calls?workflow_id=${sample?.id}`, { headers });
      const { calls } = (await answer.json()) as { calls: { call_status: string | null }[] };
      return calls[0]?.call_status ?? undefined;
    });
    expect(result).toBe('success');
  });

  it('places calls of test keys as well', async () => {
    const { url, key } = await start({
      CALLKITE_DATA_DIR: path.join(workspace, 'other'),
      CALLKITE_DEMO: '0',
    });
    const headers = { authorization: `Bearer ${key('test')}`, 'content-type': 'application/json' };
    const body = JSON.stringify({ prompt: 'Ask whether the shop is open', recipient_phone: '+12025550111' });
    const placed = await fetch(`${url}/call-prompt`, { method: 'POST', headers, body });
    const { call_id: callId } = (await placed.json()) as { call_id: string };
    const call = await eventually('the end of the call', async () => {
      const answer = await fetch(`${url}/calls/${callId}`, { headers });
      const found = (await answer.json()) as { state: string; mode: string };
      return found.state === 'completed' ? found : undefined;
    });
    expect(call.mode).toBe('test');
  });

  it('places calls of test keys of an organization that the operator created', async () => {
    const { url } = await start({ CALLKITE_DEMO: '0' });
    const send = async (key: string, method: string, path: string, body?: object) => {
      const answer = await fetch(url + path, {
        method,
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        ...(body && { body: JSON.stringify(body) }),
      });
      expect(answer.ok, `${method} ${path}: ${await answer.clone().text()}`).toBe(true);
      return (await answer.json()) as Record<string, string>;
    };
    const { id } = await send(operatorToken, 'POST', '/organizations', { name: 'Second Dental' });
    const { key = '' } = await send(operatorToken, 'POST', `/organizations/${id}/api-keys`, {
      name: 'Trial',
      mode: 'test',
    });
    const workflow = await send(key, 'POST', '/workflows', {
      name: 'Hours',
      definition: { objective: 'Ask whether the shop is open on Sunday.' },
    });
    await send(key, 'POST', '/call', { recipient_phone: '+12025550102', workflow_id: workflow.id });
    const call = await eventually('the end of the call', async () => {
      const { calls } = (await send(key, 'GET', '/calls')) as unknown as { calls: { state: string }[] };
      return calls.find(({ state }) => state === 'completed');
    });
    expect(call).toMatchObject({ mode: 'test', call_status: 'success', provider_status: 'completed' });
  });

  it('talks with the second model where the first is not there', async () => {
    const second = await startOpenAiEmulator();
    try {
      const { lines } = await start({
        CALLKITE_DATA_DIR: path.join(workspace, 'second-model'),
        OPENAI_BASE_URL: 'http://127.0.0.1:9/v1',
        OPENAI_SECOND_BASE_URL: second.url,
        OPENAI_SECOND_API_KEY: 'emulated',
      });
      await eventually('the summary of the demonstration', () =>
        lines.find((line) => line.includes('summary')),
      );
      expect(lines.join('\n')).toContain('result  success, completed');
      expect(second.requests().filter(({ status }) => status === 200)).not.toEqual([]);
    } finally {
      await running?.stop();
      await second.close();
    }
  });

  it('tells its metrics to the operator, without ids in their labels', async () => {
    const { url } = await start();
    const secret = { authorization: `Bearer ${operatorToken}` };
    await fetch(`${url}/calls/call_01k9example`, { headers: { authorization: `Bearer ${liveKey}` } });
    await fetch(`${url}/made-up/path`);
    expect((await fetch(`${url}/metrics`)).status).toBe(401);
    const text = await (await fetch(`${url}/metrics`, { headers: secret })).text();
    expect(text).toContain('process_cpu_user_seconds_total');
    expect(text).toContain('callkite_jobs_waiting{kind="deliver"}');
    expect(text).toContain('callkite_http_requests_total{method="GET",route="/calls",status="404"} 1');
    expect(text).toContain('callkite_http_requests_total{method="GET",route="other",status="404"} 1');
    expect(text).not.toContain('call_01k9');
  });

  it('keeps idle connections longer than load balancers do', async () => {
    const { url } = await start({ CALLKITE_DEMO: '0' });
    const { headers } = await fetch(`${url}/healthz`);
    expect(headers.get('keep-alive')).toBe('timeout=65');
  });

  it('sends headers that keep browsers careful, and no other product’s name', async () => {
    const { url } = await start();
    const { headers, status } = await fetch(`${url}/docs`);
    expect(status).toBe(200);
    expect(headers.get('content-security-policy')).toContain("default-src 'none'");
    expect(headers.get('x-frame-options')).toBe('DENY');
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('x-powered-by')).toBeNull();
  });

  it('leaves organizations and keys to the operator in production, and live calls to the real carrier', async () => {
    const { url, lines } = await start({
      NODE_ENV: 'production',
      PUBLIC_URL: 'https://calls.example.com',
      CALLKITE_SECRET_KEY: (await readFile(path.join(dataDirectory, 'secret-key'), 'utf8')).trim(),
      OPENAI_API_KEY: 'sk-example',
    });
    expect(lines.join('\n')).toContain('Phone network  Twilio');
    expect(lines.join('\n')).not.toContain('API key');
    const answer = await fetch(`${url}/connections`, { headers: { authorization: `Bearer ${liveKey}` } });
    const { connections } = (await answer.json()) as { connections: { mode: string; status: string }[] };
    expect(connections.filter(({ mode }) => mode === 'live')).toMatchObject([{ status: 'out_of_use' }]);
  });
});
