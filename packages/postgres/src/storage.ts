import type { Storage } from '@callkite/core';
import { sql } from 'kysely';
import { createToolCallStore } from './agent/tool-call-store.ts';
import { createCallStore } from './calls/call-store.ts';
import { createWebCallStore } from './channels/web/web-call-store.ts';
import { createDoNotCallStore } from './features/do-not-call/do-not-call-store.ts';
import { createFormStore } from './features/forms/form-store.ts';
import { createDeliveryStore } from './features/notifications/delivery-store.ts';
import { createOrganizationStore } from './features/organizations/organization-store.ts';
import { createRecordingStore } from './features/recordings/recording-store.ts';
import { createTransferStore } from './features/transfers/transfer-store.ts';
import { createUsageStore } from './features/usage/usage-store.ts';
import { createWorkflowStore } from './features/workflows/workflow-store.ts';
import { createDatabase, type Driver, only, type StorageOptions } from './kernel/database.ts';
import { guarded, sqlState } from './kernel/failures.ts';
import { createJobStore } from './kernel/job-store.ts';
import { StoreClockRateLimiter } from './kernel/rate-limiter.ts';
import { createSecretStore } from './kernel/secret-store.ts';
import { runStatement } from './kernel/sessions.ts';
import { migrate } from './migrations.ts';

/** The storage over any source of Postgres connections. */
export function createStorage(driver: Driver, options: Pick<StorageOptions, 'schema'>): Storage {
  const { schema = 'callkite' } = options;
  const database = createDatabase(driver, schema);

  return {
    organizations: guarded(createOrganizationStore(database)),
    doNotCall: guarded(createDoNotCallStore(database)),
    workflows: guarded(createWorkflowStore(database)),
    forms: guarded(createFormStore(database)),
    calls: guarded(createCallStore(database)),
    toolCalls: guarded(createToolCallStore(database)),
    recordings: guarded(createRecordingStore(database)),
    transfers: guarded(createTransferStore(database)),
    usage: guarded(createUsageStore(database)),
    webCalls: guarded(createWebCallStore(database)),
    deliveries: guarded(createDeliveryStore(database)),
    jobs: guarded(createJobStore(database)),
    secrets: guarded(createSecretStore(database)),
    ...guarded<Pick<Storage, 'start' | 'stop' | 'ping' | 'checkWritable' | 'exclusively'>>({
      start: () => driver.migrate((pool) => migrate(pool, schema)),
      stop: () => driver.close(),
      exclusively: (name, work) => driver.exclusively(`${schema}:${name}`, work),
      async ping() {
        const { rows } = await sql<{ now: Date }>`select clock_timestamp() as now`.execute(database.kysely);
        return { nowMs: only(rows).now.getTime() };
      },
      async checkWritable() {
        try {
          await database.kysely.transaction().execute(async (transaction) => {
            await sql`delete from ${database.tables.jobs} where false`.execute(transaction);
            // Does not fit into so little memory: some 300 kB go to the disk, and are gone again.
            await sql`set local work_mem = '64kB'`.execute(transaction);
            await sql`select count(*) from generate_series(1, 20000)`.execute(transaction);
          });
          return 'ok';
        } catch (error) {
          switch (sqlState(error)) {
            case '53100':
              return 'full';
            case '25006':
              return 'read-only';
            // This user may put nothing of the kind on the disk.
            case '53400':
              return 'ok';
            default:
              throw error;
          }
        }
      },
    }),
    createRateLimiter: (limits) =>
      new StoreClockRateLimiter({
        ...limits,
        query: (statement) => runStatement(driver.pool, statement),
        schema,
      }),
  };
}
