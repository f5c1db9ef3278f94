import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const run = promisify(execFile);
const root = fileURLToPath(new URL('../../', import.meta.url));

/** Names every published entry must offer, to ESM and to CommonJS hosts alike. */
const entries: Record<string, readonly string[]> = {
  '@callkite/core': ['createCallkite', 'CallkiteError', 'createId'],
  '@callkite/contract': ['workflowDefinition', 'callStatus'],
  '@callkite/core/node': [],
  '@callkite/core/testing': [],
  '@callkite/postgres': ['postgres', 'pglite'],
  '@callkite/twilio': ['twilio'],
  '@callkite/openai': ['openAi'],
  '@callkite/express': ['callkiteMiddleware'],
  '@callkite/nestjs': ['CallkiteModule'],
  '@callkite/api-reference': ['apiReference'],
  '@callkite/client': ['callkite', 'CallkiteConnectionError', 'verifyWebhook'],
  '@callkite/emulated-voice': ['speak', 'listener'],
  '@callkite/twilio-emulator': ['startTwilioEmulator'],
  '@callkite/openai-emulator': ['startOpenAiEmulator'],
};
const commands = ['twilio-emulator', 'openai-emulator'];

const folders = readdirSync(path.join(root, 'packages'))
  .filter((folder) => folder !== 'n8n-nodes-callkite')
  .filter((folder) => manifestIn(path.join(root, 'packages', folder)).private !== true);
const workspace = mkdtempSync(path.join(tmpdir(), 'callkite-packed-'));
const tarballs = new Map<string, string>();

interface Manifest {
  readonly name: string;
  readonly private?: boolean;
  readonly keywords?: readonly string[];
}

function manifestIn(folder: string): Manifest {
  return JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8')) as Manifest;
}

beforeAll(async () => {
  for (const folder of folders) {
    const cwd = path.join(root, 'packages', folder);
    const { stdout } = await run('pnpm', ['pack', '--json', '--pack-destination', workspace], { cwd });
    tarballs.set(folder, (JSON.parse(stdout) as { filename: string }).filename);
  }
  const files = Object.fromEntries(
    [...tarballs].map(([folder, file]) => [
      manifestIn(path.join(root, 'packages', folder)).name,
      `file:${file}`,
    ]),
  );
  const frameworks = Object.fromEntries(
    ['@nestjs/common', '@nestjs/core', '@nestjs/platform-express', 'express', 'reflect-metadata', 'rxjs'].map(
      (name) => [name, '*'],
    ),
  );
  writeFileSync(
    path.join(workspace, 'package.json'),
    JSON.stringify({
      private: true,
      dependencies: { ...files, ...frameworks },
      pnpm: { overrides: files },
    }),
  );
  await run('pnpm', ['install', '--prefer-offline', '--ignore-scripts', '--ignore-workspace'], {
    cwd: workspace,
  });
}, 180_000);

afterAll(() => rmSync(workspace, { recursive: true, force: true }));

