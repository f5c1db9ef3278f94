import { execFileSync } from 'node:child_process';
import { packageFolder } from './built-nodes.ts';

/** Builds and packs the node package into a folder, and returns the tarball's path. */
export function packNodes(destination: string): string {
  const pnpm = (...args: string[]) => execFileSync('pnpm', args, { cwd: packageFolder, encoding: 'utf8' });
  pnpm('run', 'build');
  return (
    JSON.parse(pnpm('pack', '--json', '--pack-gzip-level', '9', '--pack-destination', destination)) as {
      filename: string;
    }
  ).filename;
}
