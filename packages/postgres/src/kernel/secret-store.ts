import type { SealedSecret, SecretStore } from '@callkite/core';
import { sql } from 'kysely';
import type { Database } from './database.ts';

/** The secrets that are sealed with the server's key. */
export function createSecretStore({ kysely, tables }: Database): SecretStore {
  return {
    async list() {
      const { rows } = await sql<SealedSecret>`
        select 'connection' as place, id, sealed_secret as sealed, organization_id as "organizationId", mode,
          account_id as "accountId", status <> 'out_of_use' as "isInUse", null as "callId"
        from ${tables.connections}
        union all
        select 'webhook', id, sealed_secret, null, null, null, null, null from ${tables.integrations}
        union all
        select 'former_webhook', id, former_sealed_secret, null, null, null, null, null
        from ${tables.integrations}
        where former_sealed_secret is not null and former_secret_expires_at > clock_timestamp()
        union all
        select 'call', id, sealed_callback_secret, null, null, null, null, null from ${tables.calls}
        where sealed_callback_secret is not null and (state <> 'completed' or summary is null)
        union all
        select 'delivery', id, sealed_bearer, null, null, null, null, call_id from ${tables.deliveries}
        where sealed_bearer is not null and call_id is not null and status = 'pending'`.execute(kysely);
      return rows;
    },

    async replace({ place, id, sealed: before }, sealed) {
      switch (place) {
        case 'connection':
          await sql`update ${tables.connections} set sealed_secret = ${sealed}
            where id = ${id} and sealed_secret = ${before}`.execute(kysely);
          break;
        case 'webhook':
          await sql`update ${tables.integrations} set sealed_secret = ${sealed}
            where id = ${id} and sealed_secret = ${before}`.execute(kysely);
          break;
        case 'former_webhook':
          await sql`update ${tables.integrations} set former_sealed_secret = ${sealed}
            where id = ${id} and former_sealed_secret = ${before}`.execute(kysely);
          break;
        case 'call':
          await sql`update ${tables.calls} set sealed_callback_secret = ${sealed}
            where id = ${id} and sealed_callback_secret = ${before}`.execute(kysely);
          break;
        case 'delivery':
          await sql`update ${tables.deliveries} set sealed_bearer = ${sealed}
            where id = ${id} and sealed_bearer = ${before}`.execute(kysely);
          break;
      }
    },
  };
}
