import type { OrganizationStore } from '@callkite/core';
import { type Kysely, type Selectable, sql } from 'kysely';
import { endOpenAttempt } from '../../calls/attempts.ts';
import { isLive } from '../../calls/call-rows.ts';
import { endQueuedCalls } from '../../calls/ending.ts';
import { lockCallOfAttempt } from '../../calls/locking.ts';
import type { Database, TableNames } from '../../kernel/database.ts';
import type { ConnectionRow, Tables } from '../../schema.ts';
import { toConnection } from './carrier-lines.ts';
import { chooseDefaultNumbers } from './default-numbers.ts';

/** Which connections may be used: those of the phone network that the server reaches. */
export function createNetworks({
  kysely,
  tables,
}: Database): Pick<OrganizationStore, 'useNetwork' | 'settleNetwork'> {
  return {
    useNetwork(mode, network) {
      return kysely.transaction().execute(async (transaction) => {
        await transaction
          .updateTable('connections')
          .set({ network })
          .where('mode', '=', mode)
          .where('network', 'is', null)
          .execute();
        const { rows } = await sql<Selectable<ConnectionRow>>`
          update ${tables.connections} set
            status = case when network = ${network} then 'active' else 'out_of_use' end
          where mode = ${mode} and (network = ${network}) = (status = 'out_of_use')
          returning *`.execute(transaction);
        if (rows.length > 0) {
          await sql`
            update ${tables.numbers} n set is_default = false from ${tables.connections} c
            where c.id = n.connection_id and c.status = 'out_of_use' and n.is_default`.execute(transaction);
          await chooseDefaultNumbers(transaction, tables);
        }
        return rows.map(toConnection);
      });
    },

    async settleNetwork(mode, network) {
      const which = sql<boolean>`connection_id in (
        select id from ${tables.connections}
        where mode = ${mode} and network = ${network} and status = 'out_of_use')`;
      const queued = await kysely
        .transaction()
        .execute((transaction) =>
          endQueuedCalls(transaction, tables, { which, reason: 'carrier_unavailable' }),
        );
      const open = await kysely.selectFrom('attempts').select('id').where(which).where(isLive).execute();
      let calls = queued.length;
      for (const { id } of open) {
        const ended = await kysely
          .transaction()
          .execute((transaction) => endLostAttempt(transaction, tables, id));
        if (ended) calls += 1;
      }
      const { rows } = await sql`
        with gone as (
          update ${tables.recordings} r set
            status = case when r.status = 'wanted' and r.consent = 'given' then 'absent' else 'deleted' end,
            provider_recording_id = null, expires_at = null, deleted_at = clock_timestamp()
          from ${tables.calls} c
          where c.id = r.call_id and r.status not in ('absent', 'deleted') and c.${which}
          returning r.call_id
        ), job as (
          delete from ${tables.jobs} j using gone where j.kind = 'follow_recording' and j.subject_id = gone.call_id
        )
        select call_id from gone`.execute(kysely);
      return { calls, recordings: rows.length };
    },
  };
}

async function endLostAttempt(
  executor: Kysely<Tables>,
  tables: TableNames,
  attemptId: string,
): Promise<boolean> {
  const found = await lockCallOfAttempt(executor, tables, attemptId);
  if (found === null) return false;
  const { call, attempt } = found;
  switch (attempt.state) {
    case 'placed':
      await endOpenAttempt(executor, tables, { call, attempt }, 'ended', 'carrier_record_missing');
      return true;
    case 'intent':
    case 'unknown':
      await endOpenAttempt(executor, tables, { call, attempt }, 'not_placed', 'placement_unconfirmed');
      return true;
    default:
      return false;
  }
}
