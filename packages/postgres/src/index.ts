export type { StorageOptions } from './kernel/database.ts';
export { type PGliteOptions, pglite } from './pglite.ts';
export {
  type PostgresConnectionOptions,
  type PostgresOptions,
  type PostgresPoolOptions,
  postgres,
} from './postgres.ts';
