import { defineConfig } from 'vitest/config';

// `pnpm test:n8n`: a real n8n, which takes a gigabyte and minutes to install. Not part of `pnpm test`.
const source = { conditions: ['callkite-source'] };

export default defineConfig({
  root: new URL('../..', import.meta.url).pathname,
  resolve: source,
  ssr: { resolve: source },
  test: {
    include: ['test/n8n/real/*.spec.ts'],
    testTimeout: 180_000,
    hookTimeout: 1_200_000,
    fileParallelism: false,
  },
});
