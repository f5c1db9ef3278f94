import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, gzip } from 'node:zlib';
import type { Request, RequestHandler, Response } from 'express';

/** A file of the widget, in every form in which it is sent. */
interface WidgetFile {
  readonly etag: string;
  /** For the `integrity` attribute of a script. */
  readonly integrity: string;
  readonly bodies: Readonly<Record<'br' | 'gzip' | 'identity', Buffer>>;
}

/** The built files of the widget. */
export interface WidgetFiles {
  /** The release of the widget: its files have an address with it that never changes. */
  readonly version: string;
  /** `null` while the widget is not built. */
  integrity(name: string): Promise<string | null>;
  /**
   * Serves `/v1/…` and `/<version>/…`, to pages of every origin. The script of `/v1` is asked for again after minutes;
   * everything else has its content in its name, or its release in its path, and is kept for good.
   */
  readonly handler: RequestHandler;
}

const require = createRequire(import.meta.url);
const packageFile = require.resolve('@callkite/widget/package.json');
const smallestFirst = ['br', 'gzip'] as const;
const release = 'v1';
const shortly = 'public, max-age=300';
const forGood = 'public, max-age=31536000, immutable';

/** @param options.directory where the built files are. @default the widget's package */
export function widgetFiles(options: { readonly directory?: string } = {}): WidgetFiles {
  const directory = options.directory ?? path.join(path.dirname(packageFile), 'dist/browser');
  const { version } = JSON.parse(readFileSync(packageFile, 'utf8')) as { version: string };
  const files = new Map<string, Promise<WidgetFile>>();

  /** Only names that are there are looked at, so that no name leads out of the folder. */
  async function fileOf(name: string): Promise<WidgetFile | null> {
    const known = files.get(name);
    if (known) return known;
    const names = await readdir(directory).catch((): string[] => []);
    if (!name.endsWith('.js') || !names.includes(name)) return null;
    const file = packed(path.join(directory, name));
    files.set(name, file);
    return file;
  }

  async function send(request: Request, response: Response, name: string, caching: string): Promise<void> {
    const file = await fileOf(name);
    response.setHeader('access-control-allow-origin', '*');
    response.setHeader('cross-origin-resource-policy', 'cross-origin');
    response.setHeader('x-content-type-options', 'nosniff');
    if (!file) {
      response.status(404).setHeader('cache-control', 'no-store').json({ error: 'Not found' });
      return;
    }
    response.setHeader('cache-control', caching);
    response.setHeader('etag', file.etag);
    response.vary('accept-encoding');
    if (request.fresh) {
      response.status(304).end();
      return;
    }
    const encoding = smallestFirst.find((each) => request.acceptsEncodings(each)) ?? 'identity';
    if (encoding !== 'identity') response.setHeader('content-encoding', encoding);
    response.setHeader('content-type', 'text/javascript; charset=utf-8');
    response.end(request.method === 'HEAD' ? undefined : file.bodies[encoding]);
  }

  return {
    version,
    integrity: async (name) => (await fileOf(name))?.integrity ?? null,
    handler(request, response, next) {
      const [, address, name = ''] = /^\/([^/]+)\/([\w.-]+)$/.exec(request.path) ?? [];
      const isRead = request.method === 'GET' || request.method === 'HEAD';
      if (!isRead || (address !== release && address !== version)) {
        next();
        return;
      }
      const caching = address === release && name === 'widget.js' ? shortly : forGood;
      send(request, response, name, caching).catch(next);
    },
  };
}

async function packed(file: string): Promise<WidgetFile> {
  const identity = await readFile(file);
  const [br, gzipped] = await Promise.all([
    promisify(brotliCompress)(identity),
    promisify(gzip)(identity, { level: 9 }),
  ]);
  const digest = createHash('sha384').update(identity).digest('base64');
  return {
    etag: `"${digest.slice(0, 24)}"`,
    integrity: `sha384-${digest}`,
    bodies: { br, gzip: gzipped, identity },
  };
}
