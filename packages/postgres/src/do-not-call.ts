import type { OrganizationStore } from '@callkite/core';
import { sql } from 'kysely';
import { endQueuedCalls } from './calls/ending.ts';
import { unerasedCall } from './calls/locking.ts';
import type { Database } from './database.ts';

/** Numbers that asked not to be called. */
export function createDoNotCall({
  kysely,
  tables,
}: Database): Pick<OrganizationStore, 'addDoNotCall' | 'isOnDoNotCall'> {
  return {
    async addDoNotCall({ organizationId, mode }, { phoneNumber, source, callId }) {
      await kysely.transaction().execute(async (transaction) => {
        // With the call it comes from, the entry would tell whom an erased call was with.
        await sql`
          insert into ${tables.do_not_call} (organization_id, mode, phone_number, source, call_id)
          select ${organizationId}, ${mode}, ${phoneNumber}, ${source}, (
            select id from (${unerasedCall(tables, callId)}) call)
          on conflict do nothing`.execute(transaction);
        await endQueuedCalls(transaction, tables, {
          which: sql<boolean>`organization_id = ${organizationId} and mode = ${mode} and to_number = ${phoneNumber}`,
          reason: 'blocked_dnc',
        });
      });
    },

    async isOnDoNotCall({ organizationId, mode }, phoneNumber) {
      const row = await kysely
        .selectFrom('do_not_call')
        .select('source')
        .where('organization_id', '=', organizationId)
        .where('mode', '=', mode)
        .where('phone_number', '=', phoneNumber)
        .executeTakeFirst();
      return row !== undefined;
    },
  };
}
