import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { eventually } from '../embedded.ts';
import { buildWidget, startWorld } from '../widget/world.ts';
import { percentile, rounded, table } from './figures.ts';

const run = promisify(execFile);
const calls = 5;
const listenedMs = 6_000;

/** Ready scripts of other widgets, as their packages ship them. */
const others = [
  { name: '@elevenlabs/convai-widget-embed', version: '0.5.4', file: 'dist/index.js' },
  { name: '@vapi-ai/client-sdk-react', version: '0.1.1', file: 'dist/embed/widget.umd.js' },
];

const kilobytes = (bytes: Uint8Array) => rounded(gzipSync(bytes).length / 1000);

/** Script sizes beside other widgets', and how soon and how evenly a visitor hears the agent. */
export async function benchWidget(): Promise<void> {
  table([...(await ownFiles()), ...(await Promise.all(others.map(otherWidget)))]);
  await sound();
}

async function ownFiles() {
  const { directory, remove } = await buildWidget();
  const files = (await readdir(directory, { recursive: true })).filter((file) => file.endsWith('.js'));
  const rows = await Promise.all(
    files.map(async (file) => ({
      script: `callkite ${file}`,
      'KB gzipped': kilobytes(await readFile(path.join(directory, file))),
    })),
  );
  await remove();
  return rows;
}

async function otherWidget({ name, version, file }: (typeof others)[number]) {
  const script = `${name} ${version}`;
  const folder = await mkdtemp(path.join(tmpdir(), 'callkite-bench-'));
  try {
    await run('npm', ['pack', '--silent', `${name}@${version}`], { cwd: folder, timeout: 30_000 });
    const [archive = ''] = await readdir(folder);
    await run('tar', ['-xzf', archive], { cwd: folder });
    return { script, 'KB gzipped': kilobytes(await readFile(path.join(folder, 'package', file))) };
  } catch {
    return { script, 'KB gzipped': 'cannot be installed here' };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function sound(): Promise<void> {
  // At the speed of life, which is what gaps are measured against.
  const world = await startWorld({ speed: 1 });
  const firstSounds: number[] = [];
  const gaps: number[] = [];
  let before = 0;
  for (let call = 0; call < calls; call += 1) {
    const site = await world.open({ microphone: 'granted' });
    before = site.requests.filter((url) => url.includes('/widget/')).length;
    const frames: number[] = [];
    site.page.on('websocket', (socket) =>
      socket.on('framereceived', ({ payload }) => {
        if (typeof payload !== 'string') frames.push(performance.now());
      }),
    );
    await site.enter();
    const clickedAtMs = performance.now();
    await site.page.getByRole('button', { name: 'Start call' }).click();
    await eventually('the sound of the agent', () => frames.length > 0, 30_000);
    firstSounds.push((frames[0] ?? Number.NaN) - clickedAtMs);
    await new Promise((resolve) => setTimeout(resolve, listenedMs));
    // Pauses between sentences are the agent's.
    gaps.push(
      ...frames
        .slice(1)
        .map((atMs, index) => atMs - (frames[index] ?? 0))
        .filter((gap) => gap < 250),
    );
    await site.close();
  }
  await world.stop();
  table([
    {
      'requests before the first click': before,
      'click to first sound ms p50 / max': `${rounded(percentile(firstSounds, 0.5), 0)} / ${rounded(Math.max(...firstSounds), 0)}`,
      'frame gap ms p50 / p99': `${rounded(percentile(gaps, 0.5))} / ${rounded(percentile(gaps, 0.99))}`,
    },
  ]);
}
