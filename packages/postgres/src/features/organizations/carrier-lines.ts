import {
  CallkiteError,
  type CarrierConnection,
  type ConnectedNumber,
  type OrganizationStore,
} from '@callkite/core';
import { type Kysely, type Selectable, sql } from 'kysely';
import { endQueuedCalls } from '../../calls/ending.ts';
import type { Database, TableNames } from '../../kernel/database.ts';
import type { ConnectionRow, NumberRow, Tables } from '../../schema.ts';
import { chooseDefaultNumbers } from './default-numbers.ts';

type LinesPart = Pick<
  OrganizationStore,
  | 'saveConnection'
  | 'getConnection'
  | 'listConnections'
  | 'deleteConnection'
  | 'connectNumber'
  | 'listNumbers'
  | 'disconnectNumber'
>;

/** The carrier accounts calls go out on, and their numbers. */
export function createCarrierLines({ kysely, tables }: Database): LinesPart {
  return {
    async saveConnection(connection) {
      const facts = {
        network: connection.network,
        sealed_secret: connection.sealedSecret,
        account_name: connection.accountName,
        account_type: connection.accountType,
        business_profile: connection.businessProfile,
        calls_per_second: connection.callsPerSecond,
        maximum_concurrent_calls: connection.maximumConcurrentCalls,
      };
      const row = await kysely
        .insertInto('connections')
        .values({
          id: connection.id,
          organization_id: connection.organizationId,
          mode: connection.mode,
          account_id: connection.accountId,
          ...facts,
        })
        .onConflict((conflict) =>
          conflict
            .columns(['organization_id', 'mode', 'account_id'])
            .doUpdateSet({ ...facts, status: 'active', down_until: sql`null` }),
        )
        .returningAll()
        .executeTakeFirstOrThrow();
      return toConnection(row);
    },

    async getConnection({ organizationId, mode }, id) {
      const row = await kysely
        .selectFrom('connections')
        .selectAll()
        .where('organization_id', '=', organizationId)
        .where('mode', '=', mode)
        .where('id', '=', id)
        .executeTakeFirst();
      return row === undefined ? null : toConnection(row);
    },

    async listConnections({ organizationId, mode }) {
      const rows = await kysely
        .selectFrom('connections')
        .selectAll()
        .where('organization_id', '=', organizationId)
        .where('mode', '=', mode)
        .orderBy('created_at', 'desc')
        .orderBy('id', 'desc')
        .execute();
      return rows.map(toConnection);
    },

    deleteConnection({ organizationId, mode }, id) {
      return kysely.transaction().execute(async (transaction) => {
        // Excludes a dispatcher: it takes this lock before it looks for a call to dial.
        const { rows } = await sql<{ id: string }>`
          select id from ${tables.connections}
          where organization_id = ${organizationId} and mode = ${mode} and id = ${id} for update`.execute(
          transaction,
        );
        if (rows.length === 0) return false;
        const open = await transaction
          .selectFrom('attempts')
          .select('id')
          .where('connection_id', '=', id)
          .where('state', 'in', ['intent', 'placed', 'unknown'])
          .limit(1)
          .executeTakeFirst();
        if (open !== undefined) {
          throw new CallkiteError(
            'conflict',
            'This connection has calls in progress. Delete it once they have ended.',
          );
        }
        const { rows: kept } = await sql`
          select from ${tables.recordings} r join ${tables.calls} c on c.id = r.call_id
          where r.organization_id = ${organizationId} and r.status not in ('absent', 'deleted')
            and c.connection_id = ${id} limit 1`.execute(transaction);
        if (kept.length > 0) {
          throw new CallkiteError(
            'conflict',
            'This connection still has recordings at the carrier. Erase those calls, or wait for their retention to end.',
          );
        }
        await endQueuedCalls(transaction, tables, {
          which: sql<boolean>`connection_id = ${id}`,
          reason: 'carrier_unavailable',
        });
        await transaction.deleteFrom('connections').where('id', '=', id).execute();
        await lockOrganization(transaction, tables, organizationId);
        await chooseDefaultNumbers(transaction, tables, organizationId);
        return true;
      });
    },

    connectNumber(number) {
      return kysely.transaction().execute(async (transaction) => {
        await lockOrganization(transaction, tables, number.organizationId);
        await sql`
          insert into ${tables.numbers}
            (id, organization_id, connection_id, mode, phone_number, provider_number_id, is_default)
          select ${number.id}, organization_id, id, ${number.mode}, ${number.phoneNumber}, ${number.providerNumberId},
            false
          from ${tables.connections}
          where organization_id = ${number.organizationId} and id = ${number.connectionId} and mode = ${number.mode}
          on conflict (organization_id, mode, phone_number) do nothing`.execute(transaction);
        await chooseDefaultNumbers(transaction, tables, number.organizationId);
        const row = await transaction
          .selectFrom('numbers')
          .selectAll()
          .where('organization_id', '=', number.organizationId)
          .where('mode', '=', number.mode)
          .where('phone_number', '=', number.phoneNumber)
          .executeTakeFirst();
        if (row === undefined) {
          throw new CallkiteError('not_found', 'Connection not found');
        }
        return toNumber(row);
      });
    },

    async listNumbers({ organizationId, mode }) {
      const rows = await kysely
        .selectFrom('numbers')
        .selectAll()
        .where('organization_id', '=', organizationId)
        .where('mode', '=', mode)
        .orderBy('created_at', 'desc')
        .orderBy('id', 'desc')
        .execute();
      return rows.map(toNumber);
    },

    disconnectNumber({ organizationId, mode }, id) {
      return kysely.transaction().execute(async (transaction) => {
        await lockOrganization(transaction, tables, organizationId);
        const gone = await transaction
          .deleteFrom('numbers')
          .where('organization_id', '=', organizationId)
          .where('mode', '=', mode)
          .where('id', '=', id)
          .returning('id')
          .executeTakeFirst();
        if (gone === undefined) return false;
        await chooseDefaultNumbers(transaction, tables, organizationId);
        return true;
      });
    },
  };
}

/** Two numbers must not become the default at once. */
async function lockOrganization(
  executor: Kysely<Tables>,
  tables: TableNames,
  organizationId: string,
): Promise<void> {
  await sql`select 1 from ${tables.organizations} where id = ${organizationId} for no key update`.execute(
    executor,
  );
}

export function toConnection(row: Selectable<ConnectionRow>): CarrierConnection {
  return {
    id: row.id,
    organizationId: row.organization_id,
    mode: row.mode,
    accountId: row.account_id,
    network: row.network,
    sealedSecret: row.sealed_secret,
    accountName: row.account_name,
    accountType: row.account_type,
    businessProfile: row.business_profile,
    callsPerSecond: row.calls_per_second,
    maximumConcurrentCalls: row.maximum_concurrent_calls,
    status: row.status,
    downUntil: row.down_until,
    createdAt: row.created_at,
  };
}

function toNumber(row: Selectable<NumberRow>): ConnectedNumber {
  return {
    id: row.id,
    organizationId: row.organization_id,
    connectionId: row.connection_id,
    mode: row.mode,
    phoneNumber: row.phone_number,
    providerNumberId: row.provider_number_id,
    isDefault: row.is_default,
    createdAt: row.created_at,
  };
}
