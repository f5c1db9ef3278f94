import type pg from 'pg';
import { RateLimiterPostgres } from 'rate-limiter-flexible';

export interface StoreClockRateLimiterOptions {
  readonly query: (statement: pg.QueryConfig) => Promise<pg.QueryResult>;
  readonly schema: string;
  readonly keyPrefix: string;
  readonly points: number;
  readonly durationSeconds: number;
}

/** A row as the library reads it: `expire` by this process's clock, milliseconds since 1970. */
interface LimiterResult {
  readonly rows: readonly { readonly points: number; readonly expire: number | null }[];
}

const keptMs = 3_600_000;
const storeNow = 'floor(extract(epoch from clock_timestamp()) * 1000)::bigint';
const leftMs = (now: string) => `(r.expire - ${now})::double precision as left_ms`;

/**
 * rate-limiter-flexible's limiter for Postgres, with windows measured by the store's clock. By the clock of the process,
 * as in the library, one process whose clock jumps an hour ahead would end every window and begin an hour-long one.
 */
export class StoreClockRateLimiter extends RateLimiterPostgres {
  readonly #query: StoreClockRateLimiterOptions['query'];
  readonly #table: string;

  constructor({ query, schema, keyPrefix, points, durationSeconds }: StoreClockRateLimiterOptions) {
    const tableName = 'rate_limits';
    super({
      storeClient: { query },
      storeType: 'client',
      schemaName: schema,
      tableName,
      // By our migrations; left to itself each limiter would create it, and fail requests until it has.
      tableCreated: true,
      keyPrefix,
      points,
      duration: durationSeconds,
    });
    this.#query = query;
    this.#table = `"${schema}"."${tableName}"`;
  }

  /** Called by the library to count. */
  async _upsert(key: string, points: number, durationMs: number, startAnew = false): Promise<LimiterResult> {
    return this.#read('upsert', [key, points, durationMs, startAnew], {
      text: `
        with clock as materialized (select ${storeNow} as now)
        insert into ${this.#table} as r (key, points, expire)
          select $1, $2::integer, case when $3::bigint > 0 then now + $3::bigint end from clock
        on conflict (key) do update set
          points = case when $4::boolean or r.expire <= (select now from clock) then excluded.points
            else r.points + excluded.points end,
          expire = case when $4::boolean or r.expire <= (select now from clock) then excluded.expire
            else r.expire end
        returning r.points, ${leftMs('(select now from clock)')}`,
    });
  }

  /** Called by the library to look without counting; `null` when nothing was counted in this window. */
  async _get(key: string): Promise<LimiterResult | null> {
    const found = await this.#read('get', [key], {
      text: `
        select r.points, ${leftMs('clock.now')}
        from ${this.#table} r, (select ${storeNow} as now) clock
        where r.key = $1 and (r.expire > clock.now or r.expire is null)`,
    });
    return found.rows.length > 0 ? found : null;
  }

  /** Called by the library every five minutes. */
  async clearExpired(): Promise<void> {
    const text = `delete from ${this.#table} where expire < ${storeNow} - ${keptMs}`;
    // What is not deleted now is deleted next time.
    await this.#query({ name: 'limiter_clear', text }).catch(() => undefined);
  }

  async #read(name: string, values: unknown[], { text }: { text: string }): Promise<LimiterResult> {
    const { rows } = await this.#query({ name: `limiter_${name}`, text, values });
    const now = Date.now();
    return {
      rows: (rows as { points: number; left_ms: number | null }[]).map((row) => ({
        points: row.points,
        expire: row.left_ms === null ? null : now + row.left_ms,
      })),
    };
  }
}
