import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PGlite } from '@electric-sql/pglite';

/** Makes an empty database once for a run of all tests, which each begin with it: making one takes seconds. */
export default async function makeDatabaseImage(): Promise<() => Promise<void>> {
  const directory = await mkdtemp(join(tmpdir(), 'callkite-database-'));
  const image = join(directory, 'image.tar');
  const database = await PGlite.create('memory://');
  const dump = await database.dumpDataDir('none');
  await database.close();
  await writeFile(image, Buffer.from(await dump.arrayBuffer()));
  process.env.TEST_DATABASE_IMAGE = image;
  return () => rm(directory, { recursive: true });
}
