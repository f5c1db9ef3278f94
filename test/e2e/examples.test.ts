import { execFile, spawn } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { beforeAll, expect, it } from 'vitest';
import { clipTexts, sentencesOf } from '../../packages/emulated-voice/src/speech/clips.ts';
import { eventually, freePort, startEmbedded } from '../embedded.ts';

const run = promisify(execFile);
const root = fileURLToPath(new URL('../../', import.meta.url));
// The others are workflows to import into n8n.
const programs = readdirSync(path.join(root, 'examples')).filter((name) =>
  existsSync(path.join(root, 'examples', name, 'main.ts')),
);
const examples = programs.filter((name) => !name.startsWith('demo-'));

beforeAll(async () => {
  const tsc = path.join(root, 'node_modules/typescript/bin/tsc');
  await run(process.execPath, [tsc, '-b', ...programs.map((name) => path.join(root, 'examples', name))]);
}, 120_000);

it.concurrent.each(examples)(
  'examples/%s places a call, shows what was said and how it ended, and exits',
  { timeout: 90_000 },
  async (name) => {
    const main = path.join(root, 'examples', name, 'dist/main.js');
    const { stdout, stderr } = await run(process.execPath, [main, String(await freePort())], {
      timeout: 80_000,
    });
    expect(stderr).toBe('');
    expect(stdout).toContain('I am an AI assistant calling on behalf of Example Dental');
    expect(stdout).toContain('appointment tomorrow at 10 am');
    expect(stdout).toMatch(/call_?[sS]tatus: 'success'/);
  },
);

it.concurrent('the spoken demonstration is heard in words, without a speech program too', {
  timeout: 120_000,
}, async () => {
  const folder = await mkdtemp(path.join(tmpdir(), 'callkite-demo-'));
  const file = path.join(folder, 'call.wav');
  const main = path.join(root, 'examples/demo-voice/dist/main.js');
  // No program is found there.
  const env = { ...process.env, PATH: folder };
  const { stdout, stderr } = await run(process.execPath, [main, 'voice', file], { timeout: 110_000, env });
  expect(stderr).toBe('');
  const spoken = [...stdout.matchAll(/^(assistant|user): (.+)$/gm)];
  expect(spoken.length).toBeGreaterThan(4);
  // Any other sentence would be babble.
  for (const [, role, text = ''] of spoken) {
    const recorded = clipTexts[role === 'assistant' ? 'agent' : 'callee'];
    const missing = recorded.includes(text)
      ? []
      : sentencesOf(text).filter((each) => !recorded.includes(each));
    expect(missing).toEqual([]);
  }
  expect(stdout).toContain('I am an AI assistant calling on behalf of Example Dental');
  const wav = await readFile(file);
  await rm(folder, { recursive: true });
  expect(wav.subarray(0, 4).toString()).toBe('RIFF');
  // Two channels of 16 bits at 8 kHz: ten seconds at least, in which somebody speaks.
  expect(wav.length).toBeGreaterThan(10 * 32_000);
  const samples = new Int16Array(
    wav.buffer.slice(wav.byteOffset + 44, wav.byteOffset + wav.length - (wav.length % 2)),
  );
  expect(Math.max(...samples.filter((_, index) => index % 1000 === 0).map(Math.abs))).toBeGreaterThan(500);
});

it.concurrent('examples/receive-results prints the result of a call', { timeout: 60_000 }, async () => {
  const port = await freePort();
  const receiver = spawn(process.execPath, [
    path.join(root, 'examples/receive-results/main.mjs'),
    String(port),
  ]);
  let printed = '';
  receiver.stdout.setEncoding('utf8').on('data', (text) => {
    printed += text;
  });
  const server = await startEmbedded();
  try {
    await eventually('the start of the receiver', () => printed.includes(`http://127.0.0.1:${port}`));
    await server.request('POST', '/call-prompt', {
      prompt: 'Ask whether the restaurant has a table for two tonight at 7 pm',
      recipient_phone: '+12025550102',
      callback_url: `http://127.0.0.1:${port}/call-results`,
      callback_secret: 'something only you know',
    });
    await eventually('the result', () => printed.includes('"created_at"'));
    expect(printed).toContain('POST /call-results  Authorization: Bearer something only you know');
    expect(printed).toContain('"call_status": "success"');
  } finally {
    receiver.kill();
    await server.stop();
  }
});
