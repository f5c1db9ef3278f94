import type { PublishableKey, WebCallStore } from '@callkite/core';
import { type Selectable, sql } from 'kysely';
import type { Database } from '../../kernel/database.ts';
import { rowsFor, startOf, toPage } from '../../kernel/paging.ts';
import type { PublishableKeyRow } from '../../schema.ts';

type KeysPart = Pick<
  WebCallStore,
  'createKey' | 'findKey' | 'getKey' | 'listKeys' | 'updateKey' | 'revokeKey'
>;

export function createPublishableKeys({ kysely }: Database): KeysPart {
  return {
    async createKey(key) {
      const row = await kysely
        .insertInto('publishable_keys')
        .values({
          id: key.id,
          organization_id: key.organizationId,
          mode: key.mode,
          name: key.name,
          key: key.key,
          allowed_origins: key.allowedOrigins,
          workflow_ids: key.workflowIds,
          daily_calls: key.dailyCalls,
          callback_countries: key.callbackCountries,
        })
        .returningAll()
        .executeTakeFirstOrThrow();
      return toKey(row);
    },

    async findKey(key) {
      const row = await kysely
        .selectFrom('publishable_keys')
        .selectAll()
        .where('key', '=', key)
        .executeTakeFirst();
      return row === undefined ? null : toKey(row);
    },

    async getKey(organizationId, id) {
      const row = await kysely
        .selectFrom('publishable_keys')
        .selectAll()
        .where('organization_id', '=', organizationId)
        .where('id', '=', id)
        .executeTakeFirst();
      return row === undefined ? null : toKey(row);
    },

    async listKeys(organizationId, page) {
      const rows = await kysely
        .selectFrom('publishable_keys')
        .selectAll()
        .where('organization_id', '=', organizationId)
        .where(startOf(page, 'publishable_keys'))
        .orderBy('created_at', 'desc')
        .orderBy('id', 'desc')
        .limit(rowsFor(page))
        .execute();
      return toPage(rows, page, toKey);
    },

    async updateKey(organizationId, id, change) {
      const row = await kysely
        .updateTable('publishable_keys')
        .set({
          // Kysely leaves out what is undefined; one column has to be named.
          id,
          name: change.name,
          allowed_origins: change.allowedOrigins,
          workflow_ids: change.workflowIds,
          daily_calls: change.dailyCalls,
          callback_countries: change.callbackCountries,
        })
        .where('organization_id', '=', organizationId)
        .where('id', '=', id)
        .returningAll()
        .executeTakeFirst();
      return row === undefined ? null : toKey(row);
    },

    async revokeKey(organizationId, id) {
      const row = await kysely
        .updateTable('publishable_keys')
        .set({ revoked_at: sql`coalesce(revoked_at, clock_timestamp())` })
        .where('organization_id', '=', organizationId)
        .where('id', '=', id)
        .returningAll()
        .executeTakeFirst();
      return row === undefined ? null : toKey(row);
    },
  };
}

function toKey(row: Selectable<PublishableKeyRow>): PublishableKey {
  return {
    id: row.id,
    organizationId: row.organization_id,
    mode: row.mode,
    name: row.name,
    key: row.key,
    allowedOrigins: row.allowed_origins,
    workflowIds: row.workflow_ids,
    dailyCalls: row.daily_calls,
    callbackCountries: row.callback_countries,
    createdAt: row.created_at,
    revokedAt: row.revoked_at,
  };
}
