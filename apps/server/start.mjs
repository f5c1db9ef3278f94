// `pnpm start`: builds what changed, then runs the server in this process, which Ctrl-C reaches without a detour.
import { spawn } from 'node:child_process';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { nodeProblem } from './node-version.mjs';

const problem = nodeProblem(process.versions.node);
if (problem !== null) {
  console.error(problem);
  process.exit(1);
}

const root = fileURLToPath(new URL('../..', import.meta.url));
const isServer = process.argv.length === 2;
let child = null;
// The terminal has sent the signal to the child as well; it is only left to end quietly.
const interrupted = () => {
  child?.kill('SIGTERM');
  process.exit(0);
};
process.on('SIGINT', interrupted);
process.on('SIGTERM', interrupted);

await build('Building the server', 'typescript/bin/tsc', ['-b', 'apps/server']);
// Making a key shows no pages.
if (isServer)
  await build('Building the widget', 'vite/bin/vite.js', ['build', 'apps/widget', '--logLevel', 'warn']);

// By the time it is loaded it listens to signals itself.
await import('./dist/main.js');
process.off('SIGINT', interrupted);
process.off('SIGTERM', interrupted);

/** Runs a tool, and says so until it has ended. */
async function build(text, tool, args) {
  const startedAt = Date.now();
  console.log(`${text} …`);
  const again = setInterval(() => {
    console.log(`${text} … ${Math.round((Date.now() - startedAt) / 1000)} s`);
  }, 5000);
  child = spawn(process.execPath, [path.join(root, 'node_modules', tool), ...args], {
    cwd: root,
    stdio: 'inherit',
  });
  const code = await new Promise((resolve) => child.once('close', resolve));
  child = null;
  clearInterval(again);
  if (code !== 0) {
    console.error(`${text} failed; what is wrong is written above.`);
    process.exit(1);
  }
}
