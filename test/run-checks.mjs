// Everything that must hold before a change goes in: `pnpm test`. Stops at the first step that fails.
import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const reports = await mkdtemp(path.join(tmpdir(), 'callkite-checks-'));
const tests = { passed: 0, failed: 0, skipped: 0 };

const steps = [
  step('Format and lint', ['biome', 'ci', '--error-on-warnings', '.']),
  step('Types and build', ['tsc', '-b', 'test']),
  step('Unused code and dependencies', ['knip']),
  testStep('Architecture', ['test/architecture']),
  // Tests leave nothing behind in their process, and much of their time would go into loading the same modules.
  testStep('Tests', ['--no-isolate', '--exclude', 'test/architecture/**', '--exclude', 'test/packed/**']),
  testStep('Packed packages', ['test/packed']),
];

for (const [index, { name, run }] of steps.entries()) {
  console.log(`\n[${index + 1}/${steps.length}] ${name}`);
  const startedAt = performance.now();
  const problem = await run();
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
  if (problem) {
    console.log(`\nFailed: ${name} (${seconds} s): ${problem}`);
    await finish(1);
  }
  console.log(`[${index + 1}/${steps.length}] ${name}: ok (${seconds} s)`);
}
await finish(0);

function step(name, command) {
  return {
    name,
    async run() {
      const code = await execute(command);
      return code === 0 ? null : `\`pnpm exec ${command.join(' ')}\` ended with ${code}`;
    },
  };
}

function testStep(name, selection) {
  return {
    name,
    async run() {
      const report = path.join(reports, `${name}.json`);
      const code = await execute([
        ...['vitest', 'run', '--config', 'test/vitest.config.ts'],
        ...['--reporter=default', '--reporter=json', `--outputFile.json=${report}`],
        ...selection,
      ]);
      const summary = await readFile(report, 'utf8').then(JSON.parse, () => null);
      if (summary === null) return 'the tests did not run';
      const skipped = summary.numPendingTests + summary.numTodoTests;
      tests.passed += summary.numPassedTests;
      tests.failed += summary.numFailedTests;
      tests.skipped += skipped;
      if (code !== 0 || !summary.success) return `${summary.numFailedTests} tests failed`;
      if (summary.numPassedTests === 0) return 'there are no tests';
      // A machine without redis-server may leave its test out; CI has everything.
      return skipped > 0 && process.env.CI ? `${skipped} tests were skipped` : null;
    },
  };
}

function execute([command, ...args]) {
  return new Promise((resolve, reject) => {
    const child = spawn(path.join(root, 'node_modules/.bin', command), args, {
      cwd: root,
      stdio: 'inherit',
      // The second step has built everything.
      env: { ...process.env, TEST_SERVER_IS_BUILT: '1' },
    });
    child.once('error', reject);
    child.once('close', (code, signal) => resolve(code ?? signal));
  });
}

async function finish(code) {
  await rm(reports, { recursive: true, force: true });
  const skipped = tests.skipped > 0 ? `, ${tests.skipped} skipped` : '';
  console.log(`\n${tests.passed} passed, ${tests.failed} failed${skipped}`);
  process.exit(code);
}
