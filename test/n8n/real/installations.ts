import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import path from 'node:path';

/** Where n8n and its tools are installed, once; outside of the repository. `CALLKITE_N8N_CACHE` names another place. */
const cache = process.env.CALLKITE_N8N_CACHE ?? path.join(homedir(), '.cache/callkite');

/** An n8n to test on, and the version of Node it needs. `null`: the one that runs the tests. */
const generations = {
  /** The last that runs on Node 20. */
  node20: { n8n: '2.8.4', node: null, overrides: {} },
  /** The newest whose dependencies can all be installed. */
  newest: {
    n8n: '2.41.1',
    node: '24.21.0',
    // Its own version depends on a package that was withdrawn.
    overrides: { linkedom: '0.18.12' },
  },
} as const;

export interface N8nInstallation {
  /** Holds n8n's `node_modules`. */
  readonly folder: string;
  /** Path of the Node that runs it. */
  readonly node: string;
}

/** Installs an n8n, with its Node where it needs another one, unless it is there. */
function installN8n(generation: keyof typeof generations): N8nInstallation {
  const { n8n, node, overrides } = generations[generation];
  const nodePackage = `node-${process.platform}-${process.arch}`;
  // n8n takes xlsx from an address of its own, and our node reads no spreadsheets: any version will do.
  const replaced = { xlsx: '0.18.5', '@langchain/langgraph-checkpoint': '1.0.0', ...overrides };
  const folder = install(`n8n-${n8n}`, ['--config.engine-strict=false'], {
    'package.json': JSON.stringify({
      private: true,
      dependencies: { n8n, ...(node !== null && { [nodePackage]: node }) },
    }),
    'pnpm-workspace.yaml': [
      'packages: []',
      'nodeLinker: hoisted',
      'onlyBuiltDependencies: [sqlite3]',
      'autoInstallPeers: false',
      'overrides:',
      ...Object.entries(replaced).map(([name, version]) => `  "${name}": ${version}`),
      '',
    ].join('\n'),
  });
  return {
    folder,
    node: node === null ? process.execPath : path.join(folder, 'node_modules', nodePackage, 'bin/node'),
  };
}

/** The n8n that this run is for: `CALLKITE_N8N` of `vitest.config.ts`. */
export function n8nUnderTest(): N8nInstallation {
  const generation = process.env.CALLKITE_N8N;
  if (generation !== 'node20' && generation !== 'newest') {
    throw new Error(`CALLKITE_N8N must be node20 or newest, not ${generation}`);
  }
  return installN8n(generation);
}

/** Installs n8n's lint and its verification scan unless they are there, and returns their folder. */
export function installTools(): string {
  return install('n8n-tools', ['--ignore-scripts'], {
    'package.json': JSON.stringify({
      private: true,
      dependencies: {
        '@n8n/node-cli': '0.48.3',
        '@n8n/scan-community-package': '0.32.0',
        'n8n-workflow': '2.8.0',
        '@types/node': '20',
      },
    }),
    // The SDK of AI nodes would bring all of langchain along, and the parser of the scan cannot work with TypeScript 7.
    'pnpm-workspace.yaml':
      'packages: []\nnodeLinker: hoisted\nautoInstallPeers: false\noverrides:\n  "@n8n/ai-node-sdk": "-"\n  typescript: 5.9.3\n',
  });
}

function install(name: string, options: readonly string[], files: Readonly<Record<string, string>>): string {
  const folder = path.join(cache, name);
  const done = path.join(folder, 'installed');
  if (existsSync(done)) return folder;
  console.log(`Installing ${name} into ${folder}: this takes minutes, once.`);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  for (const [file, text] of Object.entries(files)) writeFileSync(path.join(folder, file), text);
  const { status } = spawnSync('nice', ['pnpm', 'install', '--reporter=append-only', ...options], {
    cwd: folder,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  if (status !== 0) throw new Error(`pnpm install ended with ${status} in ${folder}`);
  writeFileSync(done, '');
  return folder;
}
