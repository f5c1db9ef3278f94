import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('../../', import.meta.url));
const read = (file: string) => readFileSync(path.join(root, file), 'utf8');
const folders = (parent: string) =>
  existsSync(path.join(root, parent))
    ? readdirSync(path.join(root, parent), { withFileTypes: true })
        .filter((entry) => entry.isDirectory())
        .map((entry) => `${parent}/${entry.name}`)
    : [];

/** What each package may depend on at run time, apart from the standard modules. `*` allows anything. */
const mayDependOn: Record<string, readonly string[]> = {
  'packages/contract': ['zod'],
  'packages/core': [
    '@callkite/contract',
    'ipaddr.js',
    'keyv',
    'libphonenumber-js',
    'rate-limiter-flexible',
    'standardwebhooks',
    'undici',
    'ws',
    'zod',
  ],
  'packages/postgres': [
    '@callkite/contract',
    '@callkite/core',
    '@types/pg',
    'kysely',
    'pg',
    'rate-limiter-flexible',
  ],
  'packages/twilio': ['@callkite/core', 'twilio', 'zod'],
  'packages/openai': ['@callkite/core', 'eventsource-parser', 'openai', 'ws', 'zod'],
  'packages/express': ['@callkite/core'],
  'packages/nestjs': ['@callkite/core', '@callkite/express'],
  // Its script for browsers is built into one file.
  'packages/api-reference': ['@callkite/core'],
  'packages/embedded': [
    '@callkite/api-reference',
    '@callkite/core',
    '@callkite/openai',
    '@callkite/openai-emulator',
    '@callkite/postgres',
    '@callkite/twilio',
    '@callkite/twilio-emulator',
    // What the postgres package leaves to its users.
    '@electric-sql/pglite',
  ],
  'packages/client': ['@callkite/contract', 'standardwebhooks'],
  'packages/emulated-voice': [],
  'packages/twilio-emulator': ['@callkite/emulated-voice', 'saxes', 'ws', 'zod'],
  'packages/openai-emulator': ['@callkite/emulated-voice', 'ws', 'zod'],
  'apps/server': ['*'],
  // Built into files for browsers; what they need is inside. The contract is for the types of its events.
  'apps/widget': ['@callkite/contract', '@lit/react', 'lit'],
};

/**
 * What the rooms of core and of the store may import from: kernel ← calls ← agent ← channels and features ← http. Files
 * directly in `src` put it all together, and nobody imports them.
 */
const mayImport: Record<string, readonly string[]> = {
  kernel: [],
  calls: ['kernel'],
  agent: ['kernel', 'calls'],
  channels: ['kernel', 'calls', 'agent'],
  features: ['kernel', 'calls', 'agent'],
  http: ['kernel', 'calls', 'agent', 'channels', 'features'],
  testing: ['kernel', 'calls', 'agent', 'channels', 'features'],
};

/** Features and channels that know another one, and which. A new pair is a decision: add it only with a reason. */
const alsoImports: Record<string, readonly string[]> = {
  // Abilities of the agent that features do not lend it yet.
  agent: [
    'features/do-not-call',
    'features/forms',
    'features/recordings',
    'features/transfers',
    'features/workflows',
  ],
  'channels/phone': ['features/forms', 'features/recordings', 'features/transfers'],
  'channels/web': ['features/calls', 'features/organizations', 'features/workflows'],
  // A call is accepted, told of and erased with all that belongs to it.
  'features/calls': [
    'channels/web',
    'features/do-not-call',
    'features/forms',
    'features/recordings',
    'features/transfers',
    'features/workflows',
  ],
  'features/notifications': ['features/forms'],
  'features/organizations': ['features/usage'],
  'features/recordings': ['channels/phone', 'features/transfers'],
  'features/transfers': ['features/organizations'],
  'features/workflows': ['features/forms', 'features/notifications', 'features/transfers'],
};

