import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import path from 'node:path';

/** Where n8n and its tools are installed, once; outside of the repository. `CALLKITE_N8N_CACHE` names another place. */
const cache = process.env.CALLKITE_N8N_CACHE ?? path.join(homedir(), '.cache/callkite');

/** The newest n8n that runs on Node 20. */
const n8nVersion = '2.8.4';

/** Installs n8n unless it is there, and returns the folder that holds its `node_modules`. */
export function installN8n(): string {
  return install(`n8n-${n8nVersion}`, [], {
    'package.json': JSON.stringify({ private: true, dependencies: { n8n: n8nVersion } }),
    // n8n takes xlsx from an address of its own, and no node of ours reads spreadsheets: any will do.
    'pnpm-workspace.yaml':
      'packages: []\nnodeLinker: hoisted\nonlyBuiltDependencies: [sqlite3]\nautoInstallPeers: false\noverrides:\n  xlsx: 0.18.5\n  "@langchain/langgraph-checkpoint": 1.0.0\n',
  });
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
