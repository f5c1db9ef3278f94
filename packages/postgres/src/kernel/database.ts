import type { Logger } from '@callkite/core';
import { Kysely, PostgresDialect, type RawBuilder, sql } from 'kysely';
import type pg from 'pg';
import type { Tables } from '../schema.ts';
import { kyselyPool, runStatement } from './sessions.ts';

/** Where the connections come from: what `postgres()` and `pglite()` differ in. */
export interface Driver {
  /** Opens on first use. Rejects after `close`. */
  pool(): Promise<pg.Pool>;
  /** Runs `work` on connections that may wait longer than usual. */
  migrate(work: (pool: pg.Pool) => Promise<void>): Promise<void>;
  /** Runs `work` while this is the only one of its name on the database, in any process and schema. */
  exclusively<Result>(name: string, work: () => Promise<Result>): Promise<Result>;
  /** Waits for running statements. Idempotent. */
  close(): Promise<void>;
}

export interface StorageOptions {
  /** Schema that holds all tables. Lower-case letters, digits and `_`. @default 'callkite' */
  schema?: string | undefined;
  /** Told about lost connections. @default none */
  logger?: Logger | undefined;
}

/** The tables' qualified names, for `sql` templates. */
export type TableNames = { readonly [Name in keyof Tables]: RawBuilder<unknown> };

/** What every store works on. */
export interface Database {
  readonly schema: string;
  readonly kysely: Kysely<Tables>;
  readonly tables: TableNames;
  /** Runs a prepared statement in one round trip. `text` must be constant for its name. */
  prepared<Row extends pg.QueryResultRow>(
    name: string,
    text: string,
    values: readonly unknown[],
  ): Promise<readonly Row[]>;
}

export function createDatabase(driver: Driver, schema: string): Database {
  if (!/^[a-z_][a-z0-9_]{0,39}$/.test(schema)) {
    throw new TypeError(`schema must be lower-case letters, digits and _, at most 40 characters: ${schema}`);
  }
  const kysely = new Kysely<Tables>({
    dialect: new PostgresDialect({ pool: kyselyPool(driver.pool) }),
  }).withSchema(schema);
  return {
    schema,
    kysely,
    tables: tableNames(schema),
    async prepared<Row extends pg.QueryResultRow>(name: string, text: string, values: readonly unknown[]) {
      const { rows } = await runStatement<Row>(driver.pool, {
        name: `${schema}_${name}`,
        text,
        values: [...values],
      });
      return rows;
    },
  };
}

function tableNames(schema: string): TableNames {
  const named = (name: keyof Tables) => sql.table(`${schema}.${name}`);
  return {
    organizations: named('organizations'),
    api_keys: named('api_keys'),
    connections: named('connections'),
    numbers: named('numbers'),
    do_not_call: named('do_not_call'),
    data_keys: named('data_keys'),
    workflows: named('workflows'),
    workflow_versions: named('workflow_versions'),
    forms: named('forms'),
    form_versions: named('form_versions'),
    conversations: named('conversations'),
    call_forms: named('call_forms'),
    form_answers: named('form_answers'),
    tool_calls: named('tool_calls'),
    recordings: named('recordings'),
    transfer_integrations: named('transfer_integrations'),
    transfers: named('transfers'),
    transfer_legs: named('transfer_legs'),
    publishable_keys: named('publishable_keys'),
    visits: named('visits'),
    calls: named('calls'),
    attempts: named('attempts'),
    call_minutes: named('call_minutes'),
    dialled_prefixes: named('dialled_prefixes'),
    transcript: named('transcript'),
    idempotency: named('idempotency'),
    jobs: named('jobs'),
    integrations: named('integrations'),
    deliveries: named('deliveries'),
    delivery_attempts: named('delivery_attempts'),
  };
}

/** The row of a statement that always returns exactly one. */
export function only<Row>(rows: readonly Row[]): Row {
  const [row] = rows;
  if (row === undefined || rows.length > 1) throw new Error(`expected one row, got ${rows.length}`);
  return row;
}
