import type { ApiKeyRecord, Organization, OrganizationStore, PageRequest } from '@callkite/core';
import { type Selectable, sql } from 'kysely';
import type { Database } from './database.ts';
import { rowsFor, startOf, toPage } from './paging.ts';
import type { ApiKeyRow, OrganizationRow } from './schema.ts';

type OrganizationsPart = Pick<
  OrganizationStore,
  'create' | 'get' | 'list' | 'createApiKey' | 'findApiKey' | 'listApiKeys' | 'revokeApiKey'
>;

/** Organizations and their API keys. */
export function createOrganizations({ kysely }: Database): OrganizationsPart {
  return {
    async create({ id, name, allowedCountries }) {
      const row = await kysely
        .insertInto('organizations')
        .values({ id, name, allowed_countries: allowedCountries })
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

function toOrganization(row: Selectable<OrganizationRow>): Organization {
  return {
    id: row.id,
    name: row.name,
    allowedCountries: row.allowed_countries,
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