describe.each(folders)('the tarball of packages/%s', (folder) => {
  it('holds the licence, a README and built code, and no tests', async () => {
    const { stdout } = await run('tar', ['-tzf', tarballs.get(folder) ?? '']);
    const files = stdout.trim().split('\n');
    expect(files).toEqual(
      expect.arrayContaining([
        'package/LICENSE',
        'package/README.md',
        'package/dist/index.js',
        'package/dist/index.d.ts',
      ]),
    );
    expect(files.filter((file) => /\.test\.|tsbuildinfo/.test(file))).toEqual([]);
    const unbuilt = files
      .filter((file) => /^package\/src\/.*\.ts$/.test(file))
      .filter((file) => !files.includes(file.replace('/src/', '/dist/').replace(/\.ts$/, '.js')));
    expect(unbuilt).toEqual([]);
  });

  it('has a manifest that stands on its own', async () => {
    const { stdout } = await run('tar', ['-xzOf', tarballs.get(folder) ?? '', 'package/package.json']);
    expect(stdout).not.toMatch(/"(workspace|catalog):/);
    expect((JSON.parse(stdout) as Manifest).keywords).toContain('callkite');
  });

  it('passes publint', async () => {
    const tarball = Uint8Array.from(readFileSync(tarballs.get(folder) ?? '')).buffer;
    const { messages, pkg } = await publint({ pack: { tarball }, strict: true });
    expect(messages.map((message) => formatMessage(message, pkg))).toEqual([]);
  });
});

describe('a project that installed the client alone', () => {
  const project = mkdtempSync(path.join(tmpdir(), 'callkite-client-'));
  afterAll(() => rmSync(project, { recursive: true, force: true }));

  it('gets the contract, what it is made of, and nothing else', async () => {
    const files = Object.fromEntries(
      ['client', 'contract'].map((folder) => [`@callkite/${folder}`, `file:${tarballs.get(folder)}`]),
    );
    const manifest = { private: true, dependencies: files, pnpm: { overrides: files } };
    writeFileSync(path.join(project, 'package.json'), JSON.stringify(manifest));
    await run('pnpm', ['install', '--prefer-offline', '--ignore-scripts', '--ignore-workspace'], {
      cwd: project,
    });
    const store = path.join(project, 'node_modules/.pnpm');
    const packages = readdirSync(path.join(store, 'node_modules')).concat(readdirSync(store));
    const installed = packages
      .filter((name) => /@(file|\d)/.test(name))
      .map((name) => name.replace(/(.)@.*/, '$1'));
    expect(installed.sort()).toEqual([
      '@callkite+client',
      '@callkite+contract',
      '@stablelib+base64',
      'fast-sha256',
      'standardwebhooks',
      'zod',
    ]);
    // Most of it are the types of zod; the client itself runs without.
    expect(sizeOf(store)).toBeLessThan(8_000_000);
    const { stdout } = await run('tar', [
      '-xzOf',
      tarballs.get('client') ?? '',
      '--wildcards',
      'package/dist/*.js',
    ]);
    expect(
      [...stdout.matchAll(/^(?:import|export)[^;]* from '([^.'][^']*)'/gm)].map(([, from]) => from),
    ).toEqual(['standardwebhooks', 'standardwebhooks']);
  });

  const sizeOf = (folder: string): number =>
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .reduce((sum, { parentPath, name }) => sum + statSync(path.join(parentPath, name)).size, 0);
});

describe('a project that installed the tarballs', () => {
  const script = (load: string) => `
    const names = {};
    for (const entry of ${JSON.stringify(Object.keys(entries))}) names[entry] = Object.keys(${load});
    console.log(JSON.stringify(names));`;

  it.each([
    ['import', 'esm.mjs', 'await import(entry)'],
    ['require()', 'commonjs.cjs', 'require(entry)'],
  ])('loads every entry with %s', async (_how, file, load) => {
    writeFileSync(path.join(workspace, file), script(load));
    const { stdout } = await run(process.execPath, [file], { cwd: workspace });
    const found = JSON.parse(stdout) as Record<string, string[]>;
    for (const [entry, names] of Object.entries(entries)) {
      expect(found[entry], entry).toEqual(expect.arrayContaining([...names]));
    }
  });

  it('compiles against the published types', async () => {
    const uses = Object.entries(entries).map(
      ([entry, names], index) =>
        `import * as entry${index} from '${entry}';\nexport const use${index} = [${names.map((name) => `entry${index}.${name}`)}];`,
    );
    writeFileSync(path.join(workspace, 'consumer.ts'), uses.join('\n'));
    const tsc = path.join(root, 'node_modules/typescript/bin/tsc');
    const options = ['--noEmit', '--strict', '--skipLibCheck', '--module', 'nodenext', '--target', 'es2023'];
    await run(process.execPath, [tsc, ...options, 'consumer.ts'], { cwd: workspace }).catch(
      (error: { stdout: string }) => expect(error.stdout).toBe(''),
    );
  });

  it.each(commands)('finds the command %s', async (command) => {
    const { stdout } = await run(path.join(workspace, 'node_modules/.bin', command), ['--help']);
    expect(stdout).toContain(command);
  });
});
