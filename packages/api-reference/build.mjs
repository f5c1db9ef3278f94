// Puts Scalar's browser build and our page into the one file that is served: dist/browser/reference.js.gz.
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { gzipSync } from 'node:zlib';

const scalar = createRequire(import.meta.url).resolve('@scalar/api-reference/browser/standalone.js');
const parts = await Promise.all([
  readFile(scalar, 'utf8'),
  readFile(new URL('browser/page.js', import.meta.url), 'utf8'),
]);
const folder = new URL('dist/browser/', import.meta.url);
await mkdir(folder, { recursive: true });
await writeFile(new URL('reference.js.gz', folder), gzipSync(parts.join('\n;\n'), { level: 9 }));
