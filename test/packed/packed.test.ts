import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core';
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
  '@callkite/core/tsyringe': [],
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
  readonly [field: string]: unknown;
}

function manifestIn(folder: string): Manifest {
  return JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8')) as Manifest;
}

beforeAll(async () => {
  for (const folder of folders) {
    const cwd = path.join(root, 'packages', folder);
    const { stdout } = await run('pnpm', ['pack', '--json', '--pack-destination', workspace], { cwd });
    // What a package does before it is packed is written first.
    const report = JSON.parse(stdout.slice(stdout.search(/^\{$/m))) as { filename: string };
    tarballs.set(folder, report.filename);
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
      dependencies: { ...files, ...frameworks, '@types/node': '^20.19.0', tsyringe: '^4.10.0' },
      pnpm: { overrides: files },
    }),
  );
  await run('pnpm', ['install', '--prefer-offline', '--ignore-scripts', '--ignore-workspace'], {
    cwd: workspace,
  });
}, 180_000);

afterAll(() => rmSync(workspace, { recursive: true, force: true }));

const project = 'https://github.com/callkite/callkite';

it.each([...folders, 'n8n-nodes-callkite', '../apps/widget'])('packages/%s says whose it is', (folder) => {
  const directory = path.posix.join('packages', folder);
  const manifest = manifestIn(path.join(root, directory));
  expect(manifest).toMatchObject({
    homepage: `${project}/tree/main/${directory}#readme`,
    bugs: `${project}/issues`,
    author: expect.anything(),
    repository: { type: 'git', url: `git+${project}.git`, directory },
  });
});

it('names no package in the docs that is not ours to publish', async () => {
  const ours = [...folders, '../apps/widget'].map(
    (each) => manifestIn(path.join(root, 'packages', each)).name,
  );
  const { stdout } = await run(
    'git',
    ['grep', '-hoE', '(npm (install|i)|npx|pnpm add|yarn add) [^`]+', '--', '*.md'],
    {
      cwd: root,
    },
  );
  const named = stdout.matchAll(/(?<=\s)@?[a-z][\w./@-]*/g);
  const known = new Set([...ours, 'n8n-nodes-callkite', 'pnpm', '@electric-sql/pglite', 'pnpm@10']);
  const commandsOfNpx = [...stdout.matchAll(/npx (?:-y |--yes )?([\w@./-]+)/g)].map(([, name = '']) => name);
  expect(commandsOfNpx.filter((name) => !known.has(name) && !name.startsWith('--'))).toEqual([]);
  const scoped = [...named].map(([name]) => name).filter((name) => name.startsWith('@callkite/'));
  expect(scoped.filter((name) => !known.has(name))).toEqual([]);
});

describe.each(folders)('the tarball of packages/%s', (folder) => {
  it('holds the license, a README and built code, and no tests', async () => {
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

  it('passes "are the types wrong?", but for being ESM alone', async () => {
    const tarball = createPackageFromTarballData(readFileSync(tarballs.get(folder) ?? ''));
    const result = await checkPackage(tarball);
    const problems = result.types ? result.problems : ['it has no types'];
    expect(problems.filter((each) => typeof each === 'string' || each.kind !== 'CJSResolvesToESM')).toEqual(
      [],
    );
  });
});

describe('a project that installed the store without PGlite', () => {
  const project = mkdtempSync(path.join(tmpdir(), 'callkite-store-'));
  afterAll(() => rmSync(project, { recursive: true, force: true }));

  it('uses a server, and hears what is missing when it asks for PGlite', async () => {
    const files = Object.fromEntries(
      ['postgres', 'core', 'contract'].map((folder) => [
        `@callkite/${folder}`,
        `file:${tarballs.get(folder)}`,
      ]),
    );
    const manifest = { private: true, type: 'module', dependencies: files, pnpm: { overrides: files } };
    writeFileSync(path.join(project, 'package.json'), JSON.stringify(manifest));
    writeFileSync(
      path.join(project, 'main.js'),
      `import { pglite, postgres } from '@callkite/postgres';
       await postgres({ connectionString: 'postgres://127.0.0.1/none' }).stop();
       await pglite({ dataDir: 'memory' }).start().catch((error) => console.log(error.code, error.message));`,
    );
    await run('pnpm', ['install', '--prefer-offline', '--ignore-scripts', '--ignore-workspace'], {
      cwd: project,
    });
    const { stdout } = await run(process.execPath, ['main.js'], { cwd: project });
    expect(stdout).toMatch(
      /^storage_unavailable pglite\(\) needs the package @electric-sql\/pglite: install it/,
    );
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
      [...stdout.matchAll(/(?:import|export) [^;]* from '([^.'][^']*)'/g)].map(([, from]) => from),
    ).toEqual(['standardwebhooks', 'standardwebhooks']);
  });

  const sizeOf = (folder: string): number =>
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .reduce((sum, { parentPath, name }) => sum + statSync(path.join(parentPath, name)).size, 0);
});

describe('a project that installed the tarballs', () => {
  // What tsyringe wants of its hosts.
  const script = (load: string, polyfill: string) => `
    ${polyfill};
    const names = {};
    for (const entry of ${JSON.stringify(Object.keys(entries))}) names[entry] = Object.keys(${load});
    console.log(JSON.stringify(names));`;

  it.each([
    ['import', 'esm.mjs', 'await import(entry)', "import 'reflect-metadata'"],
    ['require()', 'commonjs.cjs', 'require(entry)', "require('reflect-metadata')"],
  ])('loads every entry with %s', async (_how, file, load, polyfill) => {
    writeFileSync(path.join(workspace, file), script(load, polyfill));
    const { stdout } = await run(process.execPath, [file], { cwd: workspace });
    const found = JSON.parse(stdout) as Record<string, string[]>;
    for (const [entry, names] of Object.entries(entries)) {
      expect(found[entry], entry).toEqual(expect.arrayContaining([...names]));
    }
  });

  it.each([
    ['nodenext', 'nodenext'],
    // Resolvers from before `exports`.
    ['node10', 'commonjs'],
  ])(
    'compiles against the published types as moduleResolution %s finds them',
    async (resolution, module) => {
      const uses = Object.entries(entries).map(
        ([entry, names], index) =>
          `import * as entry${index} from '${entry}';\nexport const use${index} = [${names.map((name) => `entry${index}.${name}`)}];`,
      );
      writeFileSync(path.join(workspace, 'consumer.ts'), uses.join('\n'));
      const tsc = path.join(root, 'node_modules/typescript/bin/tsc');
      const options = [
        '--noEmit',
        '--strict',
        '--skipLibCheck',
        'false',
        '--esModuleInterop',
        '--target',
        'es2023',
      ];
      const how = ['--module', module, '--moduleResolution', resolution, '--types', 'node'];
      await run(process.execPath, [tsc, ...options, ...how, 'consumer.ts'], { cwd: workspace }).catch(
        (error: { stdout: string }) => expect(error.stdout).toBe(''),
      );
    },
    180_000,
  );

  it.each(commands)('finds the command %s', async (command) => {
    const { stdout } = await run(path.join(workspace, 'node_modules/.bin', command), ['--help']);
    expect(stdout).toContain(command);
  });
});
