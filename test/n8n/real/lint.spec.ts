import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { packageFolder } from '../built-nodes.ts';
import { packNodes } from '../packed-nodes.ts';
import { installTools } from './installations.ts';

// n8n's rules judge every file as if it had another name when NODE_ENV is test, as it is here.
const { NODE_ENV: _test, ...env } = process.env;
const sourcePatterns = ['package.json', '{nodes,credentials}/**/*.{js,ts,json}'];
let tools: string;
let folder: string;
let source: string;

beforeAll(() => {
  tools = installTools();
  folder = mkdtempSync(path.join(tools, 'linted-'));
  source = path.join(folder, 'source');
  const copied = ['package.json', 'tsconfig.json', 'eslint.config.mjs', 'credentials', 'nodes', 'icons'];
  for (const name of copied) {
    cpSync(path.join(packageFolder, name), path.join(source, name), { recursive: true });
  }
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** What n8n's verification finds in a folder. */
function scan(scanned: string, patterns?: readonly string[]): { passed: boolean; details?: string } {
  const scanner = pathToFileURL(
    path.join(tools, 'node_modules/@n8n/scan-community-package/scanner/scanner.mjs'),
  );
  const program = `
    const { analyzePackage } = await import('${scanner.href}');
    const result = await analyzePackage(${JSON.stringify(scanned)}, ${JSON.stringify(patterns)});
    console.log(JSON.stringify(result));`;
  const printed = execFileSync(process.execPath, ['--input-type=module', '-e', program], {
    env,
    encoding: 'utf8',
  });
  return JSON.parse(printed);
}

describe('the source', () => {
  it('passes the lint of n8n, in strict mode and without a warning', () => {
    const lint = spawnSync(path.join(tools, 'node_modules/.bin/n8n-node'), ['lint'], {
      cwd: source,
      env,
      encoding: 'utf8',
    });
    expect([lint.status, lint.stdout]).toEqual([0, expect.not.stringMatching(/warning|error/)]);
  });

  it('passes the verification scan of n8n', () => {
    expect(scan(source, sourcePatterns)).toEqual({ passed: true });
  });

  it('would not pass it with what n8n forbids', () => {
    const spoiled = path.join(folder, 'spoiled');
    cpSync(source, spoiled, { recursive: true });
    writeFileSync(path.join(spoiled, 'nodes/Callkite/spoiled.ts'), 'export const home = process.env.HOME;\n');
    expect(scan(spoiled, sourcePatterns)).toMatchObject({ passed: false });
  });
});

it('the tarball passes the verification scan of n8n', () => {
  const unpacked = path.join(folder, 'tarball');
  mkdirSync(unpacked);
  execFileSync('tar', ['-xzf', packNodes(folder), '-C', unpacked, '--strip-components=1']);
  expect(scan(unpacked)).toEqual({ passed: true });
});
