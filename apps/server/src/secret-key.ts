import { randomBytes } from 'node:crypto';
import { mkdir, open, readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import { isSecretKey, type Settings } from './env.ts';

/** The secret keys the server runs with. The former ones only open what they sealed. */
export interface SecretKeys {
  readonly current: string;
  readonly former: readonly string[];
}

/**
 * The key of the settings, or else the kept one. Data that was tried out before a key was set is sealed with the kept
 * one, which therefore still opens it.
 */
export async function secretKeys(
  settings: Pick<Settings, 'secretKey' | 'formerSecretKey' | 'databaseUrl' | 'dataDirectory'>,
): Promise<SecretKeys> {
  const { secretKey, formerSecretKey, databaseUrl, dataDirectory } = settings;
  const former = formerSecretKey === null ? [] : [formerSecretKey];
  if (secretKey === null) return { current: await keptSecretKey(dataDirectory), former };
  const kept = databaseUrl === null ? await readKept(dataDirectory) : null;
  return {
    current: secretKey,
    former: [...former, ...(kept === null ? [] : [kept])].filter((key) => key !== secretKey),
  };
}

/**
 * The server's secret key for development: made on the first start and kept in the data directory, readable by its
 * owner only. Safe when two processes start at once.
 * @returns 32 bytes, base64
 */
async function keptSecretKey(dataDirectory: string): Promise<string> {
  await mkdir(dataDirectory, { recursive: true, mode: 0o700 });
  const file = fileIn(dataDirectory);
  try {
    const created = await open(file, 'wx', 0o600);
    try {
      await created.writeFile(`${randomBytes(32).toString('base64')}\n`);
    } catch (error) {
      // Half a key would be taken for one by the next start.
      await rm(file, { force: true });
      throw error;
    } finally {
      await created.close();
    }
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
  }
  return read(file);
}

async function read(file: string): Promise<string> {
  const key = (await readFile(file, 'utf8')).trim();
  if (isSecretKey(key)) return key;
  throw new Error(
    `The file ${file} holds no secret key: put back the one from your backup, or set CALLKITE_SECRET_KEY to the key this data was last used with.`,
  );
}

async function readKept(dataDirectory: string): Promise<string | null> {
  try {
    return await read(fileIn(dataDirectory));
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
    throw error;
  }
}

const fileIn = (dataDirectory: string) => path.join(dataDirectory, 'secret-key');
