import { CallkiteError } from '@callkite/core';
import { Kysely, type Migration, Migrator, PostgresDialect, type PostgresPool, sql } from 'kysely';
import { firstSchema } from './migrations/0001-first-schema.ts';
import { formsAndTools } from './migrations/0002-forms-and-tools.ts';
import { transfers } from './migrations/0003-transfers.ts';
import { voice } from './migrations/0004-voice.ts';
import { whoAnswered } from './migrations/0005-who-answered.ts';
import { webCalls } from './migrations/0006-web-calls.ts';
import { recordings } from './migrations/0007-recordings.ts';
import { answeredCalls } from './migrations/0009-answered-calls.ts';
import { spendingLimit } from './migrations/0010-spending-limit.ts';
import { secretsAndErasure } from './migrations/0011-secrets-and-erasure.ts';
import { velocity } from './migrations/0012-velocity.ts';
import { offTheRecord } from './migrations/0013-off-the-record.ts';
import { modes } from './migrations/0014-modes.ts';
import { networks } from './migrations/0015-networks.ts';
import { agentFailed } from './migrations/0016-agent-failed.ts';
import { sealedCalls } from './migrations/0017-sealed-calls.ts';
import { doNotCall } from './migrations/0018-do-not-call.ts';
import { erasedKeys } from './migrations/0019-erased-keys.ts';

/** In order; a shipped one is never edited, only followed. */
const migrations: Record<string, Migration> = {
  '0001-first-schema': firstSchema,
  '0002-forms-and-tools': formsAndTools,
  '0003-transfers': transfers,
  '0004-voice': voice,
  '0005-who-answered': whoAnswered,
  '0006-web-calls': webCalls,
  '0007-recordings': recordings,
  '0009-answered-calls': answeredCalls,
  '0010-spending-limit': spendingLimit,
  '0011-secrets-and-erasure': secretsAndErasure,
  '0012-velocity': velocity,
  '0013-off-the-record': offTheRecord,
  '0014-modes': modes,
  '0015-networks': networks,
  '0016-agent-failed': agentFailed,
  '0017-sealed-calls': sealedCalls,
  '0018-do-not-call': doNotCall,
  '0019-erased-keys': erasedKeys,
};

/**
 * Brings `schema` up to date. Processes that start together take turns under an advisory lock, so `pool` must not
 * limit how long a statement waits.
 */
export async function migrate(pool: PostgresPool, schema: string): Promise<void> {
  const kysely = new Kysely<unknown>({ dialect: new PostgresDialect({ pool }) });
  const migrator = new Migrator({
    db: kysely,
    migrationTableSchema: schema,
    provider: {
      // Statements of a migration name tables without the schema.
      getMigrations: async () =>
        Object.fromEntries(
          Object.entries(migrations).map(([name, migration]) => [
            name,
            { up: async (db) => inSchema(db, schema, migration) } satisfies Migration,
          ]),
        ),
    },
  });
  await refuseNewerSchema(migrator, kysely, schema);
  const { error } = await migrator.migrateToLatest();
  if (error !== undefined) throw error;
}

/** Throws `conflict` when a newer version of Callkite has been here: what this one would do to its tables is unknown. */
async function refuseNewerSchema(
  migrator: Migrator,
  database: Kysely<unknown>,
  schema: string,
): Promise<void> {
  const { rows } = await sql<{ exists: boolean }>`
    select to_regclass(${`${schema}.kysely_migration`}) is not null as exists`.execute(database);
  if (!rows[0]?.exists) return;
  const known = new Set((await migrator.getMigrations()).map(({ name }) => name));
  const applied = await sql<{ name: string }>`
    select name from ${sql.table(`${schema}.kysely_migration`)} order by name`.execute(database);
  const newer = applied.rows.filter(({ name }) => !known.has(name));
  if (newer.length === 0) return;
  throw new CallkiteError(
    'conflict',
    `The database belongs to a newer version of Callkite: it has ${newer.map(({ name }) => name).join(', ')}, which this version does not know. Start the newer version, or restore a backup from before the upgrade.`,
    { retryable: false },
  );
}

async function inSchema(database: Kysely<unknown>, schema: string, migration: Migration): Promise<void> {
  await sql`set local search_path to ${sql.id(schema)}`.execute(database);
  await migration.up(database);
}
