import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'vite';
import { expect, it } from 'vitest';
import { eventually } from '../embedded.ts';
import { worldOfTests } from './world-of-tests.ts';

const tests = worldOfTests();

/** A page of React with everything it needs but the element, which comes from the server's script. */
async function bundledPage(script: string): Promise<string> {
  const outDir = await mkdtemp(path.join(tmpdir(), 'callkite-react-'));
  try {
    await build({
      root: fileURLToPath(new URL('react/', import.meta.url)),
      configFile: false,
      logLevel: 'warn',
      define: { 'process.env.NODE_ENV': '"production"' },
      resolve: { conditions: ['callkite-source', 'module', 'browser', 'production'] },
      build: {
        outDir,
        emptyOutDir: true,
        lib: { entry: 'page.ts', formats: ['es'], fileName: 'page' },
        rolldownOptions: {
          external: ['@callkite/widget'],
          output: { paths: { '@callkite/widget': script } },
        },
      },
    });
    return await readFile(path.join(outDir, 'page.js'), 'utf8');
  } finally {
    await rm(outDir, { recursive: true, force: true });
  }
}

it('is a component of React: properties, events, and methods by ref', { timeout: 60_000 }, async () => {
  const { url, workflowId, key } = tests.world;
  const site = await tests.visit({ module: await bundledPage(`${url}/widget/v1/widget.js`) });
  const show = (props: object) =>
    site.page.evaluate((given) => {
      const { page } = globalThis as unknown as { page: { show(props: object): void } };
      page.show(given);
    }, props);
  const told = () => site.page.evaluate('page.told') as Promise<string[]>;
  const props = { publicKey: key.key, workflow: workflowId, server: url, voice: 'off', consent: 'off' };

  await show(props);
  await site.button('Talk to us').waitFor();
  await show({ ...props, strings: { launcher: 'Ask Robin' }, heading: 'The dentist' });
  await site.button('Ask Robin').click();
  await site.page.getByRole('dialog', { name: 'The dentist' }).waitFor();
  expect(await told()).toEqual(['open']);

  const callId = await site.page.evaluate('page.element.startCall()');
  expect(callId).toMatch(/^call_/);
  await site.reaches('live');
  expect(await site.page.evaluate('page.element.callId')).toBe(callId);
  await show({ ...props, heading: 'Still the dentist' });
  await site.page.getByRole('dialog', { name: 'Still the dentist' }).waitFor();
  expect(await site.status()).toBe('live');
  await site.page.evaluate(`page.element.endCall('Seen enough')`);
  await eventually('the end', async () => (await told()).length === 4);
  expect(await told()).toEqual(['open', 'before-call', `call-start ${callId}`, 'call-end Seen enough']);
  expect(site.complaints).toEqual([]);
});
