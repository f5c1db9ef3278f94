import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

// Tests import package sources directly (the `callkite-source` condition), so a unit run needs no build.
const source = { conditions: ['callkite-source'] };

/** These take minutes. Begun last, they would leave the other workers without work. */
const longFiles =
  /\/(start-problems|recording|spoken-calls|faults\/faults|api-reference|server-process)\.test\.ts$/;

/** What takes long comes first. On a fresh clone vitest knows only the sizes of files. */
class LongFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const isLong = ({ moduleId }: TestSpecification) => longFiles.test(moduleId);
    return [...sorted.filter(isLong), ...sorted.filter((file) => !isLong(file))];
  }
}

export default defineConfig({
  root: new URL('..', import.meta.url).pathname,
  resolve: source,
  ssr: { resolve: source },
  oxc: { decorator: { legacy: true } },
  test: {
    include: ['packages/*/src/**/*.test.ts', 'apps/*/src/**/*.test.ts', 'test/**/*.test.ts'],
    globalSetup: ['test/database-server.ts'],
    exclude: ['**/node_modules/**', '**/dist/**'],
    sequence: { sequencer: LongFirst },
    testTimeout: 30_000,
    hookTimeout: 60_000,
    // Calls are in real time, and a busy machine can be too late for one; what fails twice is broken.
    retry: process.env.CI ? 1 : 0,
    // More than the cores of a small machine: most of these tests wait for calls to take their time.
    maxWorkers: 4,
  },
});
