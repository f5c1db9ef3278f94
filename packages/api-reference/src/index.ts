import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { ApiReference, ApiReferenceScript } from '@callkite/core';

/** Written by `build.mjs`, from sources and from built code the same way. */
const scriptFile = new URL('../dist/browser/reference.js.gz', import.meta.url);

// Scalar writes its styles into the page itself. Scripts come from files alone, and nothing comes from elsewhere.
const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data: blob:",
  "media-src 'self' blob:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/**
 * Scalar's API reference, for the `apiReference` of `createCallkite`: the page at `/docs` on which people search, read
 * and try the API. It works offline and asks no other server for anything.
 */
export function apiReference(): ApiReference {
  let script: Promise<ApiReferenceScript | null> | undefined;
  return {
    contentSecurityPolicy,
    script() {
      script ??= readScript();
      return script;
    },
  };
}

async function readScript(): Promise<ApiReferenceScript | null> {
  try {
    const gzip = await readFile(scriptFile);
    return { gzip, version: createHash('sha256').update(gzip).digest('base64url').slice(0, 16) };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}
