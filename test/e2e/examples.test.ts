import { execFile } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { beforeAll, expect, it } from 'vitest';
import { freePort } from '../embedded.ts';

const run = promisify(execFile);
const root = fileURLToPath(new URL('../../', import.meta.url));
// The others are workflows to import into n8n.
const examples = readdirSync(path.join(root, 'examples')).filter((name) =>
  existsSync(path.join(root, 'examples', name, 'main.ts')),
);

beforeAll(async () => {
  const tsc = path.join(root, 'node_modules/typescript/bin/tsc');
  await run(process.execPath, [tsc, '-b', ...examples.map((name) => path.join(root, 'examples', name))]);
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
