import type { VisitRecord, WebCallStore } from '@callkite/core';
import { type Kysely, type Selectable, sql } from 'kysely';
import { type Database, only, type TableNames } from '../../kernel/database.ts';
import type { CallRow, PublishableKeyRow, Tables, VisitRow } from '../../schema.ts';

type VisitsPart = Pick<WebCallStore, 'addVisit' | 'removeVisit' | 'visitOf' | 'admissionOf'>;

/** Who asked for what, and with which right. */
export function createVisits({ kysely, tables }: Database): VisitsPart {
  return {
    addVisit(visit, token) {
      return kysely.transaction().execute(async (transaction) => {
        const budget = await budgetOf(transaction, tables, visit.keyId);
        const { nextDayInSeconds } = budget;
        if (budget.left <= 0) return { admitted: false, nextDayInSeconds };
        await sql`
          insert into ${tables.visits} (
            call_id, organization_id, key_id, kind, workflow_id, origin, remote_address, page, name, email, context,
            user_id, user_verified, consent, token_hash, token_expires_at, counted_at)
          values (
            ${visit.callId}, ${visit.organizationId}, ${visit.keyId}, ${visit.kind}, ${visit.workflowId},
            ${visit.origin}, ${visit.remoteAddress}, ${visit.page}, ${visit.name}, ${visit.email}, ${visit.context},
            ${visit.user?.id ?? null}, ${visit.user?.verified ?? null},
            ${visit.consent && JSON.stringify(visit.consent)}::jsonb, ${token?.hash ?? null},
            clock_timestamp() + ${token?.lifetimeMs ?? null}::double precision * interval '1 millisecond',
            case when ${visit.kind}::text = 'callback' then clock_timestamp() end)`.execute(transaction);
        return { admitted: true, nextDayInSeconds };
      });
    },

    async removeVisit(callId) {
      await kysely.deleteFrom('visits').where('call_id', '=', callId).execute();
    },

    async visitOf(callId) {
      const row = await kysely
        .selectFrom('visits')
        .selectAll()
        .where('call_id', '=', callId)
        .executeTakeFirst();
      return row === undefined ? null : toVisit(row);
    },

    async admissionOf(tokenHash) {
      const { rows } = await sql<
        Selectable<VisitRow> & {
          mode: PublishableKeyRow['mode'];
          stale: boolean;
          state: CallRow['state'] | null;
        }
      >`
        select v.*, k.mode, c.state, k.revoked_at is not null or v.token_expires_at <= clock_timestamp() as stale
        from ${tables.visits} v
        join ${tables.publishable_keys} k on k.id = v.key_id
        left join ${tables.calls} c on c.id = v.call_id
        where v.token_hash = ${tokenHash}`.execute(kysely);
      const [row] = rows;
      if (row === undefined) return null;
      const { mode, media, stale } = row;
      const unused = stale ? 'stale' : 'new';
      const begun = row.state === 'completed' ? 'over' : 'live';
      return { visit: toVisit(row), mode, media, state: row.state === null ? unused : begun };
    },
  };
}

/**
 * What is left of a key's day. Locks the key until the end of the transaction, so that what is counted next is counted
 * by the next who asks.
 */
export async function budgetOf(
  executor: Kysely<Tables>,
  tables: TableNames,
  keyId: string,
): Promise<{ readonly left: number; readonly nextDayInSeconds: number }> {
  await sql`select 1 from ${tables.publishable_keys} where id = ${keyId} for no key update`.execute(executor);
  const { rows } = await sql<{ left: number; next_day: number }>`
    select k.daily_calls - (
        select count(*)::integer from ${tables.visits} v
        where v.key_id = k.id and v.counted_at >= today.start) as left,
      ceil(extract(epoch from today.start + interval '1 day' - clock_timestamp()))::integer as next_day
    from ${tables.publishable_keys} k cross join (
      select date_trunc('day', clock_timestamp() at time zone 'UTC') at time zone 'UTC' as start) today
    where k.id = ${keyId}`.execute(executor);
  const { left, next_day: nextDayInSeconds } = only(rows);
  return { left, nextDayInSeconds };
}

function toVisit(row: Selectable<VisitRow>): VisitRecord {
  return {
    callId: row.call_id,
    organizationId: row.organization_id,
    keyId: row.key_id,
    kind: row.kind,
    workflowId: row.workflow_id,
    origin: row.origin,
    remoteAddress: row.remote_address,
    page: row.page,
    name: row.name,
    email: row.email,
    context: row.context,
    user: row.user_id === null ? null : { id: row.user_id, verified: row.user_verified ?? false },
    consent: row.consent,
    createdAt: row.created_at,
  };
}
