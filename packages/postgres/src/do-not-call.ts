import type { OrganizationStore } from '@callkite/core';
import { sql } from 'kysely';
import { endQueuedCalls } from './calls/ending.ts';
import type { Database } from './database.ts';

/** Numbers that asked not to be called. */
export function createDoNotCall({
  kysely,
  tables,
}: Database): Pick<OrganizationStore, 'addDoNotCall' | 'isOnDoNotCall'> {
  return {
    async addDoNotCall({ organizationId, phoneNumber, source, callId }) {
      await kysely.transaction().execute(async (transaction) => {
        await transaction
          .insertInto('do_not_call')
          .values({ organization_id: organizationId, phone_number: phoneNumber, source, call_id: callId })
          .onConflict((conflict) => conflict.doNothing())
          .execute();
        await endQueuedCalls(transaction, tables, {
          which: sql<boolean>`organization_id = ${organizationId} and to_number = ${phoneNumber}`,
          reason: 'blocked_dnc',
        });
      });
    },

    async isOnDoNotCall(organizationId, phoneNumber) {
      const row = await kysely
        .selectFrom('do_not_call')
        .select('source')
        .where('organization_id', '=', organizationId)
        .where('phone_number', '=', phoneNumber)
        .executeTakeFirst();
      return row !== undefined;
    },
  };
}
