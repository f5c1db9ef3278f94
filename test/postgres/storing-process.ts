import { createTenant } from '@callkite/core/testing';
import { pglite } from '@callkite/postgres';

/** Takes calls into an embedded database for ever, and writes a line with the id of each when it is stored. */
const [dataDir] = process.argv.slice(2);
if (dataDir === undefined) throw new Error('usage: storing-process <directory>');
const storage = pglite({ dataDir });
await storage.start();
const tenant = await createTenant(storage);
for (;;) process.stdout.write(`${tenant.organizationId} ${await tenant.accept()}\n`);
