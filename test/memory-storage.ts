import { readFileSync } from 'node:fs';
import type { Storage } from '@callkite/core';
import { pglite } from '@callkite/postgres';

const file = process.env.TEST_DATABASE_IMAGE;
let image: Blob | undefined;

/** Storage in memory. Begins with the image of this run of the tests, if there is one. */
export function memoryStorage(): Storage {
  if (file) image ??= new Blob([readFileSync(file)]);
  return pglite({ dataDir: 'memory', image });
}
