import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { apiRoutes } from '../../packages/core/src/http/api-routes.ts';
import { openApiDocument } from '../../packages/core/src/http/open-api/document.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const redocly = createRequire(import.meta.url).resolve('@redocly/cli/package.json');
const document = openApiDocument(apiRoutes);
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'callkite-open-api-'));
});

afterAll(() => rm(folder, { recursive: true, force: true }));

/** What a program prints, whether it succeeds or not. */
async function output(args: string[]): Promise<string> {
  const env = { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' };
  return promisify(execFile)(process.execPath, args, { cwd: folder, env }).then(
    ({ stdout }) => stdout,
    ({ stdout, stderr }: { stdout: string; stderr: string }) => stdout + stderr,
  );
}

it('passes the strict rules of redocly lint', async () => {
  await writeFile(path.join(folder, 'openapi.json'), JSON.stringify(document, null, 2));
  await writeFile(path.join(folder, 'redocly.yaml'), 'extends: [recommended-strict]\n');
  const found = await output([
    path.join(path.dirname(redocly), 'bin/cli.js'),
    ...['lint', 'openapi.json', '--config', 'redocly.yaml', '--format', 'json'],
  ]);
  const { problems } = JSON.parse(found.slice(found.indexOf('{\n'), found.lastIndexOf('}') + 1));
  expect(problems).toEqual([]);
}, 120_000);

it('has a sample for every operation, which compiles against our client', async () => {
  const samples = [...JSON.stringify(document).matchAll(/"x-codeSamples":\[(\{.*?\})\]/g)].map(
    ([, sample = '{}']) => (JSON.parse(sample) as { source: string }).source,
  );
  expect(samples.length).toBe(apiRoutes.length);
  for (const [index, sample] of samples.entries()) {
    await writeFile(path.join(folder, `sample-${index}.ts`), `${sample}\nexport {};\n`);
  }
  const compilerOptions = {
    ...{ noEmit: true, strict: true, skipLibCheck: true, allowImportingTsExtensions: true },
    ...{ module: 'nodenext', target: 'es2023', types: ['node'], customConditions: ['callkite-source'] },
    typeRoots: [path.join(root, 'node_modules/@types')],
    paths: { '@callkite/client': [path.join(root, 'packages/client/src/index.ts')] },
  };
  await writeFile(path.join(folder, 'package.json'), '{"type":"module"}');
  await writeFile(
    path.join(folder, 'tsconfig.json'),
    JSON.stringify({ compilerOptions, include: ['sample-*.ts'] }),
  );
  expect(await output([path.join(root, 'node_modules/typescript/bin/tsc'), '-p', folder])).toBe('');
}, 120_000);
