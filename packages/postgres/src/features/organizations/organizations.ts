import type { ApiKeyRecord, Organization, OrganizationStore, PageRequest } from '@callkite/core';
import { type Selectable, sql } from 'kysely';
import type { Database } from '../../kernel/database.ts';
import { rowsFor, startOf, toPage } from '../../kernel/paging.ts';
import type { ApiKeyRow, OrganizationRow } from '../../schema.ts';
import { today } from '../usage/call-minutes.ts';

type OrganizationsPart = Pick<
  OrganizationStore,
  'create' | 'get' | 'list' | 'update' | 'createApiKey' | 'findApiKey' | 'listApiKeys' | 'revokeApiKey'
>;

/** Organizations and their API keys. */
export function createOrganizations({ kysely, tables }: Database): OrganizationsPart {
  return {
    async create({ id, name, allowedCountries, dailyCallMinutes = 'default' }) {
      const row = await kysely
        .insertInto('organizations')
        .values({
          id,
          name,
          allowed_countries: allowedCountries,
          daily_call_minutes: storedLimit(dailyCallMinutes),
        })
        .returningAll()
        .executeTakeFirstOrThrow();
      return toOrganization(row);
    },

    async get(organizationId) {
      const row = await kysely
        .selectFrom('organizations')
        .selectAll()
        .where('id', '=', organizationId)
        .executeTakeFirst();
      return row === undefined ? null : toOrganization(row);
    },

    async list(page: PageRequest) {
      const rows = await kysely
        .selectFrom('organizations')
        .selectAll()
        .where(startOf(page, 'organizations'))
        .orderBy('created_at', 'desc')
        .orderBy('id', 'desc')
        .limit(rowsFor(page))
        .execute();
      return toPage(rows, page, toOrganization);
    },

    update(organizationId, { name, allowedCountries, dailyCallMinutes }) {
      return kysely.transaction().execute(async (transaction) => {
        const row = await transaction
          .updateTable('organizations')
          // The name in any case: a statement has to set something.
          .set({
            name: name ?? sql.ref('name'),
            ...(allowedCountries && { allowed_countries: allowedCountries }),
            ...(dailyCallMinutes !== undefined && { daily_call_minutes: storedLimit(dailyCallMinutes) }),
          })
          .where('id', '=', organizationId)
          .returningAll()
          .executeTakeFirst();
        if (row === undefined) return null;
        if (dailyCallMinutes !== undefined) {
          await sql`
            update ${tables.call_minutes} set alarm = 0
            where organization_id = ${organizationId} and day = ${today}`.execute(transaction);
        }
        return toOrganization(row);
      });
    },

    async createApiKey(key) {
      const row = await kysely
        .insertInto('api_keys')
        .values({
          id: key.id,
          organization_id: key.organizationId,
          mode: key.mode,
          name: key.name,
          lookup_id: key.lookupId,
          hash: key.hash,
        })
        .returningAll()
        .executeTakeFirstOrThrow();
      return toApiKey(row);
    },

    async findApiKey(lookupId) {
      const row = await kysely
        .selectFrom('api_keys')
        .selectAll()
        .where('lookup_id', '=', lookupId)
        .executeTakeFirst();
      return row === undefined ? null : toApiKey(row);
    },

    async listApiKeys(organizationId, page) {
      const rows = await kysely
        .selectFrom('api_keys')
        .selectAll()
        .where('organization_id', '=', organizationId)
        .where(startOf(page, 'api_keys'))
        .orderBy('created_at', 'desc')
        .orderBy('id', 'desc')
        .limit(rowsFor(page))
        .execute();
      return toPage(rows, page, toApiKey);
    },

    async revokeApiKey(organizationId, id) {
      const row = await kysely
        .updateTable('api_keys')
        .set({ revoked_at: sql`coalesce(revoked_at, clock_timestamp())` })
        .where('organization_id', '=', organizationId)
        .where('id', '=', id)
        .returningAll()
        .executeTakeFirst();
      return row === undefined ? null : toApiKey(row);
    },
  };
}

function storedLimit(limit: Organization['dailyCallMinutes']): number | null {
  if (limit === 'default') return null;
  return limit ?? Number.POSITIVE_INFINITY;
}

function limitOf({
  daily_call_minutes: stored,
}: Selectable<OrganizationRow>): Organization['dailyCallMinutes'] {
  if (stored === null) return 'default';
  return stored === Number.POSITIVE_INFINITY ? null : stored;
}

function toOrganization(row: Selectable<OrganizationRow>): Organization {
  return {
    id: row.id,
    name: row.name,
    allowedCountries: row.allowed_countries,
    dailyCallMinutes: limitOf(row),
    createdAt: row.created_at,
  };
}

function toApiKey(row: Selectable<ApiKeyRow>): ApiKeyRecord {
  return {
    id: row.id,
    organizationId: row.organization_id,
    mode: row.mode,
    name: row.name,
    lookupId: row.lookup_id,
    hash: row.hash,
    createdAt: row.created_at,
    revokedAt: row.revoked_at,
  };
}
