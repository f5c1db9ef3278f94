import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { createServer, get, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import express from 'express';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type WidgetFiles, widgetFiles } from '../../apps/server/src/widget-files.ts';
import { buildWidget } from './world.ts';

const widget = fileURLToPath(new URL('../../apps/widget/', import.meta.url));
let built: Awaited<ReturnType<typeof buildWidget>>;
let names: string[];

beforeAll(async () => {
  built = await buildWidget();
  names = await readdir(built.directory);
}, 60_000);
afterAll(() => built?.remove());

const read = (name: string) => readFile(path.join(built.directory, name), 'utf8');
const packed = async (pattern: RegExp) => {
  const texts = await Promise.all(names.filter((name) => pattern.test(name)).map(read));
  expect(texts.length).toBeGreaterThan(0);
  return texts.reduce((sum, text) => sum + gzipSync(text, { level: 9 }).length, 0);
};

describe('the built files', () => {
  it('keep to their size, gzipped', async () => {
    const sizes = {
      core: await packed(/^widget\.js$/),
      call: await packed(/^during-call-/),
      sound: await packed(/^(voice|audio\.worklet)-/),
      callback: await packed(/^being-called-/),
      panel: await packed(/^(panel|view|en)-/),
    };
    console.log(`Bytes, gzipped: ${JSON.stringify(sizes)}`);
    expect(sizes.core).toBeLessThan(15 * 1024);
    expect(sizes.call).toBeLessThan(8 * 1024);
    expect(sizes.sound).toBeLessThan(5 * 1024);
    expect(sizes.panel).toBeLessThan(6 * 1024);
  });

  it('need nothing that a strict policy refuses', async () => {
    for (const name of names.filter((each) => each.endsWith('.js') && each !== 'react.js')) {
      const text = await read(name);
      expect(
        text.match(
          /\beval\(|new Function|blob:|data:[a-z]+\/|innerHTML\s*=\s*['"`]<style|https?:\/\/(?!www\.w3\.org|lit\.dev)/g,
        ),
        name,
      ).toBeNull();
      expect(text, name).not.toMatch(/dev-mode|sourceMappingURL/);
    }
  });

  it('leave the core out: only its types are known', async () => {
    for (const name of names) expect(await read(name), name).not.toMatch(/ZodObject|libphonenumber/);
  });

  it('have a React wrapper that brings neither React nor a second copy of the element', async () => {
    const text = await read('react.js');
    expect([...text.matchAll(/from\s*["'`]([^"'`]+)/g)].map(([, from]) => from).sort()).toEqual([
      '@callkite/widget',
      '@lit/react',
      'react',
    ]);
    expect(text).not.toContain('customElements');
  });
});

it('is described to editors as it is', async () => {
  const folder = await mkdtemp(path.join(tmpdir(), 'callkite-manifest-'));
  const analyzer = path.join(widget, 'node_modules/@custom-elements-manifest/analyzer/cem.js');
  const outdir = path.relative(widget, folder);
  await promisify(execFile)(
    process.execPath,
    [analyzer, 'analyze', '--config', 'cem.config.mjs', '--quiet', '--outdir', outdir],
    { cwd: widget },
  );
  const made = await readFile(path.join(folder, 'custom-elements.json'), 'utf8');
  await rm(folder, { recursive: true, force: true });
  const kept = await readFile(path.join(widget, 'custom-elements.json'), 'utf8');
  expect(JSON.parse(kept), 'run `pnpm --dir apps/widget manifest`').toEqual(JSON.parse(made));
});

describe('serving', () => {
  let url: string;
  let files: WidgetFiles;
  const server = createServer();

  beforeAll(async () => {
    files = widgetFiles({ directory: built.directory });
    const web = express();
    web.use('/widget', files.handler);
    server.on('request', web);
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/widget`;
  });
  afterAll(() => {
    server.close();
  });

  it('lets pages of every origin have the script, and ask again after minutes', async () => {
    const answer = await fetch(`${url}/v1/widget.js`, {
      headers: { 'accept-encoding': 'gzip, deflate, br' },
    });
    expect(answer.status).toBe(200);
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      'content-type': 'text/javascript; charset=utf-8',
      'cache-control': 'public, max-age=300',
      'access-control-allow-origin': '*',
      'cross-origin-resource-policy': 'cross-origin',
      'x-content-type-options': 'nosniff',
      'content-encoding': 'br',
      vary: 'accept-encoding',
    });
    expect(await answer.text()).toBe(await read('widget.js'));
    const etag = answer.headers.get('etag') ?? '';
    // As browsers ask; `fetch` of Node would say `no-cache` on top.
    const again = get(`${url}/v1/widget.js`, { headers: { 'if-none-match': etag } });
    const [{ statusCode }] = (await once(again, 'response')) as [IncomingMessage];
    expect(statusCode).toBe(304);
  });

  it.each([
    ['gzip', 'gzip'],
    ['identity', null],
  ])('sends what is understood: %s', async (accepted, encoding) => {
    const answer = await fetch(`${url}/v1/widget.js`, { headers: { 'accept-encoding': accepted } });
    expect(answer.headers.get('content-encoding')).toBe(encoding);
    expect(await answer.text()).toBe(await read('widget.js'));
  });

  it('never changes what has its release in its address, or its content in its name', async () => {
    const chunk = names.find((name) => name.startsWith('during-call-'));
    for (const address of [`${files.version}/widget.js`, `${files.version}/${chunk}`, `v1/${chunk}`]) {
      const answer = await fetch(`${url}/${address}`, { method: 'HEAD' });
      expect(answer.status, address).toBe(200);
      expect(answer.headers.get('cache-control'), address).toBe('public, max-age=31536000, immutable');
    }
    const digest = createHash('sha384')
      .update(await read('widget.js'))
      .digest('base64');
    expect(await files.integrity('widget.js')).toBe(`sha384-${digest}`);
  });

  it('has no other files', async () => {
    for (const address of ['v1/none.js', 'v1/..%2fpackage.json', 'v1/types', '9.9.9/widget.js', 'v1/']) {
      const answer = await fetch(`${url}/${address}`);
      expect(answer.status, address).toBe(404);
    }
  });
});
