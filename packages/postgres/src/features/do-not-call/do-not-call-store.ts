import type { DoNotCallEntry, DoNotCallStore, HashedNumber, Scope } from '@callkite/core';
import { type RawBuilder, type Selectable, sql } from 'kysely';
import { endQueuedCalls } from '../../calls/ending.ts';
import { unerasedCall } from '../../calls/locking.ts';
import { type Database, only, type TableNames } from '../../kernel/database.ts';
import { rowsFor, startOf, toPage } from '../../kernel/paging.ts';
import type { DoNotCallRow } from '../../schema.ts';

const hashKeyName = 'do-not-call';
const batchSize = 500;
/** For so long after an upgrade, processes of an earlier version may still run. */
const upgradeLasts = sql`interval '1 day'`;

/**
 * Whether a number is on the list.
 * @param call row with `organization_id` and `mode`
 * @param key the number's hash; `null` where it is not known
 */
export function isListed(
  tables: TableNames,
  call: { organizationId: RawBuilder<unknown>; mode: RawBuilder<unknown> },
  number: RawBuilder<unknown>,
  key: RawBuilder<unknown>,
): RawBuilder<boolean> {
  // Apart, since each is a look-up in an index of its own.
  return sql<boolean>`(exists (
      select from ${tables.do_not_call} d where d.organization_id = ${call.organizationId} and d.mode = ${call.mode}
        and d.phone_number = ${number} and d.lifted_at is null)
    or exists (
      select from ${tables.do_not_call} d where d.organization_id = ${call.organizationId} and d.mode = ${call.mode}
        and d.number_key = ${key} and d.lifted_at is null))`;
}

/** Numbers that are not called. */
export function createDoNotCallStore({ schema, kysely, tables }: Database): DoNotCallStore {
  /** Whether nobody looks for plain numbers alone: the upgrade is over, or there was none. */
  async function isUpgraded(): Promise<boolean> {
    const { rows } = await sql<{ is_upgraded: boolean }>`
      with ran as (
        select name, timestamp::timestamptz as at from ${sql.table(`${schema}.kysely_migration`)}
      )
      select since.at < clock_timestamp() - ${upgradeLasts}
        or since.at < (select min(at) from ran) + interval '1 hour' as is_upgraded
      from ran since where since.name = '0018-do-not-call'`.execute(kysely);
    return rows[0]?.is_upgraded ?? false;
  }

  const isOf = ({ organizationId, mode }: Scope, { phoneNumber, numberKey }: HashedNumber) =>
    sql<boolean>`organization_id = ${organizationId} and mode = ${mode}
      and (phone_number = ${phoneNumber} or number_key = ${numberKey})`;

  return {
    add({ organizationId, mode }, numbers, { source, reason, callId, addedBy }) {
      const phones = numbers.map(({ phoneNumber }) => phoneNumber);
      const keys = numbers.map(({ numberKey }) => numberKey);
      return kysely.transaction().execute(async (transaction) => {
        // With the number, the entry would tell whom an erased call was with.
        const { rows } = await sql<{ added: number }>`
          with call as (${unerasedCall(tables, callId)}), added as (
            insert into ${tables.do_not_call}
              (organization_id, mode, phone_number, number_key, source, reason, call_id, added_by)
            select ${organizationId}, ${mode},
              case when ${callId}::text is null or exists (select from call) then given.phone end,
              case when ${callId}::text is not null and not exists (select from call) then given.key end,
              ${source}, ${reason}, (select id from call), ${addedBy}
            from unnest(${phones}::text[], ${keys}::text[]) as given (phone, key)
            where not exists (
              select from ${tables.do_not_call} d
              where d.organization_id = ${organizationId} and d.mode = ${mode} and d.number_key = given.key
                and d.lifted_at is null)
            on conflict do nothing returning 1
          )
          select count(*)::integer as added from added`.execute(transaction);
        await endQueuedCalls(transaction, tables, {
          which: sql<boolean>`
            organization_id = ${organizationId} and mode = ${mode} and to_number = any(${phones}::text[])`,
          reason: 'blocked_dnc',
        });
        return only(rows).added;
      });
    },

    async find(scope, number) {
      const row = await kysely
        .selectFrom('do_not_call')
        .selectAll()
        .where(isOf(scope, number))
        .where('lifted_at', 'is', null)
        .orderBy('created_at', 'desc')
        .limit(1)
        .executeTakeFirst();
      return row === undefined ? null : toEntry(row);
    },

    async list({ organizationId, mode }, { number, lifted }, page) {
      let query = kysely
        .selectFrom('do_not_call')
        .selectAll()
        .where('organization_id', '=', organizationId)
        .where('mode', '=', mode)
        .where('lifted_at', lifted ? 'is not' : 'is', null);
      if (number !== undefined) query = query.where(isOf({ organizationId, mode }, number));
      const rows = await query
        .where(startOf(page, 'do_not_call'))
        .orderBy('created_at', 'desc')
        .orderBy('id', 'desc')
        .limit(rowsFor(page))
        .execute();
      return toPage(rows, page, toEntry);
    },

    async lift(scope, number, { liftedBy, reason }) {
      const { rows } = await sql<Selectable<DoNotCallRow>>`
        update ${tables.do_not_call}
        set lifted_at = clock_timestamp(), lifted_by = ${liftedBy}, lift_reason = ${reason}
        where ${isOf(scope, number)} and lifted_at is null
        returning *`.execute(kysely);
      const [row] = rows;
      return row === undefined ? null : toEntry(row);
    },

    async hashErased(keyOf) {
      if (!(await isUpgraded())) return 0;
      let hashed = 0;
      for (;;) {
        const { rows } = await sql<{ id: string; organization_id: string; phone_number: string }>`
          select id, organization_id, phone_number from ${tables.do_not_call}
          where source = 'callee' and call_id is null and phone_number is not null limit ${batchSize}`.execute(
          kysely,
        );
        if (rows.length === 0) return hashed;
        await sql`
          update ${tables.do_not_call} d set phone_number = null, number_key = given.key
          from unnest(${rows.map(({ id }) => id)}::text[],
            ${rows.map((row) => keyOf(row.organization_id, row.phone_number))}::text[]) as given (id, key)
          where d.id = given.id`.execute(kysely);
        hashed += rows.length;
      }
    },

    async hashKey(sealed) {
      await sql`
        insert into ${tables.data_keys} (name, sealed) values (${hashKeyName}, ${sealed})
        on conflict do nothing`.execute(kysely);
      const { rows } = await sql<{ sealed: string }>`
        select sealed from ${tables.data_keys} where name = ${hashKeyName}`.execute(kysely);
      return only(rows).sealed;
    },

    async resealHashKey(sealed) {
      await sql`update ${tables.data_keys} set sealed = ${sealed} where name = ${hashKeyName}`.execute(
        kysely,
      );
    },
  };
}

function toEntry(row: Selectable<DoNotCallRow>): DoNotCallEntry {
  return {
    id: row.id,
    organizationId: row.organization_id,
    mode: row.mode,
    phoneNumber: row.phone_number,
    source: row.source,
    reason: row.reason,
    callId: row.call_id,
    addedBy: row.added_by,
    createdAt: row.created_at,
    liftedAt: row.lifted_at,
    liftedBy: row.lifted_by,
    liftReason: row.lift_reason,
  };
}
