import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { eventually, freePort } from '../embedded.ts';
import { buildServer, hasStarted, patienceMs, type Running, runServer } from './server-program.ts';

/** Within the requests that a key may make in a minute. */
const pollMs = 250;

let workspace: string;
let running: Running | undefined;
let url = '';
const keys = { live: '', test: '' };
/** Never contacted: nothing is connected to it. */
const live = {
  PUBLIC_URL: 'https://calls.example.com',
  CALLKITE_SECRET_KEY: randomBytes(32).toString('base64'),
  OPENAI_API_KEY: 'sk-example',
};

beforeAll(async () => {
  await buildServer();
  workspace = await mkdtemp(path.join(tmpdir(), 'callkite-going-live-'));
}, 300_000);
afterEach(kill);
afterAll(() => rm(workspace, { recursive: true, force: true }));

async function start(environment: Record<string, string> = {}): Promise<Running> {
  const port = await freePort();
  url = `http://127.0.0.1:${port}`;
  running = runServer(workspace, {
    PORT: String(port),
    CALLKITE_EMULATOR_SPEED: '10',
    CALLKITE_DRAIN_SECONDS: '0',
    ...environment,
  });
  await hasStarted(running);
  return running;
}

async function kill(): Promise<void> {
  running?.child.kill('SIGKILL');
  await running?.exitCode;
}

async function request(mode: 'live' | 'test', target: string, body?: object) {
  const answer = await fetch(`${url}${target}`, {
    method: body ? 'POST' : 'GET',
    headers: { authorization: `Bearer ${keys[mode]}`, 'content-type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  });
  return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
}

const prompt = { prompt: 'Ask whether the shop is open tomorrow', recipient_phone: '+12025550102' };

async function placed(mode: 'live' | 'test'): Promise<string> {
  const { status, body } = await request(mode, '/call-prompt', prompt);
  expect(status, JSON.stringify(body)).toBe(200);
  return `/calls/${String(body.call_id)}`;
}

const ended = (mode: 'live' | 'test', target: string) =>
  eventually(
    'the end of the call',
    async () => {
      const { body } = await request(mode, target);
      return body.state === 'completed' ? body : undefined;
    },
    patienceMs,
    pollMs,
  );

it('starts on data that was tried out, also after kill -9, and goes back again', {
  timeout: 300_000,
}, async () => {
  const tried = await start();
  for (const mode of ['live', 'test'] as const) {
    keys[mode] = new RegExp(`^API key \\(${mode}\\): (\\S+)$`, 'm').exec(tried.printed())?.[1] ?? '';
  }
  const workflow = await request('live', '/workflows', {
    name: 'Recorded',
    definition: { objective: 'Ask whether the shop is open.', recording: { mode: 'announce' } },
  });
  await request('live', '/call', { recipient_phone: '+12025550103', workflow_id: workflow.body.id });
  const recorded = await eventually(
    'the recording',
    async () => {
      const { body } = await request('live', `/calls?workflow_id=${String(workflow.body.id)}`);
      const [call] = body.calls as { call_id: string; recording_url: string | null }[];
      return call?.recording_url ? `/calls/${call.call_id}` : undefined;
    },
    patienceMs,
    pollMs,
  );
  const open = await placed('live');
  const isDialed = async () => (await request('live', open)).body.state !== 'queued';
  await eventually('the dial', isDialed, patienceMs, pollMs);
  await kill();

  const lived = await start(live);
  expect(lived.printed()).toContain('Phone network  Twilio');
  expect(lived.printed()).toContain('were ended, and its recordings given up');
  expect(await ended('live', open)).toMatchObject({
    call_status: 'not_picked_up',
    provider_status: 'failed',
    reason: expect.stringMatching(/^(carrier_record_missing|placement_unconfirmed)$/),
  });
  expect((await request('live', recorded)).body).toMatchObject({ state: 'completed', recording_url: null });
  expect((await request('live', '/connections')).body).toMatchObject({
    connections: [{ mode: 'live', status: 'out_of_use' }],
  });
  expect((await request('live', '/call-prompt', prompt)).status).toBe(503);
  expect(await ended('test', await placed('test'))).toMatchObject({ call_status: 'success' });
  await kill();

  const again = await start(live);
  expect(again.printed()).not.toContain('recordings given up');
  await kill();

  await start();
  expect(await ended('live', await placed('live'))).toMatchObject({ call_status: 'success' });
});
