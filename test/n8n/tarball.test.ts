import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { packNodes } from './packed-nodes.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'callkite-n8n-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const tarball = packNodes(folder);
const manifestOf = (text: string) =>
  JSON.parse(text) as Record<string, Record<string, string>> & {
    n8n: { nodes: string[]; credentials: string[] };
  };

describe('the tarball', () => {
  const files = execFileSync('tar', ['-tzf', tarball], { encoding: 'utf8' }).trim().split('\n');
  const read = (file: string) =>
    execFileSync('tar', ['-xzOf', tarball, `package/${file}`], { encoding: 'utf8' });
  const manifest = manifestOf(read('package.json'));

  it('is smaller than 20 KB', () => {
    expect(statSync(tarball).size).toBeLessThan(20_000);
  });

  it('holds nodes, credential, codex and icons as CommonJS, and nothing of the build', () => {
    const named = [...manifest.n8n.nodes, ...manifest.n8n.credentials];
    const codex = manifest.n8n.nodes.map((file) => file.replace(/\.js$/, '.json'));
    const icons = ['dist/icons/callkite.svg', 'dist/icons/callkite.dark.svg'];
    expect(files).toEqual(
      expect.arrayContaining(
        [...named, ...codex, ...icons, 'README.md', 'LICENSE'].map((file) => `package/${file}`),
      ),
    );
    expect(files.filter((file) => /\.(ts|map|tsbuildinfo|png)$/.test(file))).toEqual([]);
    for (const file of named) expect(read(file)).toMatch(/^"use strict";/);
  });

  it('needs nothing but the n8n that loads it', () => {
    expect(manifest.dependencies).toBeUndefined();
    expect(manifest.peerDependencies).toEqual({ 'n8n-workflow': '*' });
    expect(JSON.stringify(manifest)).not.toMatch(/"(workspace|catalog):/);
  });
});

describe.each(['appointment-reminders.json', 'call-from-chat.json', 'completed-calls-to-crm.json'])(
  'the example %s',
  (file) => {
    const text = readFileSync(new URL(`../../examples/n8n/${file}`, import.meta.url), 'utf8');
    const { nodes, connections } = JSON.parse(text) as {
      nodes: { name: string; type: string; credentials?: object }[];
      connections: Record<string, { main: { node: string }[][] }>;
    };

    it('has one of our nodes, connects nodes that it has, and no credential of anybody', () => {
      expect(nodes.some(({ type }) => type.startsWith('n8n-nodes-callkite.'))).toBe(true);
      const names = nodes.map(({ name }) => name);
      const targets = Object.values(connections).flatMap((outputs) =>
        Object.values(outputs)
          .flat(2)
          .map(({ node }) => node),
      );
      expect([...Object.keys(connections), ...targets].filter((name) => !names.includes(name))).toEqual([]);
      expect(nodes.filter(({ credentials }) => credentials !== undefined)).toEqual([]);
      expect(text).not.toMatch(/ck_(live|test)_|whsec_/);
    });
  },
);
