import { defineConfig } from 'vitest/config';

// `pnpm test:n8n`: real n8ns, each of which takes a gigabyte and minutes to install. Not part of `pnpm test`.
const source = { conditions: ['callkite-source'] };

const generation = (name: string, include: string[]) => ({
  extends: true as const,
  test: { name, env: { CALLKITE_N8N: name }, include },
});

export default defineConfig({
  root: new URL('../..', import.meta.url).pathname,
  resolve: source,
  ssr: { resolve: source },
  test: {
    testTimeout: 180_000,
    hookTimeout: 1_200_000,
    fileParallelism: false,
    projects: [
      generation('node20', ['test/n8n/real/*.spec.ts']),
      generation('newest', ['test/n8n/real/!(lint).spec.ts']),
    ],
  },
});