interface Source {
  /** Path from the root of the repository. */
  readonly file: string;
  readonly text: string;
  readonly imports: readonly string[];
  /** Imports that are left when the types are erased. */
  readonly runTimeImports: readonly string[];
}

const withoutComments = (text: string) => text.replace(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, '');
const importPattern =
  /(?:^|[\n;])\s*(?:import|export)\s(?:[^'"`;]*?\sfrom\s*)?['"]([^'"]+)['"]|\bimport\(\s*['"]([^'"]+)['"]\s*\)/g;

const typeImportPattern = /^(?:import|export) type [^'"`;]*?from ['"][^'"]+['"];?$/gm;
const importsOf = (text: string) =>
  [...text.matchAll(importPattern)].map((match) => match[1] ?? match[2] ?? '');

function sourcesOf(folder: string): Source[] {
  const src = path.join(root, folder, 'src');
  if (!existsSync(src)) return [];
  // What a package builds: tests and their helpers are excluded in its tsconfig.
  const { exclude } = JSON.parse(read(`${folder}/tsconfig.json`)) as { exclude: string[] };
  return readdirSync(src, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
    .filter((name) => !exclude.some((excluded) => `src/${name}`.startsWith(`${excluded}/`)))
    .map((name) => {
      const file = `${folder}/src/${name}`;
      const text = withoutComments(read(file));
      return {
        file,
        text,
        imports: importsOf(text),
        runTimeImports: importsOf(text.replace(typeImportPattern, '')),
      };
    });
}

const packages = [...folders('packages'), ...folders('apps')].filter(
  (folder) => folder !== 'packages/n8n-nodes-callkite' && existsSync(path.join(root, folder, 'package.json')),
);
const sources = packages.flatMap(sourcesOf);
/** Becomes files for browsers with everything inside: the types it was made with are nobody else's business. */
const isBundled = (folder: string) => folder === 'apps/widget';
const packageName = (specifier: string) =>
  specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/');
const isRelative = (specifier: string) => specifier.startsWith('.');
const resolved = (source: Source, specifier: string) =>
  path.posix.join(path.posix.dirname(source.file), specifier);

describe('the import table of the workspace', () => {
  it('was read from real sources', () => {
    expect(sources.length).toBeGreaterThan(30);
    expect(sources.find((source) => source.file === 'packages/core/src/index.ts')?.imports).toContain(
      './kernel/errors.ts',
    );
  });

  it.each(packages)('%s depends only on what the table allows, and declares what it imports', (folder) => {
    const manifest = JSON.parse(read(`${folder}/package.json`)) as Record<
      string,
      Record<string, string> | undefined
    > & { readonly name: string };
    const allowed = mayDependOn[folder];
    expect(allowed, `add ${folder} to the table`).toBeDefined();
    const dependencies = Object.keys(manifest.dependencies ?? {});
    if (!allowed?.includes('*')) expect(dependencies.filter((name) => !allowed?.includes(name))).toEqual([]);
    const declared = new Set([...dependencies, ...Object.keys(manifest.peerDependencies ?? {})]);
    const undeclared = sourcesOf(folder).flatMap((source) =>
      (isBundled(folder) ? source.runTimeImports : source.imports)
        .filter((specifier) => !isRelative(specifier) && !isBuiltin(specifier))
        .filter(
          (specifier) => !declared.has(packageName(specifier)) && packageName(specifier) !== manifest.name,
        )
        .map((specifier) => `${source.file}: ${specifier}`),
    );
    expect(undeclared).toEqual([]);
  });

  it('lets the rooms of core import in one direction only', () => {
    const roomOf = (file: string) =>
      /^packages\/core\/src\/((?:channels|features)\/[^/]+|[^/]+)\//.exec(file)?.[1];
    const wrong = sources.flatMap((source) => {
      const from = roomOf(source.file);
      if (from === undefined) return [];
      const [wing = ''] = from.split('/');
      return source.imports
        .filter(isRelative)
        .map((specifier) => resolved(source, specifier))
        .filter((target) => {
          const to = roomOf(target);
          if (to === undefined) return from !== 'testing';
          if (to === from || alsoImports[from]?.includes(to)) return false;
          return !mayImport[wing]?.some((room) => to === room || to.startsWith(`${room}/`));
        })
        .map((target) => `${source.file} -> ${target}`);
    });
    expect(wrong).toEqual([]);
  });

  it('has no pair of rooms on its list that do not know each other', () => {
    const known = new Set(
      sources.flatMap((source) =>
        source.imports.filter(isRelative).map((specifier) => {
          const roomsOf = [source.file, resolved(source, specifier)].map(
            (file) => /^packages\/core\/src\/((?:channels|features)\/[^/]+|[^/]+)\//.exec(file)?.[1],
          );
          return roomsOf.join(' -> ');
        }),
      ),
    );
    const listed = Object.entries(alsoImports).flatMap(([from, rooms]) =>
      rooms.map((to) => `${from} -> ${to}`),
    );
    expect(listed.filter((pair) => !known.has(pair))).toEqual([]);
  });

  it('has no import cycles', () => {
    // The parts of an emulated call hold each other: there it is the types alone that go round.
    const edgesOf = (source: Source) =>
      source.file.startsWith('packages/twilio-emulator/') ? source.runTimeImports : source.imports;
    const graph = new Map(
      sources.map((source) => [
        source.file,
        edgesOf(source)
          .filter(isRelative)
          .map((specifier) => resolved(source, specifier)),
      ]),
    );
    const done = new Set<string>();
    const cycles: string[] = [];
    const visit = (file: string, trail: readonly string[]) => {
      if (trail.includes(file)) cycles.push([...trail.slice(trail.indexOf(file)), file].join(' -> '));
      if (done.has(file) || trail.includes(file)) return;
      for (const next of graph.get(file) ?? []) visit(next, [...trail, file]);
      done.add(file);
    };
    for (const file of graph.keys()) visit(file, []);
    expect(cycles).toEqual([]);
  });
});

describe('rules on single constructs', () => {
  const filesWith = (pattern: RegExp) =>
    sources.filter((source) => pattern.test(source.text)).map(({ file }) => file);

  it('reads the environment only where the server and the command lines begin', () => {
    const allowed = /^apps\/server\/src\/env\.ts$|\/cli\.ts$/;
    expect(filesWith(/process\.(env|loadEnvFile)\b/).filter((file) => !allowed.test(file))).toEqual([]);
  });

  it('uses the container only in the composition root and in its own entry of core', () => {
    const users = sources.filter((source) => source.imports.includes('tsyringe')).map(({ file }) => file);
    expect(users.sort()).toEqual(['apps/server/src/composition-root.ts', 'packages/core/src/tsyringe.ts']);
  });

  it('writes every public name out', () => {
    expect(filesWith(/export\s+\*/)).toEqual([]);
  });
});

describe('the repository', () => {
  it('has only the agreed entries at its top', () => {
    const allowed = new Set([
      ...['apps', 'examples', 'packages', 'test', '.changeset', '.ci', '.github'],
      ...['package.json', 'pnpm-lock.yaml', 'pnpm-workspace.yaml', 'tsconfig.base.json'],
      ...['Dockerfile', 'compose.yaml', '.dockerignore'],
      ...['README.md', 'CHANGELOG.md', 'CONTRIBUTING.md', 'LICENSE'],
      ...['.biome.json', '.knip.json', '.env.example', '.gitignore', '.nvmrc'],
    ]);
    const tracked = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {
      cwd: root,
      encoding: 'utf8',
    });
    const entries = new Set(
      tracked
        .trim()
        .split('\n')
        .map((file) => file.split('/')[0] ?? ''),
    );
    expect([...entries].filter((entry) => !allowed.has(entry))).toEqual([]);
  });

  it('keeps registry addresses and tarballs out of the lock file', () => {
    expect(read('pnpm-lock.yaml').match(/https?:\/\/\S+|tarball:/g) ?? []).toEqual([]);
  });
});
