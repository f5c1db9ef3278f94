// `pnpm start`: builds what changed, then runs the server in this process, which Ctrl-C reaches without a detour.
import { spawn } from 'node:child_process';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));
let child = null;
// The terminal has sent the signal to the child as well; it is only left to end quietly.
const interrupted = () => {
  child?.kill('SIGTERM');
  process.exit(0);
};
process.on('SIGINT', interrupted);
process.on('SIGTERM', interrupted);

await build('Building the server', 'typescript/bin/tsc', ['-b', 'apps/server']);
const { nodeProblem } = await import('./dist/node-version.js');
// Main says so; the widget could not even be built.
if (nodeProblem(process.versions.node) === null) {
  await build('Building the widget', 'vite/bin/vite.js', ['build', 'apps/widget', '--logLevel', 'warn']);
}

process.off('SIGINT', interrupted);
process.off('SIGTERM', interrupted);
await import('./dist/main.js');

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
