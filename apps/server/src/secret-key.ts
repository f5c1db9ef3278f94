import { randomBytes } from 'node:crypto';
import { mkdir, open, readFile } from 'node:fs/promises';
import path from 'node:path';

/**
 * The server's secret key for development: made on the first start and kept in the data directory, readable by its
 * owner only. Safe when two processes start at once.
 * @returns 32 bytes, base64
 */
export async function keptSecretKey(dataDirectory: string): Promise<string> {
  await mkdir(dataDirectory, { recursive: true, mode: 0o700 });
  const file = path.join(dataDirectory, 'secret-key');
  try {
    const created = await open(file, 'wx', 0o600);
    await created.writeFile(`${randomBytes(32).toString('base64')}\n`);
    await created.close();
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
  }
  return (await readFile(file, 'utf8')).trim();
}
